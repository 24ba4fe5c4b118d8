"""AWS::ServiceDiscovery: namespaces of Cloud Map, and the services in them. Their Refs are their ids.

Theory of operation. Cloud Map answers the creation, the change and the deletion of a namespace, and the change of a
service, with the id of an operation, which goes on for up to a minute: Route 53 makes a zone for a namespace with
names. The id is noted, and the act is over when the operation is. A lost creation is found again by our mark.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.together import together
from tenuto.providers.aws.blocks.wire import sent, without_settled
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.types.cloud_control_model import SENT
from tenuto.providers.aws.types.cloud_control_model import sent as digests
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE, _OPERATION, _ANSWERED = "servicediscovery", "operation", "OperationId"
_ATTRIBUTES, _DNS, _CHECK, _CUSTOM = "ServiceAttributes", "DnsConfig", "HealthCheckConfig", "HealthCheckCustomConfig"
_ZONE = "Properties.DnsProperties.HostedZoneId"
_DUPLICATE = "ResourceAlreadyExists"
"""The meaning of the code with which Cloud Map refuses an operation that it carries out already."""
_ASK_AGAIN_S = 2.0
_TAGS = TagCalls(
    service=_SERVICE,
    id_name="ResourceARN",
    named=lambda _, shown: shown["Arn"],
)


def _name(work: Work) -> str:
    return str(work.request.physical_id or work.request.logical_id)


def _noted(work: Work) -> str:
    """The operation that an earlier step of the act began; empty in the first one."""
    return str(work.request.progress.get(_OPERATION) or "")


def _ended(work: Work, operation: str) -> JsonMap | None:
    """An operation that has ended well; None while it goes on. Raises PermanentError for one that has failed."""
    told: JsonMap = work.read(_SERVICE, "GetOperation", OperationId=operation)["Operation"]
    if told.get("Status") == "FAIL":
        reason = told.get("ErrorMessage") or "it does not say why"
        message = f"Cloud Map could not carry out its operation on {_name(work)}: {reason}"
        raise PermanentError(message, code=str(told.get("ErrorCode") or "FAIL"))
    return told if told.get("Status") == "SUCCESS" else None


def _waits(work: Work, operation: str) -> Pending:
    progress = {_OPERATION: operation} if operation else {}
    return Pending(message=f"Cloud Map works on {_name(work)}", delay_s=_ASK_AGAIN_S, progress=progress)


def _begun(work: Work, call: str, **parameters: Json) -> str:
    """The operation that a call begins; empty where Cloud Map does the same already."""
    try:
        return str(work.change(_SERVICE, call, **parameters)[_ANSWERED])
    except ProviderError as error:
        if error.code != _DUPLICATE:
            raise
        return ""


def _awaited(kind: AwsType, update: str, holder: str, names: tuple[str, ...], *, is_whole: bool = False) -> AwsType:
    """A type of which a change ends with its operation. `holder` is the parameter with the changes; a call that
    `is_whole` takes away a property that it is not given."""
    rest = kind.modify
    assert rest is not None

    def modify(work: Work) -> Outcome:
        operation = _noted(work)
        if not operation and any(work.differs(name) for name in names):
            shape = work.client.input_of(_SERVICE, update).members[holder]
            kept = {name: work.seen(name) for name in names if is_whole and not work.wants_none(name)}
            wanted = {
                name: without_settled(shape, value, name, kind.facts.create_only)
                for name, value in {**kept, **work.given(*names)}.items()
            }
            operation = _begun(work, update, Id=work.id, **{holder: sent(shape, wanted, {})})
            if not operation:
                return _waits(work, operation)
        if operation and _ended(work, operation) is None:
            return _waits(work, operation)
        now = {**(work.request.observed or {}), **{name: work.want(name) for name in names}}
        return rest(replace(work, request=replace(work.request, observed=now)))

    return replace(kind, modify=modify)


def _made_by_operation(kind: AwsType) -> AwsType:
    """A type of which the creation answers with an operation, and that tells the id in the end."""

    def create(work: Work) -> Outcome:
        operation = _noted(work) or str(kind.create(work).physical_id)
        told = _ended(work, operation)
        if told is None:
            return _waits(work, operation)
        return Done(physical_id=PhysicalId(str(told["Targets"]["NAMESPACE"])), attributes={SENT: digests(work.request)})

    return replace(kind, create=create)


def _delete(work: Work) -> Outcome:
    operation = _noted(work) or _begun(work, "DeleteNamespace", Id=work.id)
    is_over = bool(operation) and _ended(work, operation) is not None
    return Done(physical_id=work.id) if is_over else _waits(work, operation)


def _namespace(word: str, listed_as: str, *, names: str, alone: str = "Name") -> AwsType:
    """A kind of namespace; `names` are the properties that change, and `alone` those that no two have together."""
    update = f"Update{word}Namespace"
    kind = block(
        f"AWS::ServiceDiscovery::{word}Namespace",
        _SERVICE,
        key="Id",
        # One list shows namespaces of all kinds.
        listed=Listed(operation="ListNamespaces", id="Id", size=100, each=f"[@][?Type=='{listed_as}']"),
        create=f"Create{word}Namespace",
        made=_ANSWERED,
        modify={update: names},
        delete="DeleteNamespace",
        attributes={"Arn": "Arn", "Id": "Id", **({"HostedZoneId": _ZONE} if word != "Http" else {})},
        tags=_TAGS,
        exclusive=[tuple(alone.split())],
        defaults={"Description": ""},
        named_by="",
    )
    awaited = _awaited(_made_by_operation(kind), update, "Namespace", tuple(names.split()))
    return replace(awaited, delete=_delete)


HTTP = _namespace("Http", "HTTP", names="Description")
PRIVATE = _namespace("PrivateDns", "DNS_PRIVATE", names="Description Properties", alone="Name Vpc")
PUBLIC = _namespace("PublicDns", "DNS_PUBLIC", names="Description Properties")


@dataclass(frozen=True, kw_only=True)
class _Attributes(Plain):
    """The attributes of a service, which clients read with its instances."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_ATTRIBUTES})

    @property
    def defaults(self) -> JsonMap:
        return {_ATTRIBUTES: {}}

    def read(self, thing: Thing) -> dict[str, Json]:
        answer = thing.client.read(_SERVICE, "GetServiceAttributes", ServiceId=thing.id)
        return {_ATTRIBUTES: dict(answer["ServiceAttributes"].get("Attributes") or {})}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_ATTRIBUTES):
            return
        wanted, shown = dict(work.want(_ATTRIBUTES) or {}), dict(work.seen(_ATTRIBUTES) or {})
        gone = sorted(shown.keys() - wanted.keys())
        if gone:
            work.change(service, "DeleteServiceAttributes", ServiceId=work.id, Attributes=gone)
        new = {name: text_of(value) for name, value in wanted.items() if text_of(value) != shown.get(name)}
        if new:
            work.change(service, "UpdateServiceAttributes", ServiceId=work.id, Attributes=new)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_ATTRIBUTES: f"{service}:UpdateServiceAttributes"}

    def drops(self, service: str) -> Mapping[str, str]:
        return {_ATTRIBUTES: f"{service}:DeleteServiceAttributes"}


def _records(shown: JsonMap) -> Json:
    """The records of a service, with its namespace, which a declaration may name there."""
    found = shown.get(_DNS)
    return found and {"NamespaceId": shown.get("NamespaceId"), **found}


def _custom(shown: JsonMap) -> Json:
    """Whether a service has checks of one's own. Cloud Map waits for one failure, for any declared number."""
    return None if shown.get(_CUSTOM) is None else {}


_CHANGING = ("Description", _DNS, _CHECK)
_UPDATE = "UpdateService"
SERVICE = _awaited(
    block(
        "AWS::ServiceDiscovery::Service",
        _SERVICE,
        key="Id",
        # The list does not tell the namespace.
        described=Described(call=Call("GetService"), at="Service"),
        named=Named("Name", 127),
        beside=Listed(operation="ListServices", id="Id", size=100),
        create="CreateService",
        made="Service.Id",
        shown={_DNS: _records, _CUSTOM: _custom},
        modify={_UPDATE: " ".join(_CHANGING)},
        delete="DeleteService",
        parts=(_Attributes(),),
        attributes={"Arn": "Arn", "Id": "Id", "Name": "Name"},
        tags=_TAGS,
        exclusive=[("NamespaceId", "Name"), (f"{_DNS}.NamespaceId", "Name")],
        # A change takes the records alone.
        create_only=f"{_DNS}.NamespaceId {_DNS}.RoutingPolicy",
        compare_as={
            f"{_DNS}.DnsRecords": Comparison.SET,
            f"{_CUSTOM}.FailureThreshold": Comparison.SHOWN,
            _ATTRIBUTES: Comparison.KEYED,
        },
        defaults={"Description": "", _CHECK: None},
        named_by="",
    ),
    _UPDATE,
    "Service",
    _CHANGING,
    is_whole=True,
)
TYPES = (*together(HTTP, PRIVATE, PUBLIC), SERVICE)
