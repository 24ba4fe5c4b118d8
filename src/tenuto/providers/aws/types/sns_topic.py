"""AWS::SNS::Topic and AWS::SNS::Subscription.

A subscription can be declared in its topic or as a resource of its own, and SNS does not tell which. So a topic shows
those that no process tracks as resources: a subscription that is declared beside it is never taken for another
writer's.
"""

from dataclasses import dataclass

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.rate import MemberCalls
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Attributes, Plain, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.together import together
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Scope, Work
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.facts import member
from tenuto.providers.aws.types.named import Named, fifo_by
from tenuto.providers.aws.types.sns_topic_parts import COMPARED, DATA_PROTECTION, DeliveryLogs
from tenuto.providers.aws.types.tag_calls import TagCalls

TOPIC = "AWS::SNS::Topic"
SUBSCRIPTION = "AWS::SNS::Subscription"
_ARN = "SubscriptionArn"
_VEIL, _REGION = "****", "Region"


def _confirmed(one: JsonMap) -> Json:
    return one[_ARN] if str(one[_ARN]).startswith("arn:") else None


def _endpoint(one: JsonMap) -> Json:
    """The endpoint of a subscription; None where SNS veils a password in it."""
    return None if f":{_VEIL}@" in str(one.get("Endpoint")) else one.get("Endpoint")


def _as_declared(one: JsonMap) -> dict[str, Json]:
    endpoint = _endpoint(one)
    return {"Protocol": one["Protocol"], **({} if endpoint is None else {"Endpoint": endpoint})}


_OF_TOPIC = Listed(operation="ListSubscriptionsByTopic", id=_confirmed, given={"TopicArn": "TopicArn"})


def _of_topic(client: AccountClient, topic: str) -> list[JsonMap]:
    """The subscriptions of a topic. One that waits for its confirmation has a word in place of its ARN."""
    return list(client.pages(_OF_TOPIC.paging("sns"), TopicArn=topic))


def _are_own(scope: Scope, listed: list[JsonMap]) -> bool:
    """Whether as many subscriptions of the topic are resources, and not in the list by their ARN, as wait in the list
    for their confirmation: then those that wait are these."""
    waiting = [one for one in listed if not _confirmed(one)]
    own = scope.ids(SUBSCRIPTION) if scope.own is None else scope.own.get(TypeName(SUBSCRIPTION), {})
    known = {one[_ARN] for one in listed}
    unlisted = [arn for arn in own if waiting and arn.startswith(f"{waiting[0]['TopicArn']}:") and arn not in known]
    return 0 < len(waiting) <= len(unlisted)


@dataclass(frozen=True)
class _Subscriptions(Plain):
    """The subscriptions that are declared in the topic."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({"Subscription"})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {"Subscription": _of_topic(thing.client, thing.id)}

    def apart(self, physical_id: str, found: JsonMap, scope: Scope | None) -> JsonMap:
        if "Subscription" not in found:
            return found
        listed = found["Subscription"]
        shown = listed if scope is None else [one for one in listed if not scope.is_own(SUBSCRIPTION, one[_ARN])]
        if scope is not None and _are_own(scope, listed):
            shown = [one for one in shown if _confirmed(one)]
        return {**found, "Subscription": [_as_declared(one) for one in shown]}

    def repair(self, work: Work, service: str, words: str) -> None:
        """Add the subscriptions that are missing, then take away those that were seen and are not declared."""
        if not work.differs("Subscription"):
            return
        wanted = {(str(one["Protocol"]), str(one["Endpoint"])) for one in work.want("Subscription")}
        present = {(str(one["Protocol"]), str(one.get("Endpoint"))) for one in work.seen("Subscription") or ()}
        for protocol, endpoint in sorted(wanted - present):
            work.change("sns", "Subscribe", TopicArn=work.id, Protocol=protocol, Endpoint=endpoint)
        strange = present - wanted
        for one in _of_topic(work.client, work.id) if strange else ():
            if (str(one["Protocol"]), str(one["Endpoint"])) in strange and _confirmed(one):
                work.change("sns", "Unsubscribe", SubscriptionArn=one[_ARN])

    def members(self, service: str) -> dict[str, MemberCalls]:
        return {"Subscription": member("sns:Subscribe", "sns:Unsubscribe")}


@dataclass(frozen=True, kw_only=True)
class _Region(Shown):
    """The region of the topic, which its ARN tells. A process works in one region, so it is refused in another one."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_REGION})

    def read(self, thing: Thing) -> dict[str, Json]:
        region = _region_of(thing.answer.get("TopicArn"))
        return {_REGION: region} if region else {}

    def at_birth(self, work: Work) -> dict[str, Json]:
        here = work.client.partition.region
        if {work.want(_REGION) or here, _region_of(work.need("TopicArn")) or here} != {here}:
            raise PermanentError(
                f"{work.request.logical_id} subscribes to a topic of another region than {here}: declare it in a "
                "composition of the region of the topic.",
                code="InvalidProperty",
            )
        return {}

    def repair(self, work: Work, service: str, words: str) -> None:
        self.at_birth(work)


def _region_of(topic: Json) -> str:
    """The region in the ARN of a topic; empty for any other text."""
    return f"{topic}:::".split(":")[3]


SNS_TOPIC = block(
    TOPIC,
    "sns",
    key="TopicArn",
    listed=Listed(operation="ListTopics", id="TopicArn"),
    described=Described(call=Call("GetTopicAttributes"), at="Attributes"),
    named=Named("TopicName", 256, ending=fifo_by("FifoTopic")),
    name_after=":",
    # SNS answers the creation of a topic that is there already like any other.
    asks_first=True,
    create=Call("CreateTopic", renamed={"TopicName": "Name"}),
    made="TopicArn",
    parts=(
        Attributes(
            type=TOPIC,
            names="ArchivePolicy ContentBasedDeduplication DisplayName FifoThroughputScope FifoTopic KmsMasterKeyId "
            "MaximumMessageSize SignatureVersion TracingConfig",
            write_by=Call("SetTopicAttributes"),
            pair=("AttributeName", "AttributeValue"),
            silent="FifoTopic",
        ),
        DeliveryLogs(),
        DATA_PROTECTION,
        _Subscriptions(),
    ),
    delete="DeleteTopic",
    tags=TagCalls(
        service="sns",
        id_name="ResourceArn",
    ),
    attributes={"TopicArn": "$id", "TopicName": "$name"},
    compare_as={
        "ArchivePolicy": Comparison.KEYED,
        "KmsMasterKeyId": KMS_KEY,
        "MaximumMessageSize": Words(absent="262144"),
        "SignatureVersion": Words(absent="1"),
        # People and other stacks subscribe to a topic, too.
        "Subscription": Comparison.SHARED,
        "Subscription.Endpoint": Comparison.SHOWN,
        "TracingConfig": Words(absent="PassThrough"),
        **COMPARED,
    },
    defaults={
        "ContentBasedDeduplication": False,
        "DisplayName": None,
        "KmsMasterKeyId": None,
        "MaximumMessageSize": 262144,
        "SignatureVersion": "1",
        "Subscription": [],
        "TracingConfig": "PassThrough",
    },
    bears_data=True,
)
SNS_SUBSCRIPTION = block(
    SUBSCRIPTION,
    "sns",
    key=_ARN,
    listed=Listed(operation="ListSubscriptions", id=_confirmed),
    # Before a subscription is confirmed, no list shows its ARN.
    described=Described(call=Call("GetSubscriptionAttributes"), at="Attributes", anew=True),
    beside=_OF_TOPIC,
    # SNS answers a second subscription of an endpoint with the first.
    asks_first=True,
    create=Call("Subscribe", fixed={"ReturnSubscriptionArn": True}),
    made=_ARN,
    parts=(
        Attributes(
            type=SUBSCRIPTION,
            names="DeliveryPolicy FilterPolicy FilterPolicyScope RawMessageDelivery RedrivePolicy ReplayPolicy "
            "SubscriptionRoleArn",
            write_by=Call("SetSubscriptionAttributes"),
            pair=("AttributeName", "AttributeValue"),
        ),
        _Region(),
    ),
    delete="Unsubscribe",
    # SNS keeps one that was never confirmed, and ends it by itself after two days.
    spares="PendingConfirmation == 'true'",
    shown={"Endpoint": _endpoint},
    attributes={"Arn": "$id"},
    compare_as={"Endpoint": Comparison.SHOWN, "FilterPolicyScope": Words(absent="MessageAttributes")},
    # An empty filter lets every message through.
    defaults={
        "DeliveryPolicy": None,
        "FilterPolicy": {},
        "FilterPolicyScope": "MessageAttributes",
        "RawMessageDelivery": False,
        "RedrivePolicy": None,
    },
    exclusive=[("TopicArn", "Protocol", "Endpoint")],
    shows=_REGION,
)
TYPES = together(SNS_TOPIC, SNS_SUBSCRIPTION)
