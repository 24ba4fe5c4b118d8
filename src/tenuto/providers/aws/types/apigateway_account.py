"""AWS::ApiGateway::Account: the role by which API Gateway writes logs, one for each account and region.

It is a setting and no thing: it is there before anybody declares it, so it cannot be made twice, and its physical id is
the region. Its deletion leaves the role in place, as that of CloudFormation does: other APIs of the account may log by
it.
"""

from tenuto.model.ids import PhysicalId
from tenuto.model.outcome import Done, Outcome
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts

_NAME = "AWS::ApiGateway::Account"
_ROLE = "CloudWatchRoleArn"
_UPDATE = "apigateway:UpdateAccount"


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    region = client.partition.region
    if not (scope.ids(_NAME) if scope.names is None else scope.named(_NAME)):
        return []
    role = client.read("apigateway", "GetAccount").get("cloudwatchRoleArn")
    return [seen(_NAME, region, {_ROLE: role or None}, attributes={"Id": region})]


def _set(work: Work) -> Outcome:
    if work.differs(_ROLE):
        operation = {"op": "replace", "path": "/cloudwatchRoleArn", "value": work.want(_ROLE)}
        work.change("apigateway", "UpdateAccount", patchOperations=[operation])
    region = work.client.partition.region
    return Done(physical_id=PhysicalId(region), attributes={"Id": region})


def _leave(work: Work) -> Outcome:
    return Done(physical_id=work.id)


SOURCE = Source(name=_NAME, read=_read, shows_all=False)
ACCOUNT = AwsType(
    facts=facts(_NAME, SOURCE, calls=calls(_UPDATE, "", _UPDATE), exclusive=[()], is_tagged=False),
    source=SOURCE,
    create=_set,
    modify=_set,
    delete=_leave,
    is_found=lambda _, __: True,
    find_name=lambda _: _NAME,
)
TYPES = (ACCOUNT,)
