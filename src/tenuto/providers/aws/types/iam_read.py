"""Roles, instance profiles and policies as a sweep shows them, from three bulk lists whatever their number.

GetAccountAuthorizationDetails shows roles with their policies and tags, but neither description nor session length,
which ListRoles shows. A role's inline policies and attachments are shown without those that are resources of their
own.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from tenuto.model.ids import Json, JsonMap, PhysicalId, TypeName
from tenuto.model.observation import Interest
from tenuto.providers.aws.client import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import read_tags
from tenuto.providers.aws.client.pages import iam
from tenuto.providers.aws.kind import Scope, Seen
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types import iam_placed
from tenuto.providers.aws.types.iam_attached import POLICY_TAGS, attached_to, marked

ROLE = "AWS::IAM::Role"
PROFILE = "AWS::IAM::InstanceProfile"
ROLE_POLICY = "AWS::IAM::RolePolicy"
MANAGED_POLICY = TypeName("AWS::IAM::ManagedPolicy")
_MARKS = f"{MANAGED_POLICY} marks"
"""The name of the details that are the marks of policies."""
_DETAILS = iam("GetAccountAuthorizationDetails", "RoleDetailList")
_POLICIES = iam("GetAccountAuthorizationDetails", "Policies")
_ROLES = iam("ListRoles", "Roles")
POLICY_ATTRIBUTES = (
    *("AttachmentCount", "CreateDate", "DefaultVersionId", "IsAttachable"),
    *("PermissionsBoundaryUsageCount", "PolicyId", "UpdateDate"),
)
"""The attributes that `Fn::GetAtt` reads of a managed policy beside its ARN, as IAM calls it."""
_SERVICE_LINKED = "/aws-service-role/"
"""The path of the roles that services of AWS keep for themselves; IAM takes it from no other caller."""
_PROFILES = iam("ListInstanceProfiles", "InstanceProfiles")


def read(client: AccountClient, scope: Scope) -> list[Seen]:
    """Read all roles, policies and profiles, in bulk."""
    listed = {role["RoleName"]: role for role in client.pages(_ROLES)}
    found: list[Seen] = []
    roles = list(client.pages(_DETAILS, Filter=["Role"]))
    policies = list(client.pages(_POLICIES, Filter=["LocalManagedPolicy"]))
    holders = _holders(roles)
    theirs, hidden = _attached_by_policies(client, policies, holders, scope)
    placed = iam_placed.tracked(scope)
    for detail in roles:
        _is_judged(client, detail, hidden)
        role = {**detail, **_only(listed.get(detail["RoleName"], {}), "Description", "MaxSessionDuration")}
        inline = detail.get("RolePolicyList") or ()
        mine = [
            one
            for one in inline
            if not scope.is_own(ROLE_POLICY, role_policy_id(role, one))
            and not iam_placed.is_placed(scope, placed, role["RoleName"], one["PolicyName"])
        ]
        attached = [one["PolicyArn"] for one in detail.get("AttachedManagedPolicies") or ()]
        found.append(seen_role(role, mine, [arn for arn in attached if (arn, role["RoleName"]) not in theirs]))
        found += [seen_role_policy(role, one) for one in inline]
    found += [seen_profile(profile) for profile in client.pages(_PROFILES)]
    details = scope.details(
        client,
        MANAGED_POLICY,
        [policy["Arn"] for policy in policies],
        lambda asked: client.each_there(lambda arn: attached_to(client, arn), asked),
    )
    found += [
        _seen_managed(policy, holders.get(policy["Arn"], ()), details.get(policy["Arn"], {})) for policy in policies
    ]
    found += iam_placed.swept(client, scope, roles)
    unread = client.unread or {}
    return [
        (name, item) for name, item in found if name not in (ROLE, MANAGED_POLICY) or item.physical_id not in unread
    ]


def _is_judged(client: AccountClient, role: JsonMap, hidden: Mapping[str, str]) -> None:
    """Note a role whose attachment may be declared by a policy of which the marks may not be read."""
    arn = next(
        (one["PolicyArn"] for one in role.get("AttachedManagedPolicies") or () if one["PolicyArn"] in hidden), ""
    )
    if arn and client.unread is not None:
        client.unread[role["RoleName"]] = f"whether {arn} is attached by itself is not known: {hidden[arn]}"


def _attached_by_policies(
    client: AccountClient, policies: Sequence[JsonMap], holders: Mapping[str, Sequence[str]], scope: Scope
) -> tuple[frozenset[tuple[str, str]], Mapping[str, str]]:
    """Return the policy and role of every attachment that a tracked policy declares, as the policy's own marks say; and
    the policies of which the marks may not be read.

    Marks cost a call for each policy, and only the policy's own work changes them. So they are read where the policy is
    attached to a role that it was not attached to at the last reading, and after our own change of it. A mark is put
    before its attachment, so it is read whenever the attachment is seen.
    """
    shown = scope.tracked.get(MANAGED_POLICY, {})
    own = [policy["Arn"] for policy in policies if scope.is_own(MANAGED_POLICY, policy["Arn"])]
    asked = {
        PhysicalId(arn): Interest(
            names=frozenset(holders[arn]),
            since=shown[PhysicalId(arn)].since if arn in shown else client.clock.now(),
        )
        for arn in own
        if arn in holders
    }
    marks = client.details.get(_MARKS, asked, asked, lambda due: client.each_there(partial(_marked_roles, client), due))
    theirs = frozenset((arn, name) for arn, found in marks.items() for name in found["Roles"])
    return theirs, {arn: client.unread[arn] for arn in asked if client.unread and arn in client.unread}


def _holders(roles: Sequence[JsonMap]) -> dict[str, list[str]]:
    """The names of the roles that each policy is attached to, in order."""
    found: dict[str, list[str]] = {}
    for role in roles:
        for one in role.get("AttachedManagedPolicies") or ():
            found.setdefault(one["PolicyArn"], []).append(role["RoleName"])
    return {arn: sorted(names) for arn, names in found.items()}


def _marked_roles(client: AccountClient, arn: str) -> JsonMap:
    """The roles that a policy marks as attached by itself."""
    keys = (str(tag["Key"]) for tag in client.pages(POLICY_TAGS, PolicyArn=arn))
    return {"Roles": [name for kind, name in marked(keys) if kind == "role"]}


def _only(values: Mapping[str, Json], *names: str) -> dict[str, Json]:
    return {name: values[name] for name in names if values.get(name) is not None}


def seen_role(role: JsonMap, inline: Sequence[JsonMap], attached: Sequence[str]) -> Seen:
    """A role with its own inline policies and attachments."""
    boundary = role.get("PermissionsBoundary") or {}
    return seen(
        ROLE,
        role["RoleName"],
        {
            "RoleName": role["RoleName"],
            "Path": role.get("Path"),
            "AssumeRolePolicyDocument": document(role.get("AssumeRolePolicyDocument")),
            "Description": role.get("Description"),
            "MaxSessionDuration": role.get("MaxSessionDuration"),
            "PermissionsBoundary": boundary.get("PermissionsBoundaryArn"),
            "ManagedPolicyArns": sorted(attached),
            "Policies": [
                {"PolicyName": one["PolicyName"], "PolicyDocument": document(one["PolicyDocument"])} for one in inline
            ],
        },
        attributes={"Arn": role.get("Arn"), "RoleId": role.get("RoleId")},
        tags=role.get("Tags") or (),
        undeclarable="it is a service-linked role, which an AWS service makes and deletes"
        if str(role.get("Path")).startswith(_SERVICE_LINKED)
        else "",
    )


def role_policy_id(role: JsonMap, policy: JsonMap) -> str:
    """The physical id of an inline policy that is a resource of its own."""
    return f"{policy['PolicyName']}|{role['RoleName']}"


def seen_role_policy(role: JsonMap, policy: JsonMap) -> Seen:
    properties = {
        "RoleName": role["RoleName"],
        "PolicyName": policy["PolicyName"],
        "PolicyDocument": document(policy["PolicyDocument"]),
    }
    return seen(ROLE_POLICY, role_policy_id(role, policy), properties)


def seen_profile(profile: JsonMap) -> Seen:
    name = profile["InstanceProfileName"]
    return seen(
        PROFILE,
        name,
        {
            "InstanceProfileName": name,
            "Path": profile.get("Path"),
            "Roles": [role["RoleName"] for role in profile.get("Roles") or ()],
        },
        attributes={"Arn": profile.get("Arn")},
        owner=read_tags(profile.get("Tags")).owner,
    )


def _seen_managed(policy: JsonMap, roles: Sequence[str], attached: JsonMap) -> Seen:
    versions = policy.get("PolicyVersionList") or ()
    default: JsonMap = next((one for one in versions if one.get("IsDefaultVersion")), {})
    arn = policy["Arn"]
    return seen(
        MANAGED_POLICY,
        arn,
        {
            "ManagedPolicyName": str(arn).rsplit("/", 1)[-1],
            "Path": policy.get("Path"),
            "Description": policy.get("Description"),
            "PolicyDocument": document(default.get("Document")),
            "Roles": list(roles),
            **{name: attached[name] for name in ("Groups", "Users") if name in attached},
        },
        attributes={"PolicyArn": arn} | {name: _text(policy.get(name)) for name in POLICY_ATTRIBUTES},
    )


def _text(value: Json) -> Json:
    return value.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(value, datetime) else value


def document(value: Json) -> Json:
    """A policy document as a mapping; botocore unpacks most of them, not all."""
    return json.loads(value) if isinstance(value, str) else value


def read_role(client: AccountClient, name: str) -> Seen | None:
    """One role, looked up by name."""
    return faults.unless_gone(lambda: seen_role(client.read("iam", "GetRole", RoleName=name)["Role"], (), ()))


def read_profile(client: AccountClient, name: str) -> Seen | None:
    """One instance profile, looked up by name; only this call shows its tags."""
    found = faults.unless_gone(lambda: client.read("iam", "GetInstanceProfile", InstanceProfileName=name))
    return None if found is None else seen_profile(found["InstanceProfile"])
