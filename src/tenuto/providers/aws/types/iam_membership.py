"""AWS::IAM::UserToGroupAddition: users in a group. Its Ref is a name that Tenuto makes."""

from collections.abc import Sequence

from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.client.answers.pages import iam
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import Work, texts
from tenuto.providers.aws.types.held_members import HeldMembers, held

NAME = "AWS::IAM::UserToGroupAddition"
_LONGEST = 80
_MEMBERS = iam("GetGroup", "Users")


def in_group(physical_id: str) -> tuple[str, frozenset[str]]:
    """The group of an addition, and the users that it puts there."""
    group, *users = physical_id.split(ID)
    return group, frozenset(users)


def _users(client: AccountClient, group: str) -> frozenset[str]:
    return frozenset(str(user["UserName"]) for user in client.pages(_MEMBERS, GroupName=group))


def _put(work: Work, group: str, users: Sequence[str]) -> None:
    for user in users:
        work.change("iam", "AddUserToGroup", GroupName=group, UserName=user)


def _take_out(work: Work, group: str, users: Sequence[str]) -> None:
    for user in users:
        work.let_go("iam", "RemoveUserFromGroup", GroupName=group, UserName=user)


ADDITION = held(
    HeldMembers(
        name=NAME,
        holder="GroupName",
        members="Users",
        there=_users,
        put=_put,
        take_out=_take_out,
        told=texts,
        declared=list,
        answered=lambda request: {"Ref": generated_name(request, _LONGEST)},
    ),
    put="iam:AddUserToGroup",
    take_out="iam:RemoveUserFromGroup",
    create_only="GroupName",
    exclusive=[("GroupName", "Users")],
    attributes="Ref",
    ref_attribute="Ref",
)
TYPES = (ADDITION,)
