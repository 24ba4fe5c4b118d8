"""AWS::Lambda::LayerVersion and AWS::Lambda::LayerVersionPermission.

The Ref of a version is its ARN. The search is by the mark of the request (`lambda_marks`): a layer has versions of
every user who publishes under its name, and each publication makes another one. The deletion is code since the calls
know a version by name and number, and nothing but its ARN is kept of it.

A permission is a statement in the policy of a version, and is code as that of a function is. It never changes.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, JsonMap, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts
from tenuto.providers.aws.types.lambda_marks import Marked, is_marked
from tenuto.providers.aws.types.lambda_names import LAYER
from tenuto.providers.aws.types.lambda_permission import PRINCIPAL, principal_of
from tenuto.providers.aws.types.named import Named

_VERSION, _PERMISSION = TypeName("AWS::Lambda::LayerVersion"), "AWS::Lambda::LayerVersionPermission"
_NAMED = Named("LayerName", 64)
_VERSIONS = Listed(operation="ListLayerVersions", id="LayerVersionArn", size=50).paging("lambda")
_SIGN = "#"
"""Between the version and the statement in the id of a permission."""
_LONGEST = 100


def _about(version: str) -> dict[str, Json]:
    """The name and the number in the ARN of a version."""
    *_, name, number = version.split(":")
    return {"LayerName": name, "VersionNumber": int(number)}


@dataclass(frozen=True, kw_only=True)
class _Layer(Shown):
    """The layer of a version. No property is exclusive: any number of versions share a layer."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_NAMED.property})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_NAMED.property: thing.id.split(":")[-2]}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {_NAMED.property: _NAMED(work.request)}


def _find(work: Work) -> ObservedItem | None:
    """The version with the mark of the request, among those of its layer."""
    listed = faults.unless_gone(lambda: list(work.client.pages(_VERSIONS, LayerName=_NAMED(work.request))))
    marked = [str(one["LayerVersionArn"]) for one in listed or () if is_marked(work.request, one.get("Description"))]
    scope = Scope(names={_VERSION: frozenset(marked)})
    found = _BLOCK.source.read(work.client, scope) if marked else []
    return next((item for _, item in found), None)


def _delete(work: Work) -> Outcome:
    work.change("lambda", "DeleteLayerVersion", **_about(str(work.id)))
    return Done(physical_id=work.id)


_BLOCK = block(
    _VERSION,
    "lambda",
    key="Arn",
    described=Described(call=Call("GetLayerVersionByArn")),
    create="PublishLayerVersion",
    made="LayerVersionArn",
    parts=(Marked(), _Layer()),
    delete="DeleteLayerVersion",
    compare_as={"LayerName": LAYER},
)
LAYER_VERSION = replace(_BLOCK, delete=_delete, find=_find, find_name=None)


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    asked = [str(one) for one in (scope.ids(_PERMISSION) if scope.names is None else scope.named(_PERMISSION))]
    policies = client.each_there(lambda one: _statements(client, one), dict.fromkeys(_key_of(one)[0] for one in asked))
    return list(_asked(asked, policies))


def _key_of(physical_id: str) -> tuple[str, str]:
    version, _, statement = physical_id.rpartition(_SIGN)
    return version, statement


def _statements(client: AccountClient, version: str) -> list[JsonMap]:
    """The statements of the policy of a version. Raises ProviderError; "gone" says that it has none."""
    found = json.loads(str(client.read("lambda", "GetLayerVersionPolicy", **_about(version))["Policy"]))
    statements: list[JsonMap] = found.get("Statement") or []
    return statements


def _asked(asked: Iterable[str], policies: dict[str, list[JsonMap]]) -> Iterator[Seen]:
    for one in asked:
        version, wanted = _key_of(one)
        for statement in policies.get(version, ()):
            if statement.get("Sid") == wanted:
                yield seen(_PERMISSION, one, _properties(version, statement), attributes={"Id": one})


def _properties(version: str, statement: JsonMap) -> dict[str, Json]:
    conditions = [pair for one in (statement.get("Condition") or {}).values() for pair in one.items()]
    return {
        "LayerVersionArn": version,
        "Action": statement.get("Action"),
        "Principal": principal_of(statement),
        "OrganizationId": next((value for key, value in conditions if key.lower() == "aws:principalorgid"), None),
    }


def _id_of(request: Request) -> str:
    return f"{request.properties['LayerVersionArn']}{_SIGN}{generated_name(request, _LONGEST)}"


def _permit(work: Work) -> Outcome:
    one = _id_of(work.request)
    version, statement = _key_of(one)
    given = {**work.given("OrganizationId"), "Action": work.need("Action"), "Principal": work.need("Principal")}
    work.change("lambda", "AddLayerVersionPermission", **_about(version), StatementId=statement, **given)
    return Done(physical_id=PhysicalId(one), attributes={"Id": one})


def _forbid(work: Work) -> Outcome:
    version, statement = _key_of(str(work.id))
    work.change("lambda", "RemoveLayerVersionPermission", **_about(version), StatementId=statement)
    return Done(physical_id=work.id)


def _is_it(request: Request, item: ObservedItem) -> bool:
    return item.physical_id == _id_of(request) and means_same(request.properties, item.properties, _RULES)


_RULES = {"Principal": PRINCIPAL}
_SOURCE = Source(name="lambda.GetLayerVersionPolicy", read=_read, shows_all=False)
LAYER_VERSION_PERMISSION = AwsType(
    facts=facts(
        _PERMISSION,
        _SOURCE,
        calls=calls("lambda:AddLayerVersionPermission", "lambda:RemoveLayerVersionPermission"),
        compare_as=_RULES,
        attributes="Id",
        is_tagged=False,
        is_mutable=False,
    ),
    source=_SOURCE,
    create=_permit,
    delete=_forbid,
    is_found=_is_it,
    find_name=_id_of,
)
TYPES = (LAYER_VERSION, LAYER_VERSION_PERMISSION)
