"""AWS::IAM::User. Its Ref is its name."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.model.spelling import ServiceMembers
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.members import Members
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.faults import unless_gone
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import Scope, Work
from tenuto.providers.aws.types.cloud_control_model import is_sent_anew
from tenuto.providers.aws.types.iam_attached import attached
from tenuto.providers.aws.types.iam_inline import inline
from tenuto.providers.aws.types.iam_membership import NAME as ADDITION
from tenuto.providers.aws.types.iam_membership import in_group
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_LOGIN = "LoginProfile"


@dataclass(frozen=True, kw_only=True)
class _Login(Shown):
    """The password of a user. It is sent when it is declared anew, and to a user without one: a password that its user
    changed is not drift."""

    properties = frozenset({_LOGIN})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {}

    def repair(self, work: Work, service: str, words: str) -> None:
        wanted = work.want(_LOGIN)
        if wanted is None:
            return
        is_there = unless_gone(lambda: work.read(service, "GetLoginProfile", UserName=work.id)) is not None
        if not is_there or is_sent_anew(work.request, _LOGIN):
            call = "UpdateLoginProfile" if is_there else "CreateLoginProfile"
            work.change(service, call, UserName=work.id, **wanted)

    def clear(self, work: Work, service: str, words: str) -> None:
        work.let_go(service, "DeleteLoginProfile", UserName=work.id)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_LOGIN: f"{service}:CreateLoginProfile"}


@dataclass(frozen=True, kw_only=True)
class _Groups(Members):
    """The groups of a user. One into which a resource of its own puts the user is none that the user declares."""

    heeds = frozenset({ADDITION})

    def apart(self, physical_id: str, found: JsonMap, scope: Scope | None) -> JsonMap:
        if scope is None or self.name not in found:
            return found
        added = {group for one in scope.own_ids(ADDITION) for group, users in [in_group(one)] if physical_id in users}
        return {**found, self.name: [one for one in found[self.name] if one not in added]}


_QUARANTINE = ServiceMembers(texts={"": r"arn:aws[a-z-]*:iam::aws:policy/AWSCompromisedKeyQuarantine(V[0-9]+)?"})
"""The policies that AWS attaches to a user whose key it has found in public: they forbid the common abuses of one."""

USER = block(
    "AWS::IAM::User",
    "iam",
    key="UserName",
    listed=Listed(operation="ListUsers", id="UserName", size=1000),
    described=Described(call=Call("GetUser"), at="User"),
    named=Named("UserName", 64),
    create="CreateUser",
    shown={"PermissionsBoundary": "PermissionsBoundary.PermissionsBoundaryArn"},
    modify={
        Call("UpdateUser", renamed={"Path": "NewPath"}): "Path",
        Call("PutUserPermissionsBoundary", drop="DeleteUserPermissionsBoundary"): "PermissionsBoundary",
    },
    parts=(
        _Login(),
        _Groups(
            name="Groups",
            listed=Listed(operation="ListGroupsForUser", id="GroupName"),
            shown_at="GroupName",
            put=Call("AddUserToGroup"),
            drop=Call("RemoveUserFromGroup"),
            member="GroupName",
            is_cleared=True,
        ),
        attached("user"),
        inline("user"),
    ),
    delete="DeleteUser",
    tags=TagCalls(
        service="iam", list_call="ListUserTags", put_call="TagUser", remove_call="UntagUser", id_name="UserName"
    ),
    write_only=_LOGIN,
    defaults={"Path": "/"},
    compare_as={
        "Groups": Comparison.SET,
        "ManagedPolicyArns": Comparison.SET,
        "Policies": Comparison.SET,
        "Policies.PolicyDocument": POLICY,
    },
    of_services={"ManagedPolicyArns": _QUARANTINE},
    named_attributes="Arn",
    named_with="Path",
    detached="Groups",
)
TYPES = (USER,)
