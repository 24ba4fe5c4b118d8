"""AWS::SQS::Queue. Its Ref is its URL; every setting is an attribute, which SQS keeps as text."""

from collections.abc import Mapping, Sequence

from tenuto.errors import PermanentError
from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.client import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.pages import Paging
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts
from tenuto.providers.aws.types.named import Named, fifo_by
from tenuto.providers.aws.types.tag_calls import TagCalls
from tenuto.providers.aws.types.text_attributes import TextAttributes

NAME = "AWS::SQS::Queue"
_QUEUES = Paging(
    service="sqs",
    operation="ListQueues",
    members="QueueUrls",
    token_in="NextToken",
    token_out="NextToken",
    size_name="MaxResults",
    page_size=1000,
    leaves_out_empty=True,
)
_TAGS = TagCalls(
    service="sqs",
    list_call="ListQueueTags",
    put_call="TagQueue",
    remove_call="UntagQueue",
    id_name="QueueUrl",
    is_mapping=True,
)
_SETTINGS = TextAttributes(
    NAME,
    "ContentBasedDeduplication DeduplicationScope DelaySeconds FifoQueue FifoThroughputLimit "
    "KmsDataKeyReusePeriodSeconds KmsMasterKeyId MaximumMessageSize MessageRetentionPeriod "
    "ReceiveMessageWaitTimeSeconds RedriveAllowPolicy RedrivePolicy SqsManagedSseEnabled VisibilityTimeout",
)
_NAMED = Named("QueueName", 80, ending=fifo_by("FifoQueue"))


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    if scope.names is not None:
        urls = [url for name in scope.named(NAME) if (url := _url(client, name)) is not None]
        tags = _TAGS.details(client)(dict.fromkeys(urls, frozenset({"Tags"})))
        return _seen(client, tags)
    # A name lives on in the list for a while after its queue is gone, so only what is read by itself is believed.
    tracked = [str(url) for url in scope.ids(NAME)]
    others = sorted({str(url) for url in client.pages(_QUEUES)} - set(tracked))
    shown = _seen(client, scope.details(client, NAME, tracked, _TAGS.details(client)))
    return shown + [seen(NAME, url, {"QueueName": _name_in(url)}, tags=()) for url in others]


def _seen(client: AccountClient, details: Mapping[str, JsonMap]) -> list[Seen]:
    """The queues with these details, without those that are gone."""
    return list(client.each_there(lambda url: _queue(client, url, details[url].get("Tags") or ()), details).values())


def _url(client: AccountClient, name: str) -> str | None:
    return faults.unless_gone(lambda: str(client.read("sqs", "GetQueueUrl", QueueName=name)["QueueUrl"]))


def _name_in(url: str) -> str:
    return url.rsplit("/", 1)[-1]


def _queue(client: AccountClient, url: str, tags: Sequence[JsonMap]) -> Seen:
    """A queue with its attributes. Raises when there is none."""
    shown = client.read("sqs", "GetQueueAttributes", QueueUrl=url, AttributeNames=["All"]).get("Attributes") or {}
    arn, name = shown.get("QueueArn"), _name_in(url)
    attributes = {"Arn": arn, "QueueName": name, "QueueUrl": url}
    return seen(
        NAME, url, {"QueueName": name, "FifoQueue": False, **_SETTINGS.read(shown)}, attributes=attributes, tags=tags
    )


def _create(work: Work) -> Outcome:
    """Create the queue. SQS answers the creation of a queue that is there already like any other, so existence is asked
    before.
    """
    name = _NAMED(work.request)
    if _url(work.client, name) is not None:
        raise PermanentError(f"There is a queue {name} already.", code="QueueNameExists")
    url = work.change(
        "sqs",
        "CreateQueue",
        QueueName=name,
        Attributes=_SETTINGS.given(work, silent=("FifoQueue",)),
        tags=_TAGS.at_birth(work)["Tags"],
    )["QueueUrl"]
    return Done(physical_id=url, attributes={"QueueUrl": url, "QueueName": name})


def _modify(work: Work) -> Outcome:
    if changed := _SETTINGS.changed(work):
        work.change("sqs", "SetQueueAttributes", QueueUrl=work.id, Attributes=changed)
    _TAGS.repair(work)
    return Done(physical_id=work.id)


def _delete(work: Work) -> Outcome:
    work.change("sqs", "DeleteQueue", QueueUrl=work.id)
    return Done(physical_id=work.id)


SOURCE = Source(name="sqs.ListQueues", read=_read)

QUEUE = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        calls=calls("sqs:CreateQueue", "sqs:DeleteQueue", "sqs:SetQueueAttributes", tags="sqs:TagQueue sqs:UntagQueue"),
        attributes="QueueName",
        costly=["Tags"],
        compare_as={
            "KmsMasterKeyId": KMS_KEY,
            "RedriveAllowPolicy.redrivePermission": Words(absent="allowAll"),
            "RedriveAllowPolicy.sourceQueueArns": Comparison.SET,
        },
        exclusive=[("QueueName",)],
        bears_data=True,
    ),
    source=SOURCE,
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=by_owner,
    find_name=_NAMED,
    marks=_TAGS.marks,
)
