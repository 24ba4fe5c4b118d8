"""AWS::ApiGateway::Account: the role by which API Gateway writes logs, one for each account and region.

It is a setting and no thing: it is there before any composition declares it. Its deletion leaves the role in place, as
that of CloudFormation does: other APIs of the account may log by it.

Many compositions declare it, each with a role of its own, and the last that is made is the one in use; any of them
serves all. So each is known by its own role, and is as declared while some role is in use that stands. Otherwise two
processes would set it back from each other without end. When the role in use goes, it is a drift of all that are left,
and the first of them puts its own in place.
"""

from dataclasses import replace

from tenuto.errors import PermanentError
from tenuto.model.ids import PhysicalId
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.providers.aws.client.answers.faults import is_gone
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, declared
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts

_NAME = "AWS::ApiGateway::Account"
_ROLE = "CloudWatchRoleArn"
_UPDATE = "apigateway:UpdateAccount"
_LONGEST = 64


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    asked = [str(one) for one in (scope.ids(_NAME) if scope.names is None else scope.named(_NAME))]
    if not asked:
        return []
    role = client.read("apigateway", "GetAccount").get("cloudwatchRoleArn") or None
    serves = bool(role) and (asked == [role] or _stands(client, str(role)))
    return [
        seen(_NAME, one, {_ROLE: one if serves and _is_role(one) else role})
        for one in asked
        if serves or scope.names is None
    ]


def _stands(client: AccountClient, role: str) -> bool:
    """Whether a role is there. One that may not be read, or is another account's, is taken to be."""
    try:
        client.read("iam", "GetRole", RoleName=role.rpartition("/")[2])
    except PermanentError as error:
        return not is_gone(error)
    return True


def _is_role(physical_id: str) -> bool:
    """Whether it is known by its role. One that declares none, and one of before, is known by the region."""
    return physical_id.startswith("arn:")


def _id_of(request: Request, region: str) -> str:
    return str(request.properties.get(_ROLE) or region)


def _create(work: Work) -> Outcome:
    return replace(_set(work), attributes=dict.fromkeys(("Id", "Ref"), generated_name(work.request, _LONGEST)))


def _set(work: Work) -> Done:
    if work.differs(_ROLE):
        operation = {"op": "replace", "path": "/cloudwatchRoleArn", "value": work.want(_ROLE)}
        work.change("apigateway", "UpdateAccount", patchOperations=[operation])
    # An update keeps the name, as it does in CloudFormation.
    return Done(physical_id=PhysicalId(_id_of(work.request, work.client.partition.region)))


def _leave(work: Work) -> Outcome:
    return Done(physical_id=work.id)


SOURCE = Source(name=_NAME, read=_read, shows_all=False)


def _sought(request: Request) -> str:
    return str(request.properties.get(_ROLE) or _NAME)


ACCOUNT = AwsType(
    facts=facts(
        _NAME,
        SOURCE,
        calls=calls(_UPDATE, "", _UPDATE),
        exclusive=[()],
        attributes="Id Ref",
        ref_attribute="Ref",
        is_tagged=False,
    ),
    source=SOURCE,
    create=_create,
    modify=_set,
    delete=_leave,
    is_found=lambda request, item: item.physical_id == request.properties.get(_ROLE),
    find_name=_sought,
    known_as=declared(_sought),
)
TYPES = (ACCOUNT,)
