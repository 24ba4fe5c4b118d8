"""Roles, instance profiles and policies as a sweep shows them, from three bulk lists for any number of them.

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
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import iam
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import read_tags
from tenuto.providers.aws.kind import Scope, Seen
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types import iam_placed
from tenuto.providers.aws.types.iam_attached import POLICY_TAGS, attached_to, marked
from tenuto.providers.aws.types.iam_placed import Principal

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
    attached = _attached(client, policies, roles, scope)
    marks, hidden = _marks_of_policies(client, attached, scope)
    placed = iam_placed.tracked(scope)
    for detail in roles:
        _is_judged(client, detail, hidden)
        role = {**detail, **_only(listed.get(detail["RoleName"], {}), "Description", "MaxSessionDuration")}
        inline = detail.get("RolePolicyList") or ()
        mine = [
            one
            for one in inline
            if not scope.is_own(ROLE_POLICY, role_policy_id(role, one))
            and not iam_placed.is_placed(placed, ("role", role["RoleName"]), one["PolicyName"])
        ]
        held = [one["PolicyArn"] for one in detail.get("AttachedManagedPolicies") or ()]
        theirs = {arn for arn in held if ("role", role["RoleName"]) in marks.get(arn, ())}
        found.append(seen_role(role, mine, [arn for arn in held if arn not in theirs], lent=sorted(theirs)))
        found += [seen_role_policy(role, one) for one in inline]
    found += [seen_profile(profile) for profile in client.pages(_PROFILES)]
    found += [
        _seen_managed(policy, shown, _own_attachments(shown, marks.get(policy["Arn"]), scope))
        for policy, shown in ((policy, attached[policy["Arn"]]) for policy in policies)
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
        if arn in client.denied:
            client.denied.add(role["RoleName"])


def _attached(
    client: AccountClient, policies: Sequence[JsonMap], roles: Sequence[JsonMap], scope: Scope
) -> dict[str, dict[str, list[str]]]:
    """The principals of each policy by the names of the properties: its roles, and where it declares them its users and
    groups, which cost a call."""
    holders = _holders(roles)
    details = scope.details(
        client,
        MANAGED_POLICY,
        [policy["Arn"] for policy in policies],
        lambda asked: client.each_there(lambda arn: attached_to(client, arn), asked),
    )
    arns = [str(policy["Arn"]) for policy in policies]
    return {arn: {**details.get(PhysicalId(arn), {}), "Roles": holders.get(arn, [])} for arn in arns}


def _own_attachments(
    shown: Mapping[str, Sequence[str]], marks: frozenset[Principal] | None, scope: Scope
) -> dict[str, list[str]]:
    """The principals of a policy without those that declare it: they are resources, and it does not mark them. Of a
    policy that carries no owner's mark, all are shown: it has no owner, or is about to be adopted."""
    if marks is None:
        return {name: list(names) for name, names in shown.items()}
    return {
        f"{word}s": [
            one for one in shown[f"{word}s"] if (kind, one) in marks or not scope.is_own(f"AWS::IAM::{word}", one)
        ]
        for kind, word in iam_placed.KINDS.items()
        if f"{word}s" in shown
    }


def _marks_of_policies(
    client: AccountClient, attached: Mapping[str, Mapping[str, Sequence[str]]], scope: Scope
) -> tuple[Mapping[str, frozenset[Principal]], Mapping[str, str]]:
    """Return the principals that each tracked policy with a mark of its owner marks as attached by itself; and the
    policies of which the marks may not be read.

    Marks cost a call for each policy, and only the policy's own work changes them. So those of an attached policy are
    read once, and again after our own change of it, or when it is attached to another principal. A mark is put before
    its attachment, so it is read whenever the attachment is seen.
    """
    tracked = scope.tracked.get(MANAGED_POLICY, {})
    own = {
        PhysicalId(arn): frozenset(one for names in shown.values() for one in names)
        for arn, shown in attached.items()
        if scope.is_own(MANAGED_POLICY, arn)
    }
    asked = {
        arn: Interest(names=names, since=tracked[arn].since if arn in tracked else client.clock.now())
        for arn, names in own.items()
        if names
    }
    read = client.details.get(_MARKS, asked, asked, lambda due: client.each_there(partial(_marked, client), due))
    marks = {str(arn): frozenset(found["Principals"]) for arn, found in read.items() if found["is_owned"]}
    return marks, {arn: client.unread[arn] for arn in asked if client.unread and arn in client.unread}


def _holders(roles: Sequence[JsonMap]) -> dict[str, list[str]]:
    """The names of the roles that each policy is attached to, in order."""
    found: dict[str, list[str]] = {}
    for role in roles:
        for one in role.get("AttachedManagedPolicies") or ():
            found.setdefault(one["PolicyArn"], []).append(role["RoleName"])
    return {arn: sorted(names) for arn, names in found.items()}


def _marked(client: AccountClient, arn: str) -> JsonMap:
    """The principals that a policy marks as attached by itself, and whether it carries the mark of an owner."""
    tags = list(client.pages(POLICY_TAGS, PolicyArn=arn))
    own = list(marked(str(tag["Key"]) for tag in tags))
    return {"Principals": own, "is_owned": read_tags(tags).owner is not None}


def _only(values: Mapping[str, Json], *names: str) -> dict[str, Json]:
    return {name: values[name] for name in names if values.get(name) is not None}


def seen_role(role: JsonMap, inline: Sequence[JsonMap], attached: Sequence[str], *, lent: Sequence[str] = ()) -> Seen:
    """A role with its own inline policies and attachments; `lent` are policies that attach themselves to it."""
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
        lent={"ManagedPolicyArns": lent} if lent else None,
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


def _seen_managed(policy: JsonMap, shown: Mapping[str, Sequence[str]], attached: Mapping[str, list[str]]) -> Seen:
    """A policy with the attachments that it declares, of those that are shown."""
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
            **attached,
        },
        attributes={"PolicyArn": arn} | {name: _text(policy.get(name)) for name in POLICY_ATTRIBUTES},
        lent={name: [one for one in shown[name] if one not in own] for name, own in attached.items()},
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
