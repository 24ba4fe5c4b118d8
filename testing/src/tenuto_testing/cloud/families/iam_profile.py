"""Instance profiles, each with one role at most, and the account in one sweep."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.iam_documents import (
    check_is_new,
    listed,
    merged_tags,
    named,
    path_of,
    untagged,
)
from tenuto_testing.cloud.families.iam_kinds import POLICY, PROFILE, ROLE
from tenuto_testing.cloud.families.iam_policy import attachment, versions
from tenuto_testing.cloud.families.iam_role import role_of, summary
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing, View


def _profile(call: Call) -> Thing:
    return named(call, PROFILE, call.want("InstanceProfileName"), "instance profile")


def _shown(call: Call, profile: Thing | View, *, with_tags: bool) -> Data:
    roles = call.place.table(ROLE).things
    thing = profile.thing if isinstance(profile, View) else profile
    data = {name: value for name, value in profile.data.items() if with_tags or name != "Tags"}
    return {**data, "Roles": [summary(roles[name].data) for name in thing.hidden["roles"] if name in roles]}


def _create(call: Call) -> Data:
    name, path = call.want("InstanceProfileName"), path_of(call)
    check_is_new(call, PROFILE, name, "Instance Profile")
    tags = merged_tags([], call.want("Tags") or ())
    profile = call.make(
        PROFILE,
        {
            "Path": path,
            "InstanceProfileId": f"AIPA{call.cloud.ids.letters('profile-id', 17)}",
            "Arn": f"arn:aws:iam::{call.account}:instance-profile{path}{name}",
            "CreateDate": call.now,
        },
        id=name,
        hidden={"roles": []},
        is_asked_for=False,
    )
    profile.data["Tags"] = tags
    return {"InstanceProfile": _shown(call, profile, with_tags=True)}


def _get(call: Call) -> Data:
    return {"InstanceProfile": _shown(call, _profile(call), with_tags=True)}


def _list(call: Call) -> Data:
    views = list(call.seen(PROFILE))
    shown = [_shown(call, view, with_tags=False) for view in views]
    return listed(call, "InstanceProfiles", shown, [view.thing.id for view in views])


def _list_for_role(call: Call) -> Data:
    role = role_of(call)
    found = [one for one in call.all(PROFILE) if role.id in one.hidden["roles"]]
    shown = [_shown(call, one, with_tags=False) for one in found]
    return listed(call, "InstanceProfiles", shown, [one.id for one in found])


def _add_role(call: Call) -> Data:
    profile, role = _profile(call), role_of(call)
    if profile.hidden["roles"]:
        raise Refusal("LimitExceeded", "Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1")
    profile.hidden["roles"].append(role.id)
    call.edit(profile)
    return {}


def _remove_role(call: Call) -> Data:
    profile, name = _profile(call), call.want("RoleName")
    if name not in profile.hidden["roles"]:
        raise Refusal("NoSuchEntity", f"Role {name} not found in instance profile.")
    profile.hidden["roles"].remove(name)
    call.edit(profile)
    return {}


def _delete(call: Call) -> Data:
    profile = _profile(call)
    if profile.hidden["roles"]:
        raise Refusal("DeleteConflict", "Cannot delete entity, must remove roles from instance profile first.")
    call.remove(profile)
    return {}


def _tag(call: Call) -> Data:
    profile = _profile(call)
    tags = merged_tags(profile.tags(), call.want("Tags"))
    call.edit(profile)["Tags"] = tags
    return {}


def _untag(call: Call) -> Data:
    profile = _profile(call)
    call.edit(profile)["Tags"] = untagged(profile.tags(), call.want("TagKeys"))
    return {}


def _details(call: Call) -> Data:
    """Roles and managed policies of the account, in one list that is cut into pages."""
    wanted = call.want("Filter") or ("Role", "LocalManagedPolicy")
    found: list[tuple[str, str, Data]] = []
    if "Role" in wanted:
        found += [("RoleDetailList", view.thing.id, _role_detail(call, view)) for view in call.seen(ROLE)]
    if "LocalManagedPolicy" in wanted:
        found += [("Policies", view.thing.id, _policy_detail(view)) for view in call.seen(POLICY)]
    page = listed(call, "all", found, [f"{members} {name}" for members, name, _ in found])
    answer: Data = {"UserDetailList": [], "GroupDetailList": [], "RoleDetailList": [], "Policies": []}
    for members, _, detail in page.pop("all"):
        answer[members].append(detail)
    return {**answer, **page}


def _role_detail(call: Call, view: View) -> Data:
    role, data = view.thing, {**view.data}
    for name in ("Description", "MaxSessionDuration"):
        data.pop(name, None)
    holding = [one for one in call.all(PROFILE) if role.id in one.hidden["roles"]]
    return {
        **data,
        "InstanceProfileList": [_shown(call, one, with_tags=False) for one in holding],
        "RolePolicyList": [
            {"PolicyName": name, "PolicyDocument": text} for name, text in sorted(role.hidden["inline"].items())
        ],
        "AttachedManagedPolicies": [attachment(arn) for arn in role.hidden["attached"]],
    }


def _policy_detail(view: View) -> Data:
    data = {name: value for name, value in view.data.items() if name != "Tags"}
    return {**data, "PolicyVersionList": versions(view.thing)}


HANDLERS: Mapping[str, Any] = {
    "AddRoleToInstanceProfile": _add_role,
    "CreateInstanceProfile": _create,
    "DeleteInstanceProfile": _delete,
    "GetAccountAuthorizationDetails": _details,
    "GetInstanceProfile": _get,
    "ListInstanceProfiles": _list,
    "ListInstanceProfilesForRole": _list_for_role,
    "RemoveRoleFromInstanceProfile": _remove_role,
    "TagInstanceProfile": _tag,
    "UntagInstanceProfile": _untag,
}
