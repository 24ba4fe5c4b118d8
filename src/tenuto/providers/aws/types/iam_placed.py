"""The inline policies of AWS::IAM::Policy as a sweep shows them: one document under one name in several principals.

Its physical id names it and its principals, `NAME|role/ROLE|user/USER|group/GROUP`, so that a sweep knows where to
look, and a role knows which of its inline policies are not its own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.wire import parsed
from tenuto.providers.aws.client.answers.faults import unless_gone
from tenuto.providers.aws.client.answers.pages import iam
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import Scope, Seen, texts
from tenuto.providers.aws.observed import seen

NAME = "AWS::IAM::Policy"
KINDS: Mapping[str, str] = {"role": "Role", "user": "User", "group": "Group"}
"""The word for each kind of principal in an id, and in the names of calls and properties."""
Principal = tuple[str, str]
"""The kind of a principal and its name."""


@dataclass(frozen=True)
class Placed:
    """One inline policy by its name and its principals."""

    policy: str
    principals: tuple[Principal, ...]

    @property
    def id(self) -> str:
        return "|".join([self.policy, *(f"{kind}/{name}" for kind, name in self.principals)])

    @cached_property
    def by_kind(self) -> dict[str, list[str]]:
        return {f"{word}s": [one for kind, one in self.principals if kind == key] for key, word in KINDS.items()}


def placed(properties: JsonMap) -> Placed:
    """The policy that properties declare."""
    principals = ((key, one) for key, word in KINDS.items() for one in sorted(texts(properties.get(f"{word}s"))))
    return Placed(policy=str(properties.get("PolicyName")), principals=tuple(principals))


def placed_as(physical_id: str) -> Placed:
    policy, *rest = physical_id.split("|")
    principals = (one.partition("/") for one in rest)
    return Placed(policy=policy, principals=tuple((kind, name) for kind, _, name in principals))


def answers(one: Placed) -> dict[str, Json]:
    """The answers to `Ref` and `Fn::GetAtt`, both of which give the name."""
    return {"Id": one.policy, "Ref": one.policy}


def tracked(scope: Scope) -> list[Placed]:
    """The policies that are resources by themselves, whether this sweep shows them or not."""
    return [placed_as(one) for one in scope.own_ids(NAME)]


def is_placed(known: Iterable[Placed], principal: Principal, policy: str) -> bool:
    """Whether an inline policy of a principal belongs to a resource of its own."""
    return any(one.policy == policy and principal in one.principals for one in known)


def swept(client: AccountClient, scope: Scope, roles: Sequence[JsonMap]) -> Iterator[Seen]:
    """The tracked policies, from the bulk lists of the principals; users and groups are listed where any has one."""
    wanted = [placed_as(str(one)) for one in scope.ids(NAME)]
    documents = dict(_in_bulk("role", roles))
    for kind in ("user", "group"):
        if any(kind == one for policy in wanted for one, _ in policy.principals):
            listed = iam("GetAccountAuthorizationDetails", f"{KINDS[kind]}DetailList")
            documents |= dict(_in_bulk(kind, client.pages(listed, Filter=[KINDS[kind]])))
    for one in wanted:
        yield from _shown(one, {principal: documents.get((*principal, one.policy)) for principal in one.principals})


def looked_up(client: AccountClient, physical_id: str) -> Iterator[Seen]:
    """One policy by its id, asked of each principal."""
    one = placed_as(physical_id)
    yield from _shown(one, {principal: document_of(client, principal, one.policy) for principal in one.principals})


def document_of(client: AccountClient, principal: Principal, policy: str) -> Json:
    """The document of an inline policy of a principal; None where there is none."""
    kind = KINDS[principal[0]]
    given = {f"{kind}Name": principal[1], "PolicyName": policy}
    found = unless_gone(lambda: client.read("iam", f"Get{kind}Policy", **given))
    return None if found is None else parsed(found["PolicyDocument"])


def _in_bulk(kind: str, details: Iterable[JsonMap]) -> Iterator[tuple[tuple[str, str, str], Json]]:
    word = KINDS[kind]
    for detail in details:
        for one in detail.get(f"{word}PolicyList") or ():
            yield (kind, detail[f"{word}Name"], one["PolicyName"]), parsed(one["PolicyDocument"])


def _shown(one: Placed, documents: Mapping[Principal, Json]) -> Iterator[Seen]:
    """The policy with the principals that hold the first document; a principal whose document another user changed is
    missing there.
    """
    there = {principal: document for principal, document in documents.items() if document is not None}
    if not there:
        return
    first = next(iter(there.values()))
    rules = {"PolicyDocument": POLICY}
    same = tuple(who for who, document in there.items() if means_same(first, document, rules, "PolicyDocument"))
    holding = Placed(policy=one.policy, principals=same).by_kind
    properties = {"PolicyName": one.policy, "PolicyDocument": first, **holding}
    yield seen(NAME, one.id, properties, attributes=answers(one))
