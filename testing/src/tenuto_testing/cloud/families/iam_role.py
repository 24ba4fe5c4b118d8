"""IAM roles with their inline policies and attachments."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.iam_documents import (
    check_is_new,
    check_size,
    checked_policy,
    checked_trust,
    listed,
    merged_tags,
    named,
    path_of,
    untagged,
)
from tenuto_testing.cloud.families.iam_kinds import PROFILE, ROLE
from tenuto_testing.cloud.families.iam_policy import attachment, count_attachments, policy_of
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_LARGEST_TRUST = 2048
_LARGEST_INLINE = 10240
"""Of all inline policies of a role together."""
_NOT_LISTED = ("PermissionsBoundary", "Tags", "RoleLastUsed")


def role_of(call: Call) -> Thing:
    """The role that a request names. Raises Refusal."""
    return named(call, ROLE, call.want("RoleName"), "role")


def summary(data: Data) -> Data:
    """A role as lists show it."""
    return {name: value for name, value in data.items() if name not in _NOT_LISTED}


def _create(call: Call) -> Data:
    name, path = call.want("RoleName"), path_of(call)
    check_is_new(call, ROLE, name, "Role")
    trust = checked_trust(call, call.want("AssumeRolePolicyDocument"))
    check_size("ACLSizePerRole", _LARGEST_TRUST, [trust])
    tags = merged_tags([], call.want("Tags") or ())
    boundary = _boundary(call) if call.want("PermissionsBoundary") else None
    role = call.make(
        ROLE,
        {
            "Path": path,
            "RoleId": f"AROA{call.cloud.ids.letters('role-id', 17)}",
            "Arn": f"arn:aws:iam::{call.account}:role{path}{name}",
            "CreateDate": call.now,
            "AssumeRolePolicyDocument": trust,
            **call.copied("Description"),
            "MaxSessionDuration": call.want("MaxSessionDuration", 3600),
            "PermissionsBoundary": boundary,
        },
        id=name,
        hidden={"inline": {}, "attached": []},
        is_asked_for=False,
    )
    role.data["Tags"] = tags
    return {"Role": role}


def _boundary(call: Call) -> Data:
    arn = call.want("PermissionsBoundary")
    policy_of(call, arn)
    return {"PermissionsBoundaryType": "Policy", "PermissionsBoundaryArn": arn}


def _get(call: Call) -> Data:
    role = role_of(call)
    return {"Role": call.place.sight(ROLE, role.id, call.horizon()) or role}


def _list(call: Call) -> Data:
    prefix = call.want("PathPrefix", "/")
    views = [view for view in call.seen(ROLE) if view.data["Path"].startswith(prefix)]
    return listed(call, "Roles", [summary(view.data) for view in views], [view.thing.id for view in views])


def _update(call: Call) -> Data:
    call.edit(role_of(call)).update(call.copied("Description", "MaxSessionDuration"))
    return {}


def _update_trust(call: Call) -> Data:
    role = role_of(call)
    trust = checked_trust(call, call.want("PolicyDocument"))
    check_size("ACLSizePerRole", _LARGEST_TRUST, [trust])
    call.edit(role)["AssumeRolePolicyDocument"] = trust
    return {}


def _put_boundary(call: Call) -> Data:
    call.edit(role_of(call))["PermissionsBoundary"] = _boundary(call)
    return {}


def _delete_boundary(call: Call) -> Data:
    call.edit(role_of(call))["PermissionsBoundary"] = None
    return {}


def _delete(call: Call) -> Data:
    role = role_of(call)
    holders = [one for one in call.all(PROFILE) if role.id in one.hidden["roles"]]
    for hangs, why in (
        (holders, "must remove roles from instance profile first."),
        (role.hidden["attached"], "must detach all policies first."),
        (role.hidden["inline"], "must delete policies first."),
    ):
        if hangs:
            raise Refusal("DeleteConflict", f"Cannot delete entity, {why}")
    call.remove(role)
    return {}


def _put_policy(call: Call) -> Data:
    role = role_of(call)
    inline = {**role.hidden["inline"], call.want("PolicyName"): checked_policy(call.want("PolicyDocument"))}
    check_size("InlinePolicySizePerRole", _LARGEST_INLINE, inline.values())
    role.hidden["inline"] = inline
    call.edit(role)
    return {}


def _inline(call: Call) -> tuple[Thing, str]:
    role, name = role_of(call), call.want("PolicyName")
    if name not in role.hidden["inline"]:
        raise Refusal("NoSuchEntity", f"The role policy with name {name} cannot be found.")
    return role, name


def _get_policy(call: Call) -> Data:
    role, name = _inline(call)
    return {"RoleName": role.id, "PolicyName": name, "PolicyDocument": role.hidden["inline"][name]}


def _delete_policy(call: Call) -> Data:
    role, name = _inline(call)
    del role.hidden["inline"][name]
    return {}


def _list_policies(call: Call) -> Data:
    names = sorted(role_of(call).hidden["inline"])
    return listed(call, "PolicyNames", names, names)


def _attach(call: Call) -> Data:
    role, arn = role_of(call), call.want("PolicyArn")
    policy_of(call, arn)
    if arn in role.hidden["attached"]:
        return {}
    if len(role.hidden["attached"]) >= call.cloud.quotas.policies:
        raise Refusal("LimitExceeded", f"Cannot exceed quota for PoliciesPerRole: {call.cloud.quotas.policies}")
    role.hidden["attached"].append(arn)
    count_attachments(call, arn, 1)
    return {}


def _detach(call: Call) -> Data:
    role, arn = role_of(call), call.want("PolicyArn")
    if arn not in role.hidden["attached"]:
        raise Refusal("NoSuchEntity", f"Policy {arn} was not found.")
    role.hidden["attached"].remove(arn)
    count_attachments(call, arn, -1)
    return {}


def _list_attached(call: Call) -> Data:
    arns = sorted(role_of(call).hidden["attached"])
    return listed(call, "AttachedPolicies", [attachment(arn) for arn in arns], arns)


def _tag(call: Call) -> Data:
    role = role_of(call)
    tags = merged_tags(role.tags(), call.want("Tags"))
    call.edit(role)["Tags"] = tags
    return {}


def _untag(call: Call) -> Data:
    role = role_of(call)
    call.edit(role)["Tags"] = untagged(role.tags(), call.want("TagKeys"))
    return {}


def _list_tags(call: Call) -> Data:
    tags = role_of(call).tags()
    return listed(call, "Tags", tags, [tag["Key"] for tag in tags])


HANDLERS: Mapping[str, Any] = {
    "AttachRolePolicy": _attach,
    "CreateRole": _create,
    "DeleteRole": _delete,
    "DeleteRolePermissionsBoundary": _delete_boundary,
    "DeleteRolePolicy": _delete_policy,
    "DetachRolePolicy": _detach,
    "GetRole": _get,
    "GetRolePolicy": _get_policy,
    "ListAttachedRolePolicies": _list_attached,
    "ListRolePolicies": _list_policies,
    "ListRoleTags": _list_tags,
    "ListRoles": _list,
    "PutRolePermissionsBoundary": _put_boundary,
    "PutRolePolicy": _put_policy,
    "TagRole": _tag,
    "UntagRole": _untag,
    "UpdateAssumeRolePolicy": _update_trust,
    "UpdateRole": _update,
}
