"""AWS::SQS::Queue. Its Ref is its URL; every setting is an attribute, which SQS keeps as text."""

import json
from collections.abc import Mapping, Sequence

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.client import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.client.pages import Paging
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, by_owner, flag
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts
from tenuto.providers.aws.types.tag_calls import TagCalls

NAME = "AWS::SQS::Queue"
_LONGEST_NAME = 80
_FIFO = ".fifo"
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
_NUMBERS = (
    "DelaySeconds",
    "KmsDataKeyReusePeriodSeconds",
    "MaximumMessageSize",
    "MessageRetentionPeriod",
    "ReceiveMessageWaitTimeSeconds",
    "VisibilityTimeout",
)
_SWITCHES = ("ContentBasedDeduplication", "FifoQueue", "SqsManagedSseEnabled")
_TEXTS = ("DeduplicationScope", "FifoThroughputLimit", "KmsMasterKeyId")
_DOCUMENTS = ("RedriveAllowPolicy", "RedrivePolicy")
_ALL = (*_NUMBERS, *_SWITCHES, *_TEXTS, *_DOCUMENTS)


def queue_name(request: Request) -> str:
    """The declared name, or the one that we make of the request; a FIFO queue's must say so."""
    declared = request.properties.get("QueueName")
    if declared:
        return str(declared)
    suffix = _FIFO if flag(request.properties.get("FifoQueue")) else ""
    return generated_name(request, _LONGEST_NAME - len(suffix)) + suffix


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    if scope.names is not None:
        urls = [url for name in sorted(scope.names) if (url := _url(client, name.split(" ", 1)[1])) is not None]
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
    properties = {key: _value(key, shown[key]) for key in _ALL if shown.get(key) not in (None, "")}
    attributes = {"Arn": arn, "QueueName": name, "QueueUrl": url}
    return seen(NAME, url, {"QueueName": name, "FifoQueue": False, **properties}, attributes=attributes, tags=tags)


def _value(key: str, text: str) -> Json:
    if key in _NUMBERS:
        return int(text)
    if key in _SWITCHES:
        return flag(text)
    return json.loads(text) if key in _DOCUMENTS else text


def _create(work: Work) -> Outcome:
    """Create the queue. SQS answers the creation of a queue that is there already like any other, so existence is asked
    before.
    """
    name = queue_name(work.request)
    if _url(work.client, name) is not None:
        raise PermanentError(f"There is a queue {name} already.", code="QueueNameExists")
    # "Not a FIFO queue" can only be said by silence.
    wanted = {key: value for key, value in work.given(*_ALL).items() if key != "FifoQueue" or flag(value)}
    url = work.change(
        "sqs",
        "CreateQueue",
        QueueName=name,
        Attributes={key: text_of(value) for key, value in wanted.items()},
        tags=_TAGS.at_birth(work)["Tags"],
    )["QueueUrl"]
    return Done(physical_id=url, attributes={"QueueUrl": url, "QueueName": name})


def _modify(work: Work) -> Outcome:
    changed = {key: text_of(work.want(key)) for key in _ALL if work.differs(key)}
    if changed:
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
    find_name=lambda request: f"{NAME} {queue_name(request)}",
    marks=_TAGS.marks,
)
