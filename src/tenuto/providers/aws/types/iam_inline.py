"""The inline policies that a user or a group declares, without those that AWS::IAM::Policy places in it."""

from dataclasses import dataclass

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.blocks.members import Members
from tenuto.providers.aws.kind import Scope
from tenuto.providers.aws.types.iam_placed import KINDS, NAME, is_placed, tracked


@dataclass(frozen=True, kw_only=True)
class _Inline(Members):
    """A list of inline policies. A policy that is a resource by itself is none of its principal's own."""

    kind: str
    heeds = frozenset({NAME})

    def apart(self, physical_id: str, found: JsonMap, scope: Scope | None) -> JsonMap:
        if scope is None or self.name not in found:
            return found
        known, principal = tracked(scope), (self.kind, physical_id)
        own = [one for one in found[self.name] if not is_placed(known, principal, str(one["PolicyName"]))]
        return {**found, self.name: own}


def inline(kind: str) -> Members:
    """The inline policies of a kind of principal."""
    word = KINDS[kind]
    return _Inline(
        kind=kind,
        name="Policies",
        listed=Listed(operation=f"List{word}Policies", id="@"),
        shown_at="@",
        each=Call(f"Get{word}Policy", key=f"{word}Name PolicyName"),
        put=Call(f"Put{word}Policy"),
        drop=Call(f"Delete{word}Policy"),
        member="PolicyName PolicyDocument",
        key="PolicyName",
        is_cleared=True,
    )
