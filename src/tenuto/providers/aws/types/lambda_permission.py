"""AWS::Lambda::Permission: a statement in the policy of a function. Its Ref is the id of the statement.

It is code, since the policy of a function shows all of its statements at once: a sweep reads it once for each function,
however many permissions there are. A statement never changes.
"""

import json
from collections.abc import Iterable, Iterator

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import Rule
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, flag
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts
from tenuto.providers.aws.types.lambda_names import QUALIFIED_FUNCTION, function_of

NAME = "AWS::Lambda::Permission"
_LONGEST = 100
_CONDITIONS = {
    "aws:sourcearn": "SourceArn",
    "aws:sourceaccount": "SourceAccount",
    "aws:principalorgid": "PrincipalOrgID",
    "lambda:eventsourcetoken": "EventSourceToken",
    "lambda:functionurlauthtype": "FunctionUrlAuthType",
    "lambda:invokedviafunctionurl": "InvokedViaFunctionUrl",
}
"""The keys of conditions, in small letters, by which Lambda keeps the properties of a permission."""
PRINCIPAL = POLICY
"""The comparison of a principal: an account may be declared by its id, or by the ARN of its root."""
_RULES: dict[str, Rule] = {"FunctionName": QUALIFIED_FUNCTION, "Principal": PRINCIPAL}


def _key_of(physical_id: str) -> tuple[str, str]:
    """The function, perhaps with a qualifier, and the statement of a physical id."""
    function, _, statement = physical_id.rpartition(ID)
    return function, statement


def _statements(client: AccountClient, function: str) -> list[JsonMap]:
    """The statements of the policy of a function. Raises ProviderError; "gone" says that it has none."""
    found = json.loads(str(client.read("lambda", "GetPolicy", **function_of(function))["Policy"]))
    statements: list[JsonMap] = found.get("Statement") or []
    return statements


def principal_of(statement: JsonMap) -> Json:
    """The principal as it is declared. One that is an account is kept as the ARN of its root."""
    principal = statement.get("Principal")
    if isinstance(principal, dict):
        principal = principal.get("Service") or principal.get("AWS")
    told = str(principal or "")
    return told.split(":")[4] if told.startswith("arn:") and told.endswith(":root") else principal


def _properties(function: str, statement: JsonMap) -> dict[str, Json]:
    shown: dict[str, Json] = {
        "FunctionName": function,
        "Action": statement.get("Action"),
        "Principal": principal_of(statement),
    }
    for condition in (statement.get("Condition") or {}).values():
        shown |= {_CONDITIONS[key.lower()]: value for key, value in condition.items() if key.lower() in _CONDITIONS}
    if "InvokedViaFunctionUrl" in shown:
        shown["InvokedViaFunctionUrl"] = flag(shown["InvokedViaFunctionUrl"])
    return shown


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    asked = [str(one) for one in (scope.ids(NAME) if scope.names is None else scope.named(NAME))]
    functions = dict.fromkeys(_key_of(one)[0] for one in asked)
    policies = client.each_there(lambda one: _statements(client, one), functions)
    return list(_asked(asked, policies))


def _asked(asked: Iterable[str], policies: dict[str, list[JsonMap]]) -> Iterator[Seen]:
    for one in asked:
        function, wanted = _key_of(one)
        for statement in policies.get(function, ()):
            if statement.get("Sid") == wanted:
                yield seen(NAME, one, _properties(function, statement), attributes={"Id": wanted, "Ref": wanted})


def _id_of(request: Request) -> str:
    return f"{request.properties['FunctionName']}{ID}{generated_name(request, _LONGEST)}"


def _create(work: Work) -> Outcome:
    one = _id_of(work.request)
    function, statement = _key_of(one)
    given = {
        name: value for name, value in work.request.properties.items() if name != "FunctionName" and value is not None
    }
    work.change("lambda", "AddPermission", **function_of(function), StatementId=statement, **given)
    return Done(physical_id=PhysicalId(one), attributes={"Id": statement, "Ref": statement})


def _delete(work: Work) -> Outcome:
    function, statement = _key_of(str(work.id))
    work.change("lambda", "RemovePermission", **function_of(function), StatementId=statement)
    return Done(physical_id=work.id)


def _is_it(request: Request, item: ObservedItem) -> bool:
    return item.physical_id == _id_of(request) and means_same(request.properties, item.properties, _RULES)


SOURCE = Source(name="lambda.GetPolicy", read=_read, shows_all=False)
PERMISSION = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        calls=calls("lambda:AddPermission", "lambda:RemovePermission"),
        compare_as=_RULES,
        attributes="Id",
        ref_attribute="Id",
        is_tagged=False,
        is_mutable=False,
    ),
    source=SOURCE,
    create=_create,
    delete=_delete,
    is_found=_is_it,
    find_name=_id_of,
    known_as=lambda work, sid: f"{work.request.properties['FunctionName']}{ID}{sid.rpartition(ID)[2]}",
)
TYPES = (PERMISSION,)
