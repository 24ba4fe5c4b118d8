"""Custom::CDK::LogRetention: the retention of a log group that another program may have made.

Lambda makes the log group of a function when that runs first, so the resource makes the group where there is none, and
takes one that is there as it is. It is no owner of it: its deletion leaves the group with its retention, unless the app
says otherwise, as the function of the CDK does.
"""

from tenuto.errors import ProviderError
from tenuto.model.cdk_types import LOG_RETENTION
from tenuto.model.ids import JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import ResourceType, Watch
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls

_NAME, _DAYS, _REMOVAL = "LogGroupName", "RetentionInDays", "RemovalPolicy"
_FOR_EVER = 0
"""In place of no retention: a group without one keeps everything."""


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    asked = scope.ids(LOG_RETENTION) if scope.names is None else scope.named(LOG_RETENTION)
    found = client.each(lambda name: _group(client, name), [str(one) for one in asked])
    return [_seen(group) for group in found if group is not None]


def _group(client: AccountClient, name: str) -> JsonMap | None:
    """The group of the very name; the call takes the beginning of one, and shows the shortest first."""
    answer = client.read("logs", "DescribeLogGroups", logGroupNamePrefix=name)
    return next((one for one in answer.get("logGroups") or () if one.get("logGroupName") == name), None)


def _seen(group: JsonMap) -> Seen:
    name, days = str(group["logGroupName"]), group.get("retentionInDays") or _FOR_EVER
    return seen(LOG_RETENTION, name, {_NAME: name, _DAYS: days}, attributes={_NAME: name})


def _create(work: Work) -> Outcome:
    name = str(work.need(_NAME))
    try:
        work.change("logs", "CreateLogGroup", logGroupName=name)
    except ProviderError as error:
        if not faults.is_taken(error):
            raise
    return Done(physical_id=PhysicalId(name), attributes={_NAME: name})


def _modify(work: Work) -> Outcome:
    days = int(work.want(_DAYS) or _FOR_EVER)
    if work.differs(_DAYS) and days:
        work.change("logs", "PutRetentionPolicy", logGroupName=work.id, retentionInDays=days)
    elif work.differs(_DAYS):
        work.change("logs", "DeleteRetentionPolicy", logGroupName=work.id)
    return Done(physical_id=work.id)


def _delete(work: Work) -> Outcome:
    if work.want(_REMOVAL) == "destroy":
        work.change("logs", "DeleteLogGroup", logGroupName=work.id)
    return Done(physical_id=work.id)


def _find(work: Work) -> ObservedItem | None:
    """Return the group, of any maker: a creation takes one that is there."""
    group = _group(work.client, str(work.need(_NAME)))
    return None if group is None else _seen(group)[1]


SOURCE = Source(name=LOG_RETENTION, read=_read, shows_all=False)
RETENTION = AwsType(
    facts=ResourceType(
        name=LOG_RETENTION,
        provider="aws",
        source=SOURCE.name,
        watch=Watch.SINGLE,
        create_only=frozenset({_NAME}),
        required=frozenset({_NAME}),
        exclusive=((_NAME,),),
        write_only=frozenset({_REMOVAL}),
        attributes=frozenset({_NAME}),
        when_absent={_DAYS: _FOR_EVER},
        calls=calls(
            "logs:CreateLogGroup",
            "logs:DeleteLogGroup",
            changes={_DAYS: "logs:PutRetentionPolicy"},
        ),
        makes_once=True,
    ),
    source=SOURCE,
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=by_owner,
    find=_find,
)
TYPES = (RETENTION,)
