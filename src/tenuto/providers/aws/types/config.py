"""AWS::Config: rules, the recorder and its delivery channel. Their Refs are their names.

Recorder and channel need each other, and nothing in a template says so: a channel is refused where there is no
recorder, a recorder cannot be started where there is no channel, and a channel cannot go while a recorder uses it. The
first and the last are waited out (`client.codes`): a recorder of the same process goes meanwhile, and one of another
owner is never stopped. As CloudFormation does, Tenuto starts a recorder as soon as there are both: one that was never
started, since a recorder that was stopped is left as it is.
"""

from collections.abc import Iterator

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Documents
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.named import Named

_SERVICE = "config"
_RULE = Call("PutConfigRule", within="ConfigRule")
_RECORDER = Call("PutConfigurationRecorder", within="ConfigurationRecorder", key="name")
_CHANNEL = Call("PutDeliveryChannel", within="DeliveryChannel", key="name")


def _recorders(work: Work) -> Iterator[JsonMap]:
    """The recorders of the account, each with its status; those of other services are theirs alone."""
    shown = work.read(_SERVICE, "DescribeConfigurationRecorderStatus")["ConfigurationRecordersStatus"]
    return (one for one in shown if not one.get("servicePrincipal"))


def _start(work: Work, *, only: str = "") -> None:
    """Start the recorders that never were started, where there is a channel for them."""
    if not work.read(_SERVICE, "DescribeDeliveryChannels")["DeliveryChannels"]:
        return
    for one in _recorders(work):
        if not one.get("lastStartTime") and only in ("", one["name"]):
            work.change(_SERVICE, "StartConfigurationRecorder", ConfigurationRecorderName=one["name"])


class _Recorder(Shown):
    """The start of a recorder. No property tells of it."""

    properties = frozenset[str]()

    def read(self, thing: Thing) -> dict[str, Json]:
        return {}

    def repair(self, work: Work, service: str, words: str) -> None:
        _start(work, only=str(work.id))


class _Channel(_Recorder):
    """The start of the recorder that waits for the channel."""

    def repair(self, work: Work, service: str, words: str) -> None:
        _start(work)


RULE = block(
    "AWS::Config::ConfigRule",
    _SERVICE,
    key="ConfigRuleName",
    listed=Listed(operation="DescribeConfigRules", id="ConfigRuleName", by_name="ConfigRuleNames[]"),
    asked=Call("DescribeConfigRules", key="ConfigRuleNames[]"),
    named=Named("ConfigRuleName", 128),
    # The call replaces a rule of the same name.
    asks_first=True,
    create=_RULE,
    modify={_RULE: "*"},
    # The call that replaces a rule takes away a property that it does not name.
    defaults=dict.fromkeys(("Description", "InputParameters", "MaximumExecutionFrequency", "Scope")),
    delete="DeleteConfigRule",
    attributes={"Arn": "ConfigRuleArn"},
    # It is the finding of the rule, and changes by itself.
    refused={
        "Compliance": "AWS Config finds it out, and shows it: take it out.",
    },
    undeclarable=lambda rule: f"{rule['CreatedBy']} keeps it" if rule.get("CreatedBy") else "",
    compare_as={"InputParameters": Documents(), "Source.CustomPolicyDetails.PolicyText": Comparison.SHOWN},
)
RECORDER = block(
    "AWS::Config::ConfigurationRecorder",
    _SERVICE,
    key="ConfigurationRecorderName",
    listed=Listed(
        operation="DescribeConfigurationRecorders",
        id="name",
        by_name="ConfigurationRecorderNames[]",
        members="ConfigurationRecorders",
    ),
    asked=Call("DescribeConfigurationRecorders", key="ConfigurationRecorderNames[]"),
    named=Named("Name", 256),
    # The call replaces a recorder of the same name.
    asks_first=True,
    create=_RECORDER,
    modify={_RECORDER: "*"},
    parts=(_Recorder(),),
    exclusive=[()],
    delete="DeleteConfigurationRecorder",
    attributes={"ResourceARN": "arn"},
    # A recorder that is not started records nothing, and no property would tell.
    refused={
        "StartedOnCreate": "A recorder records from the moment in which its delivery channel stands. Take it "
        "out, and stop the recorder with `aws configservice stop-configuration-recorder` where it should not.",
    },
)
CHANNEL = block(
    "AWS::Config::DeliveryChannel",
    _SERVICE,
    key="DeliveryChannelName",
    listed=Listed(
        operation="DescribeDeliveryChannels", id="name", by_name="DeliveryChannelNames[]", members="DeliveryChannels"
    ),
    asked=Call("DescribeDeliveryChannels", key="DeliveryChannelNames[]"),
    named=Named("Name", 256),
    asks_first=True,
    create=_CHANNEL,
    modify={_CHANNEL: "*"},
    parts=(_Channel(),),
    exclusive=[()],
    delete="DeleteDeliveryChannel",
)
TYPES = (RULE, RECORDER, CHANNEL)
