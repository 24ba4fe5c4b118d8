"""AWS::IAM::Role."""

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.answers.pages import iam
from tenuto.providers.aws.client.owner import birth_tags, tag_change
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import AwsType, Work, texts
from tenuto.providers.aws.question import by_name
from tenuto.providers.aws.types import iam_read
from tenuto.providers.aws.types.facts import calls, facts, member
from tenuto.providers.aws.types.iam_marks import iam_marks
from tenuto.providers.aws.types.iam_source import SOURCE, is_found_by
from tenuto.providers.aws.types.named import Named

_NAMED = Named("RoleName", 64)
_INLINE = iam("ListRolePolicies", "PolicyNames")
_ATTACHED = iam("ListAttachedRolePolicies", "AttachedPolicies")
_PROFILES = iam("ListInstanceProfilesForRole", "InstanceProfiles")


def _create(work: Work) -> Outcome:
    name = PhysicalId(_NAMED(work.request))
    made = work.change(
        "iam",
        "CreateRole",
        RoleName=name,
        AssumeRolePolicyDocument=text_of(work.need("AssumeRolePolicyDocument")),
        **work.given("Description", "MaxSessionDuration", "Path", "PermissionsBoundary"),
        Tags=birth_tags(work.request),
    )["Role"]
    return Done(physical_id=name, attributes={"Arn": made["Arn"], "RoleId": made["RoleId"]})


def _modify(work: Work) -> Outcome:
    name = work.id
    if work.differs("AssumeRolePolicyDocument"):
        text = text_of(work.want("AssumeRolePolicyDocument"))
        work.change("iam", "UpdateAssumeRolePolicy", RoleName=name, PolicyDocument=text)
    if work.differs("Description") or work.differs("MaxSessionDuration"):
        work.change("iam", "UpdateRole", RoleName=name, **work.given("Description", "MaxSessionDuration"))
    if work.differs("PermissionsBoundary"):
        boundary = work.want("PermissionsBoundary")
        if boundary is None:
            work.change("iam", "DeleteRolePermissionsBoundary", RoleName=name)
        else:
            work.change("iam", "PutRolePermissionsBoundary", RoleName=name, PermissionsBoundary=boundary)
    if work.differs("ManagedPolicyArns"):
        _attach(work, name, texts(work.want("ManagedPolicyArns")), texts(work.seen("ManagedPolicyArns")))
    if work.differs("Policies"):
        _put_policies(work, name, list(work.want("Policies")), list(work.seen("Policies") or ()))
    _repair_tags(work, name)
    return Done(physical_id=name)


def _attach(work: Work, name: str, wanted: list[str], present: list[str]) -> None:
    """Attach new policies first: permissions that stay are never missing."""
    for arn in sorted(set(wanted) - set(present)):
        work.change("iam", "AttachRolePolicy", RoleName=name, PolicyArn=arn)
    for arn in sorted(set(present) - set(wanted)):
        work.change("iam", "DetachRolePolicy", RoleName=name, PolicyArn=arn)


def _put_policies(work: Work, name: str, wanted: list[JsonMap], present: list[JsonMap]) -> None:
    comparison = {"PolicyDocument": POLICY}
    for one in wanted:
        if not any(means_same(one, other, comparison) for other in present):
            text = text_of(one["PolicyDocument"])
            work.change("iam", "PutRolePolicy", RoleName=name, PolicyName=one["PolicyName"], PolicyDocument=text)
    names = {str(one["PolicyName"]) for one in wanted}
    for other in present:
        if other["PolicyName"] not in names:
            work.change("iam", "DeleteRolePolicy", RoleName=name, PolicyName=other["PolicyName"])


def _repair_tags(work: Work, name: str) -> None:
    change = tag_change(work.request.properties, work.seen("Tags"))
    if change.put:
        work.change("iam", "TagRole", RoleName=name, Tags=[{"Key": key, "Value": value} for key, value in change.put])
    if change.remove:
        work.change("iam", "UntagRole", RoleName=name, TagKeys=list(change.remove))


def _delete(work: Work) -> Outcome:
    """A role goes only when nothing hangs on it: its policies, attachments and places in instance profiles go first."""
    name = work.id
    for profile in work.client.pages(_PROFILES, RoleName=name):
        profile_name = profile["InstanceProfileName"]
        work.let_go("iam", "RemoveRoleFromInstanceProfile", InstanceProfileName=profile_name, RoleName=name)
    for policy in work.client.pages(_ATTACHED, RoleName=name):
        work.let_go("iam", "DetachRolePolicy", RoleName=name, PolicyArn=policy["PolicyArn"])
    for policy_name in work.client.pages(_INLINE, RoleName=name):
        work.let_go("iam", "DeleteRolePolicy", RoleName=name, PolicyName=policy_name)
    work.change("iam", "DeleteRole", RoleName=name)
    return Done(physical_id=work.id)


ROLE = AwsType(
    facts=facts(
        iam_read.ROLE,
        SOURCE,
        calls=calls(
            "iam:CreateRole",
            "iam:DeleteRole",
            "iam:UpdateRole",
            changes={
                "AssumeRolePolicyDocument": "iam:UpdateAssumeRolePolicy",
                "PermissionsBoundary": "iam:PutRolePermissionsBoundary",
            },
            drops={"PermissionsBoundary": "iam:DeleteRolePermissionsBoundary"},
            members={
                "ManagedPolicyArns": member("iam:AttachRolePolicy", "iam:DetachRolePolicy", "iam:DetachRolePolicy"),
                "Policies": member(
                    "iam:PutRolePolicy", "iam:DeleteRolePolicy", "iam:DeleteRolePolicy", key="PolicyName"
                ),
            },
            tags="iam:TagRole iam:UntagRole",
        ),
        compare_as={
            "AssumeRolePolicyDocument": POLICY,
            "ManagedPolicyArns": Comparison.SET,
            "Policies": Comparison.SET,
            "Policies.PolicyDocument": POLICY,
        },
        defaults={
            "Description": "",
            "ManagedPolicyArns": [],
            "MaxSessionDuration": 3600,
            "PermissionsBoundary": None,
            "Policies": [],
        },
        exclusive=[("RoleName",)],
        named_by="RoleName",
        named_attributes="Arn",
        named_with="Path",
    ),
    source=SOURCE,
    question=by_name("iam", "GetRole", "RoleName", "Role"),
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=is_found_by(_NAMED),
    find_name=_NAMED,
    marks=iam_marks("Role", "RoleName"),
)
TYPES = (ROLE,)
