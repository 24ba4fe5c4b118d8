"""The parts of AWS::SNS::Topic that are no plain attributes: the log of deliveries, and the protection of data.

Theory of operation. `DeliveryStatusLogging` is a list by protocol; SNS keeps three attributes for each, as
`LambdaFailureFeedbackRoleArn`. An empty text takes a role away. SNS refuses an empty rate, so a rate goes back to zero,
and a protocol of which nothing else is left counts as one that was never declared.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, Rule
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.blocks.parts import Setting, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import Work

LOGGING, PROTECTION = "DeliveryStatusLogging", "DataProtectionPolicy"
_BEGINNINGS = {"application": "Application", "firehose": "Firehose", "http/s": "HTTP", "lambda": "Lambda", "sqs": "SQS"}
_RATE = "SuccessFeedbackSampleRate"
_ROLES = ("FailureFeedbackRoleArn", "SuccessFeedbackRoleArn")
_NO_RATE = "0"
COMPARED: Mapping[str, Rule] = {
    LOGGING: Comparison.SET,
    f"{LOGGING}.{_RATE}": Words(absent=_NO_RATE),
    PROTECTION: POLICY,
}


@dataclass(frozen=True, kw_only=True)
class DeliveryLogs(Shown):
    """The logging of deliveries, by protocol."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({LOGGING})

    @property
    def defaults(self) -> JsonMap:
        return {LOGGING: []}

    def read(self, thing: Thing) -> dict[str, Json]:
        of_each = {protocol: _shown(thing.answer, beginning) for protocol, beginning in _BEGINNINGS.items()}
        return {LOGGING: [{"Protocol": protocol, **members} for protocol, members in of_each.items() if members]}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(LOGGING):
            return
        wanted, seen = _by_protocol(work.want(LOGGING)), _by_protocol(work.seen(LOGGING))
        if not all(map(_says_something, wanted.values())):
            raise PermanentError(
                f"A member of {LOGGING} says nothing but its protocol. Declare a role or a rate in it, or take it out.",
                code="InvalidRequest",
            )
        for protocol, beginning in _BEGINNINGS.items():
            for name, text in _changed(wanted.get(protocol, {}), seen.get(protocol, {})).items():
                work.change(
                    service,
                    "SetTopicAttributes",
                    TopicArn=work.id,
                    AttributeName=f"{beginning}{name}",
                    AttributeValue=text,
                )

    def changes(self, service: str) -> Mapping[str, str]:
        return {LOGGING: f"{service}:SetTopicAttributes"}


def _shown(attributes: JsonMap, beginning: str) -> dict[str, Json]:
    found = {name: str(attributes.get(f"{beginning}{name}", "")) for name in (*_ROLES, _RATE)}
    return {name: text for name, text in found.items() if text and (name, text) != (_RATE, _NO_RATE)}


def _by_protocol(members: Json) -> dict[str, dict[str, str]]:
    return {
        str(one["Protocol"]): {name: text_of(one[name]) for name in (*_ROLES, _RATE) if one.get(name) is not None}
        for one in members or ()
    }


def _says_something(members: Mapping[str, str]) -> bool:
    return any((name, text) != (_RATE, _NO_RATE) for name, text in members.items())


def _changed(wanted: Mapping[str, str], seen: Mapping[str, str]) -> dict[str, str]:
    """The attributes of a protocol that must be set. A rate that is not declared beside a role for successes is the one
    that SNS has chosen."""
    has_own_rate = "SuccessFeedbackRoleArn" in wanted and _RATE not in wanted
    nothing = {**dict.fromkeys(_ROLES, ""), **({} if has_own_rate else {_RATE: _NO_RATE})}
    return {
        name: wanted.get(name, none)
        for name, none in sorted({**dict.fromkeys(wanted, ""), **nothing}.items())
        if wanted.get(name, none) != seen.get(name, none)
    }


@dataclass(frozen=True, kw_only=True)
class _Emptied(Setting):
    """A setting that an empty text takes away."""

    @property
    def defaults(self) -> JsonMap:
        return {self.name: None}

    def _given(self, work: Work) -> dict[str, Json]:
        value = work.want(self.name)
        return {self.given_as: "" if value is None else text_of(value)}


DATA_PROTECTION = _Emptied(
    name=PROTECTION,
    read_by=Call("GetDataProtectionPolicy", key="ResourceArn"),
    write_by=Call("PutDataProtectionPolicy", key="ResourceArn"),
    shown_at=PROTECTION,
    given_as=PROTECTION,
    is_born=True,
    # Topics that keep an order have none.
    absent="InvalidParameter InvalidParameterException",
)
