"""The policies of a log group that have calls of their own: masks for its events, and indexes of their fields."""

from dataclasses import dataclass

from tenuto.errors import PermanentError
from tenuto.model.ids import Json
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.blocks.parts import Setting
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import parsed
from tenuto.providers.aws.kind import Work

PROTECTION, INDEXES = "DataProtectionPolicy", "FieldIndexPolicies"
_KEY = "logGroupIdentifier"

DATA_PROTECTION = Setting(
    name=PROTECTION,
    read_by=Call("GetDataProtectionPolicy", key=_KEY),
    write_by=Call("PutDataProtectionPolicy", key=_KEY, drop="DeleteDataProtectionPolicy"),
    shown_at="policyDocument",
    given_as="policyDocument",
    is_text=True,
    # A group without a policy is answered like a group that is not there.
    absent="ResourceNotFoundException",
)


@dataclass(frozen=True, kw_only=True)
class _Indexes(Setting):
    """The index policy of a group, which a composition declares as a list of one. For a group without one, the service
    shows the policy of the account, which is no part of the group."""

    def read(self, thing: Thing) -> dict[str, Json]:
        found = super().read(thing)
        return {name: [parsed(one) for one in policies] for name, policies in found.items()}

    def repair(self, work: Work, service: str, words: str) -> None:
        if len(work.want(self.name) or ()) > 1:
            raise PermanentError(
                f"A log group has one index policy: name all fields in one member of {self.name}.",
                code="InvalidRequest",
            )
        if work.want(self.name):
            super().repair(work, service, words)
        elif work.differs(self.name):
            work.change(service, self.write_by.drop, **self.write_by.about(words, work.id))


FIELD_INDEXES = _Indexes(
    name=INDEXES,
    read_by=Call("DescribeIndexPolicies", key=f"{_KEY}s[]"),
    write_by=Call("PutIndexPolicy", key=_KEY, drop="DeleteIndexPolicy"),
    shown_at="indexPolicies[?source=='LOG_GROUP'].policyDocument",
    given_as="policyDocument",
    given_at="[0]",
    is_text=True,
)
