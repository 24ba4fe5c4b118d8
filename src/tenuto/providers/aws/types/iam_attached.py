"""Attachments of managed policies to principals, which the declaration of either can hold.

The same attachment can be declared on either side, and IAM does not tell which: without marks, a role and a policy of
one composition would undo each other's work for ever. So a policy marks its own attachments with tags of itself.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.model.rate import MemberCalls
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.blocks.members import Members
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.faults import unless_gone
from tenuto.providers.aws.client.answers.pages import iam
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.iam_placed import KINDS, Principal

POLICY_TAGS = iam("ListPolicyTags", "Tags")
_MARK = "tenuto:{}:"
"""The key, before the name of a principal, of the tag by which a policy marks its own attachments, by kind."""
_OF_AWS = ":iam::aws:policy/"
"""The part of the ARNs of the policies that AWS keeps, which no composition declares."""


def mark(principal: Principal) -> str:
    """The key of the tag that marks an attachment. A principal's name may hold a comma, which no key of a tag may, and
    never a space, which keys may."""
    kind, name = principal
    return f"{_MARK.format(kind)}{name.replace(',', ' ')}"


def marked(keys: Iterable[str]) -> Iterator[Principal]:
    """The principals that the marks among these keys of tags name."""
    for key in keys:
        for kind in KINDS:
            if key.startswith(_MARK.format(kind)):
                yield kind, key.removeprefix(_MARK.format(kind)).replace(" ", ",")


def attached_to(client: AccountClient, arn: str) -> dict[str, list[str]]:
    """The principals that a policy is attached to, by the names of the properties."""
    shown = client.ask("iam", "ListEntitiesForPolicy", PolicyArn=arn, MaxItems=1000)
    return {
        f"{word}s": sorted(str(one[f"{word}Name"]) for one in shown.get(f"Policy{word}s") or ())
        for word in KINDS.values()
    }


@dataclass(frozen=True, kw_only=True)
class Attached(Plain):
    """The managed policies that a user or a group declares, without those that attach themselves to it."""

    kind: str
    listed: Members

    @property
    def properties(self) -> frozenset[str]:
        return self.listed.properties

    def read(self, thing: Thing) -> dict[str, Json]:
        arns = self.listed.read(thing)[self.listed.name]
        return {self.listed.name: [arn for arn in arns if not self._attaches_itself(thing, str(arn))]}

    def _attaches_itself(self, thing: Thing, arn: str) -> bool:
        if _OF_AWS in arn:
            return False
        tags: list[JsonMap] = unless_gone(lambda: list(thing.client.pages(POLICY_TAGS, PolicyArn=arn))) or []
        return (self.kind, thing.id) in marked(str(tag["Key"]) for tag in tags)

    def repair(self, work: Work, service: str, words: str) -> None:
        self.listed.repair(work, service, words)

    def clear(self, work: Work, service: str, words: str) -> None:
        self.listed.clear(work, service, words)

    @property
    def defaults(self) -> JsonMap:
        return self.listed.defaults

    def members(self, service: str) -> Mapping[str, MemberCalls]:
        return self.listed.members(service)


def attached(kind: str) -> Attached:
    """The managed policies of a kind of principal."""
    word = KINDS[kind]
    return Attached(
        kind=kind,
        listed=Members(
            name="ManagedPolicyArns",
            listed=Listed(operation=f"ListAttached{word}Policies", id="PolicyArn"),
            shown_at="PolicyArn",
            put=Call(f"Attach{word}Policy"),
            drop=Call(f"Detach{word}Policy"),
            member="PolicyArn",
            is_cleared=True,
        ),
    )
