"""AWS::Logs::LogGroup. Its Ref is its name."""

from tenuto.errors import PermanentError
from tenuto.model.ids import JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.pages import Paging
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

NAME = "AWS::Logs::LogGroup"
_NAMED = Named("LogGroupName", 512)
_GROUPS = Paging(
    service="logs",
    operation="DescribeLogGroups",
    members="logGroups",
    token_in="nextToken",
    token_out="nextToken",
    size_name="limit",
    page_size=50,
)
_TAGS = TagCalls(
    service="logs",
    list_call="ListTagsForResource",
    put_call="TagResource",
    remove_call="UntagResource",
    id_name="resourceArn",
    identify=lambda work: _taggable(_arn(work)),
    listed_as="tags",
    given_as="tags",
    keys_as="tagKeys",
    is_mapping=True,
)


def _taggable(arn: str) -> str:
    """The ARN that tag calls take: without the `:*` that stands for the streams."""
    return arn.removesuffix(":*")


def _arn(work: Work) -> str:
    """Return the ARN as the last sweep showed it; a group that was not swept yet is asked for."""
    known = work.request.attributes.get("Arn")
    if known:
        return str(known)
    for group in _one(work.client, str(work.id)):
        return str(group["arn"])
    raise PermanentError(f"There is no log group {work.id}.", code="ResourceNotFoundException")


def _one(client: AccountClient, name: str) -> list[JsonMap]:
    """The group of this very name, if there is one: lists go by prefix."""
    return [one for one in client.pages(_GROUPS, logGroupNamePrefix=name) if one["logGroupName"] == name]


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    if scope.names is not None:
        named = {name: one for name in scope.named(NAME) for one in _one(client, name)}
        tags = client.each_there(lambda name: _TAGS.read(client, _taggable(named[name]["arn"])), named)
        return [_seen(named[name], found) for name, found in tags.items()]
    groups = {str(one["logGroupName"]): one for one in client.pages(_GROUPS)}
    details = scope.details(client, NAME, groups, _TAGS.details(client, lambda name: _taggable(groups[name]["arn"])))
    return [
        _seen(one, details.get(name, {}).get("Tags") or [])
        for name, one in groups.items()
        if name in details or not scope.is_tracked(NAME, name)
    ]


def _seen(group: JsonMap, tags: list[JsonMap]) -> Seen:
    return seen(
        NAME,
        group["logGroupName"],
        {
            "DeletionProtectionEnabled": group.get("deletionProtectionEnabled"),
            "KmsKeyId": group.get("kmsKeyId"),
            "LogGroupClass": group.get("logGroupClass"),
            "LogGroupName": group["logGroupName"],
            "RetentionInDays": group.get("retentionInDays"),
        },
        attributes={"Arn": f"{_taggable(group['arn'])}:*"},
        tags=tags,
    )


def _create(work: Work) -> Outcome:
    name = _NAMED(work.request)
    given = work.given("KmsKeyId", "LogGroupClass")
    renamed = {"KmsKeyId": "kmsKeyId", "LogGroupClass": "logGroupClass"}
    work.change(
        "logs",
        "CreateLogGroup",
        logGroupName=name,
        **{renamed[key]: value for key, value in given.items()},
        **_TAGS.at_birth(work),
    )
    return Done(physical_id=PhysicalId(name))


def _modify(work: Work) -> Outcome:
    if work.differs("RetentionInDays"):
        days = work.want("RetentionInDays")
        work.change("logs", "PutRetentionPolicy", logGroupName=work.id, retentionInDays=days)
    if work.differs("KmsKeyId"):
        work.change("logs", "AssociateKmsKey", logGroupName=work.id, kmsKeyId=work.want("KmsKeyId"))
    if work.differs("DeletionProtectionEnabled"):
        work.change(
            "logs",
            "PutLogGroupDeletionProtection",
            logGroupIdentifier=work.id,
            deletionProtectionEnabled=work.want("DeletionProtectionEnabled"),
        )
    _TAGS.repair(work)
    return Done(physical_id=work.id)


def _delete(work: Work) -> Outcome:
    work.change("logs", "DeleteLogGroup", logGroupName=work.id)
    return Done(physical_id=work.id)


SOURCE = Source(name="logs.DescribeLogGroups", read=_read)

LOG_GROUP = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        calls=calls(
            "logs:CreateLogGroup",
            "logs:DeleteLogGroup",
            "logs:PutRetentionPolicy",
            settings={"RetentionInDays": None},
            tags="logs:TagResource logs:UntagResource",
        ),
        create_only="LogGroupClass",
        costly=["Tags"],
        compare_as={
            "DeletionProtectionEnabled": Comparison.SHOWN,
            "KmsKeyId": KMS_KEY,
            "LogGroupClass": Comparison.SHOWN,
        },
        exclusive=[("LogGroupName",)],
        named_by="LogGroupName",
        named_attributes="Arn",
        bears_data=True,
    ),
    source=SOURCE,
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=by_owner,
    find_name=_NAMED,
    marks=_TAGS.marks,
    unsupported=frozenset(
        {
            "BearerTokenAuthenticationEnabled",
            "DataProtectionPolicy",
            "FieldIndexPolicies",
            "ResourcePolicyDocument",
        }
    ),
)
