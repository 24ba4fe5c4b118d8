"""AWS::SNS::Topic and AWS::SNS::Subscription.

A subscription can be declared in its topic or as a resource of its own, and SNS does not tell which. So a topic shows
those that no process tracks as resources: what is declared beside it is never taken for another writer's.
"""

from collections.abc import Mapping

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.pages import Paging
from tenuto.providers.aws.kind import AwsType, Question, Scope, Seen, Source, Work, by_owner, by_properties, flag
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts, member
from tenuto.providers.aws.types.named import Named, fifo_by
from tenuto.providers.aws.types.tag_calls import TagCalls
from tenuto.providers.aws.types.text_attributes import TextAttributes

TOPIC = "AWS::SNS::Topic"
SUBSCRIPTION = "AWS::SNS::Subscription"


def _paging(operation: str, members: str) -> Paging:
    return Paging(
        service="sns",
        operation=operation,
        members=members,
        token_in="NextToken",
        token_out="NextToken",
        size_name="",
        page_size=0,
    )


_TOPICS = _paging("ListTopics", "Topics")
_SUBSCRIPTIONS = _paging("ListSubscriptions", "Subscriptions")
_OF_TOPIC = _paging("ListSubscriptionsByTopic", "Subscriptions")
_TAGS = TagCalls(
    service="sns",
    list_call="ListTagsForResource",
    put_call="TagResource",
    remove_call="UntagResource",
    id_name="ResourceArn",
)
_OF_TOPICS = TextAttributes(
    TOPIC,
    "ArchivePolicy ContentBasedDeduplication DisplayName FifoThroughputScope FifoTopic KmsMasterKeyId "
    "SignatureVersion TracingConfig",
)
_COSTLY = _OF_TOPICS.names | {"Subscription", "Tags"}
_KEYS = ("Endpoint", "Protocol", "TopicArn")
_OF_SUBSCRIPTIONS = TextAttributes(
    SUBSCRIPTION,
    "DeliveryPolicy FilterPolicy FilterPolicyScope RawMessageDelivery RedrivePolicy ReplayPolicy SubscriptionRoleArn",
)
_NAMED = Named("TopicName", 256, ending=fifo_by("FifoTopic"))


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    topics = sorted(str(topic["TopicArn"]) for topic in client.pages(_TOPICS))
    if scope.names is not None:
        wanted = scope.named(TOPIC)
        details = _details(client, dict.fromkeys((arn for arn in topics if _name_in(arn) in wanted), _COSTLY))
        return [_topic(arn, one, scope) for arn, one in details.items()] + _listed(client, frozenset())
    details = scope.details(client, TOPIC, topics, lambda asked: _details(client, asked))
    shown = [_topic(arn, one, scope) for arn, one in details.items()]
    others = [arn for arn in topics if not scope.is_tracked(TOPIC, arn)]
    shown += [seen(TOPIC, arn, {"TopicName": _name_in(arn)}, tags=()) for arn in others]
    tracked = [str(arn) for arn in scope.ids(SUBSCRIPTION)]
    shown += client.each_there(lambda arn: _subscription(client, arn), tracked).values()
    return shown + _listed(client, frozenset(tracked))


def _name_in(arn: str) -> str:
    return arn.rsplit(":", 1)[-1]


def _details(client: AccountClient, asked: Mapping[str, frozenset[str]]) -> dict[str, JsonMap]:
    """The attributes that the list of topics does not show, as far as asked for; without topics that are gone."""
    return client.each_there(lambda arn: _details_of(client, arn, asked[arn]), asked)


def _details_of(client: AccountClient, arn: str, names: frozenset[str]) -> JsonMap:
    found: dict[str, Json] = {}
    if not names.isdisjoint(_OF_TOPICS.names):
        found |= _OF_TOPICS.read(client.read("sns", "GetTopicAttributes", TopicArn=arn)["Attributes"])
    if "Tags" in names:
        found["Tags"] = _TAGS.read(client, arn)
    if "Subscription" in names:
        found["Subscription"] = list(client.pages(_OF_TOPIC, TopicArn=arn))
    return found


def _topic(arn: str, details: JsonMap, scope: Scope) -> Seen:
    """A topic with those of its subscriptions that are not resources of their own."""
    name, properties = _name_in(arn), {key: one for key, one in details.items() if key in _OF_TOPICS.names}
    if "Subscription" in details:
        own = [one for one in details["Subscription"] if not scope.is_own(SUBSCRIPTION, one["SubscriptionArn"])]
        properties["Subscription"] = [{"Endpoint": one["Endpoint"], "Protocol": one["Protocol"]} for one in own]
    return seen(
        TOPIC,
        arn,
        {"TopicName": name, "FifoTopic": name.endswith(".fifo"), **properties},
        attributes={"TopicArn": arn, "TopicName": name},
        tags=details.get("Tags") or (),
    )


def _listed(client: AccountClient, known: frozenset[str]) -> list[Seen]:
    """The subscriptions that no process tracks. One that is not confirmed yet has no ARN in the list."""
    found = [one for one in client.pages(_SUBSCRIPTIONS) if str(one["SubscriptionArn"]).startswith("arn:")]
    return [
        seen(SUBSCRIPTION, one["SubscriptionArn"], {key: one.get(key) for key in _KEYS})
        for one in found
        if one["SubscriptionArn"] not in known
    ]


def _subscription(client: AccountClient, arn: str) -> Seen:
    """A tracked subscription, asked for by its ARN: before it is confirmed, the list would not show it."""
    shown = client.read("sns", "GetSubscriptionAttributes", SubscriptionArn=arn)["Attributes"]
    properties = {key: shown.get(key) or None for key in _KEYS} | _OF_SUBSCRIPTIONS.read(shown)
    return seen(SUBSCRIPTION, arn, properties, attributes={"Arn": arn})


def _create_topic(work: Work) -> Outcome:
    """Create the topic. SNS answers the creation of a topic that is there already like any other, so existence is asked
    before.
    """
    name = _NAMED(work.request)
    if any(_name_in(str(topic["TopicArn"])) == name for topic in work.client.pages(_TOPICS)):
        raise PermanentError(f"There is a topic {name} already.", code="ResourceAlreadyExists")
    attributes = _OF_TOPICS.given(work, silent=("FifoTopic",))
    arn = work.change("sns", "CreateTopic", Name=name, Attributes=attributes, **_TAGS.at_birth(work))["TopicArn"]
    return Done(physical_id=arn, attributes={"TopicArn": arn, "TopicName": name})


def _modify_topic(work: Work) -> Outcome:
    for key, value in _OF_TOPICS.changed(work).items():
        work.change("sns", "SetTopicAttributes", TopicArn=work.id, AttributeName=key, AttributeValue=value)
    if work.differs("Subscription"):
        _repair_subscriptions(work)
    _TAGS.repair(work)
    return Done(physical_id=work.id)


def _repair_subscriptions(work: Work) -> None:
    """Subscribe what is missing, then take away what was seen and is not declared."""
    wanted = {(str(one["Protocol"]), str(one["Endpoint"])) for one in work.want("Subscription")}
    present = {(str(one["Protocol"]), str(one["Endpoint"])) for one in work.seen("Subscription") or ()}
    for protocol, endpoint in sorted(wanted - present):
        work.change("sns", "Subscribe", TopicArn=work.id, Protocol=protocol, Endpoint=endpoint)
    strange = present - wanted
    for one in work.client.pages(_OF_TOPIC, TopicArn=work.id) if strange else ():
        is_strange = (str(one["Protocol"]), str(one["Endpoint"])) in strange
        if is_strange and str(one["SubscriptionArn"]).startswith("arn:"):
            work.change("sns", "Unsubscribe", SubscriptionArn=one["SubscriptionArn"])


def _delete_topic(work: Work) -> Outcome:
    work.change("sns", "DeleteTopic", TopicArn=work.id)
    return Done(physical_id=work.id)


def _subscribe(work: Work) -> Outcome:
    """Subscribe an endpoint. SNS answers a second subscription with the first, so existence is asked before."""
    wanted = work.given(*_KEYS)
    for one in work.client.pages(_OF_TOPIC, TopicArn=work.need("TopicArn")):
        # One that waits for its confirmation has no ARN yet, and may be what an earlier try of ours made.
        is_known = str(one["SubscriptionArn"]).startswith("arn:")
        if is_known and (one["Protocol"], one.get("Endpoint")) == (wanted["Protocol"], wanted.get("Endpoint")):
            raise PermanentError(
                f"{one.get('Endpoint')} is subscribed to {wanted['TopicArn']} already.", code="ResourceAlreadyExists"
            )
    attributes = _OF_SUBSCRIPTIONS.given(work)
    made = work.change("sns", "Subscribe", **wanted, Attributes=attributes, ReturnSubscriptionArn=True)
    arn = made["SubscriptionArn"]
    return Done(physical_id=arn, attributes={"Arn": arn})


def _modify_subscription(work: Work) -> Outcome:
    for key, value in _OF_SUBSCRIPTIONS.changed(work).items():
        where = {"SubscriptionArn": work.id, "AttributeName": key}
        work.change("sns", "SetSubscriptionAttributes", **where, AttributeValue=value)
    return Done(physical_id=work.id)


def _unsubscribe(work: Work) -> Outcome:
    """End a subscription. SNS keeps an unconfirmed one, and ends it by itself after two days."""
    shown = work.read("sns", "GetSubscriptionAttributes", SubscriptionArn=work.id)["Attributes"]
    if not flag(shown.get("PendingConfirmation")):
        work.change("sns", "Unsubscribe", SubscriptionArn=work.id)
    return Done(physical_id=work.id)


SOURCE = Source(name="sns.ListTopics", read=_read)

SNS_TOPIC = AwsType(
    facts=facts(
        TOPIC,
        SOURCE,
        calls=calls(
            "sns:CreateTopic",
            "sns:DeleteTopic",
            "sns:SetTopicAttributes",
            members={"Subscription": member("sns:Subscribe", "sns:Unsubscribe")},
            tags="sns:TagResource sns:UntagResource",
        ),
        attributes="TopicName",
        costly=_COSTLY,
        compare_as={
            "KmsMasterKeyId": KMS_KEY,
            "SignatureVersion": Words(absent="1"),
            "Subscription": Comparison.SET,
            "TracingConfig": Words(absent="PassThrough"),
        },
        exclusive=[("TopicName",)],
        bears_data=True,
    ),
    source=SOURCE,
    question=Question("sns", "GetTopicAttributes", "TopicArn"),
    create=_create_topic,
    modify=_modify_topic,
    delete=_delete_topic,
    is_found=by_owner,
    find_name=_NAMED,
    marks=_TAGS.marks,
    unsupported=frozenset({"DataProtectionPolicy", "DeliveryStatusLogging", "MaximumMessageSize"}),
)

SNS_SUBSCRIPTION = AwsType(
    facts=facts(
        SUBSCRIPTION,
        SOURCE,
        calls=calls("sns:Subscribe", "sns:Unsubscribe", "sns:SetSubscriptionAttributes"),
        exclusive=[("TopicArn", "Protocol", "Endpoint")],
        is_tagged=False,
    ),
    source=SOURCE,
    question=Question("sns", "GetSubscriptionAttributes", "SubscriptionArn"),
    create=_subscribe,
    modify=_modify_subscription,
    delete=_unsubscribe,
    is_found=by_properties("TopicArn", "Protocol", "Endpoint"),
    find_name=lambda request: str(request.properties.get("TopicArn")),
    unsupported=frozenset({"Region"}),
)
TYPES = (SNS_SUBSCRIPTION, SNS_TOPIC)
