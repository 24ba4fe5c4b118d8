"""Custom::CDK::BucketNotifications: the notifications of a bucket to functions, queues and topics, beside the bucket
itself.

The CDK declares notifications apart from the bucket, since the receiver needs a permission that names the bucket. S3
keeps one document for all. So each notification of this resource has an id that begins with the resource's own mark:
only these are shown, changed and taken out, and all others are written back as they are. One that says the same as a
declared one is taken over, as after an import of those that the CDK's function made. Between the reading and the
writing of the document another writer can get lost: S3 has no condition for it, and the function of the CDK does the
same.
"""

import hashlib
import json
from collections.abc import Mapping

from tenuto.model.cdk_types import BUCKET_NOTIFICATIONS, EVENT_BRIDGE, TARGETS
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison, ResourceType, Rule, Watch
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, by_owner, flag
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls

_BRIDGE = "EventBridgeConfiguration"
_PUT = "s3:PutBucketNotificationConfiguration"
_RULES = "Filter.Key.FilterRules"
_COMPARED: Mapping[str, Rule] = {
    f"{name}{path}": rule
    for name in TARGETS
    for path, rule in (
        ("", Comparison.SET),
        (".Events", Comparison.SET),
        (f".{_RULES}", Comparison.SET),
        (f".{_RULES}.Name", Comparison.FOLDED),
    )
}


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    """Return the remaining notifications of each one that is asked for; a bucket that is there shows it, even without
    any.
    """
    asked = scope.ids(BUCKET_NOTIFICATIONS) if scope.names is None else scope.named(BUCKET_NOTIFICATIONS)
    found = client.each_there(lambda one: _document(client, _bucket(one)), [str(one) for one in asked])
    return [_seen(physical_id, document) for physical_id, document in found.items()]


def _document(client: AccountClient, bucket: str) -> JsonMap:
    answer = client.read("s3", "GetBucketNotificationConfiguration", Bucket=bucket)
    return {name: answer[name] for name in (*TARGETS, _BRIDGE) if answer.get(name) is not None}


def _seen(physical_id: str, document: JsonMap) -> Seen:
    own = {name: [_plain(one) for one in document.get(name) or () if _is_own(one, physical_id)] for name in TARGETS}
    shown = {"BucketName": _bucket(physical_id), **own, EVENT_BRIDGE: _BRIDGE in document}
    return seen(BUCKET_NOTIFICATIONS, physical_id, shown)


def _create(work: Work) -> Outcome:
    return _put(work, f"{work.need('BucketName')}|{_mark(work)}")


def _modify(work: Work) -> Outcome:
    if not any(work.differs(name) for name in (*TARGETS, EVENT_BRIDGE)):
        return Done(physical_id=work.id)
    return _put(work, str(work.id))


def _put(work: Work, physical_id: str) -> Outcome:
    declared = {name: [_as_told(one) for one in work.want(name) or ()] for name in TARGETS}
    found = _document(work.client, _bucket(physical_id))
    others = {name: _others(found.get(name) or (), declared[name], physical_id) for name in TARGETS}
    marked = {name: [{"Id": _id(one, physical_id), **one} for one in told] for name, told in declared.items()}
    bridge = work.want(EVENT_BRIDGE)
    wanted = (_BRIDGE in found) if bridge is None else flag(bridge)
    _write(work, physical_id, {name: [*others[name], *marked[name]] for name in TARGETS}, tells_bridge=wanted)
    return Done(physical_id=PhysicalId(physical_id))


def _delete(work: Work) -> Outcome:
    """Take out the resource's own notifications. EventBridge is told no more where the resource held all of them."""
    physical_id = str(work.id)
    found = _document(work.client, _bucket(physical_id))
    kept = {name: _others(found.get(name) or (), (), physical_id) for name in TARGETS}
    is_over = flag(work.want(EVENT_BRIDGE)) and flag(work.want("Managed"))
    _write(work, physical_id, kept, tells_bridge=_BRIDGE in found and not is_over)
    return Done(physical_id=work.id)


def _write(work: Work, physical_id: str, lists: Mapping[str, list[JsonMap]], *, tells_bridge: bool) -> None:
    document: dict[str, Json] = {name: told for name, told in lists.items() if told}
    if tells_bridge:
        document[_BRIDGE] = {}
    work.change(
        "s3",
        "PutBucketNotificationConfiguration",
        Bucket=_bucket(physical_id),
        NotificationConfiguration=document,
    )


def _find(work: Work) -> ObservedItem | None:
    """Return the notifications that a creation wrote whose answer was lost: the document has its mark. Without one
    nothing was written that another try would write twice."""
    physical_id = f"{work.need('BucketName')}|{_mark(work)}"
    document = _document(work.client, _bucket(physical_id))
    told = (one for name in TARGETS for one in document.get(name) or ())
    return _seen(physical_id, document)[1] if any(_is_own(one, physical_id) for one in told) else None


def _others(found: Json, declared: Json, physical_id: str) -> list[JsonMap]:
    """The notifications that belong to others."""
    same = [_folded(one) for one in declared]
    return [one for one in found if not _is_own(one, physical_id) and _folded(_plain(one)) not in same]


def _bucket(physical_id: str) -> str:
    return str(physical_id).partition("|")[0]


def _mark(work: Work) -> str:
    """The beginning of the ids of its notifications, which no other incarnation has."""
    return f"tenuto-{work.request.object_id}"


def _is_own(one: JsonMap, physical_id: str) -> bool:
    return str(one.get("Id", "")).startswith(f"{physical_id.partition('|')[2]}-")


def _id(one: JsonMap, physical_id: str) -> str:
    spelled = json.dumps(_folded(one), sort_keys=True)
    return f"{physical_id.partition('|')[2]}-{hashlib.sha256(spelled.encode()).hexdigest()[:16]}"


def _plain(one: JsonMap) -> JsonMap:
    return {name: value for name, value in one.items() if name != "Id"}


def _as_told(one: JsonMap) -> JsonMap:
    """A declared notification as S3 takes it. A filter without rules is none."""
    plain = _plain(one)
    if not ((plain.get("Filter") or {}).get("Key") or {}).get("FilterRules"):
        plain = {name: value for name, value in plain.items() if name != "Filter"}
    return plain


def _folded(one: JsonMap) -> JsonMap:
    """A notification with one order for lists that have none, and one case for the names of rules."""
    rules = ((one.get("Filter") or {}).get("Key") or {}).get("FilterRules") or ()
    named = sorted((str(rule.get("Name")).lower(), str(rule.get("Value", ""))) for rule in rules)
    return {**one, "Events": sorted(one.get("Events") or ()), "Filter": named}


SOURCE = Source(name=BUCKET_NOTIFICATIONS, read=_read, shows_all=False)
NOTIFICATIONS = AwsType(
    facts=ResourceType(
        name=BUCKET_NOTIFICATIONS,
        provider="aws",
        source=SOURCE.name,
        watch=Watch.SINGLE,
        create_only=frozenset({"BucketName"}),
        required=frozenset({"BucketName"}),
        write_only=frozenset({"Managed"}),
        when_absent={name: [] for name in TARGETS},
        compare_as=_COMPARED,
        calls=calls(_PUT, _PUT, _PUT),
        makes_once=True,
        exclusive=(("BucketName",),),
    ),
    source=SOURCE,
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=by_owner,
    find=_find,
)
TYPES = (NOTIFICATIONS,)
