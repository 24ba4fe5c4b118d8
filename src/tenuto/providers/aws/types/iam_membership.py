"""AWS::IAM::UserToGroupAddition: users in a group. Its Ref is a name that Tenuto makes.

It is code, since it is nothing by itself: what there is are memberships, of which others of the same group are declared
elsewhere, or by hand. So its physical id is the group and its own users; a sweep reads each group once, shows those of
the users that are in it, and the addition is gone when none is.
"""

from collections.abc import Sequence

from tenuto.core.planning.equality import means_same
from tenuto.model.ids import Json, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.calls import ID
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.client.pages import iam
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, texts
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts, member

_NAME = "AWS::IAM::UserToGroupAddition"
_GROUP, _USERS = "GroupName", "Users"
_LONGEST = 80
_MEMBERS = iam("GetGroup", "Users")
_RULES = {_USERS: Comparison.SET}


def _joined(group: Json, users: Sequence[str]) -> str:
    return ID.join((str(group), *sorted(users)))


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    asked = [str(one) for one in (scope.ids(_NAME) if scope.names is None else scope.named(_NAME))]
    groups = dict.fromkeys(one.partition(ID)[0] for one in asked)
    members = client.each_there(lambda group: _members(client, group), groups)
    found: list[Seen] = []
    for one in asked:
        group, *users = one.split(ID)
        there = [user for user in users if user in members.get(group, ())]
        if there:
            found.append(seen(_NAME, one, {_GROUP: group, _USERS: there}))
    return found


def _members(client: AccountClient, group: str) -> frozenset[str]:
    """The users of a group. Raises ProviderError, also when there is no such group."""
    return frozenset(str(user["UserName"]) for user in client.pages(_MEMBERS, GroupName=group))


def _create(work: Work) -> Outcome:
    """Add the users. Those that are in the group already stay there, as in CloudFormation, and are ours from now on."""
    group, users = str(work.need(_GROUP)), texts(work.need(_USERS))
    for user in users:
        work.change("iam", "AddUserToGroup", GroupName=group, UserName=user)
    return Done(
        physical_id=PhysicalId(_joined(group, users)), attributes={"Ref": generated_name(work.request, _LONGEST)}
    )


def _modify(work: Work) -> Outcome:
    group, *present = str(work.id).split(ID)
    users, there = texts(work.need(_USERS)), texts(work.seen(_USERS))
    for user in users:
        if user not in there:
            work.change("iam", "AddUserToGroup", GroupName=group, UserName=user)
    _take_out(work, group, [user for user in present if user not in users])
    return Done(physical_id=PhysicalId(_joined(group, users)))


def _delete(work: Work) -> Outcome:
    group, *users = str(work.id).split(ID)
    _take_out(work, group, users)
    return Done(physical_id=work.id)


def _take_out(work: Work, group: str, users: Sequence[str]) -> None:
    for user in users:
        work.let_go("iam", "RemoveUserFromGroup", GroupName=group, UserName=user)


def _is_it(request: Request, item: ObservedItem) -> bool:
    return means_same({name: request.properties.get(name) for name in (_GROUP, _USERS)}, item.properties, _RULES)


SOURCE = Source(name=_NAME, read=_read, shows_all=False)
ADDITION = AwsType(
    facts=facts(
        _NAME,
        SOURCE,
        calls=calls(
            "iam:AddUserToGroup",
            "iam:RemoveUserFromGroup",
            members={_USERS: member("iam:AddUserToGroup", "iam:RemoveUserFromGroup", "iam:RemoveUserFromGroup")},
        ),
        create_only=_GROUP,
        compare_as=_RULES,
        attributes="Ref",
        ref_attribute="Ref",
        is_tagged=False,
    ),
    source=SOURCE,
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=_is_it,
    find_name=lambda request: _joined(request.properties.get(_GROUP), texts(request.properties.get(_USERS))),
)
TYPES = (ADDITION,)
