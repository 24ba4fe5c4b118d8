"""The rules of every store about claims and relations. Like `rules`: pure checks of the rows that are stored now."""

from collections.abc import Sequence
from dataclasses import dataclass

from tenuto.errors import BugError, ConflictError
from tenuto.kit.times import iso_text
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.claim import Claim, HeldClaim, Relation
from tenuto.model.ids import Instant, ObjectId
from tenuto.ports.store_claims import names_of

MOST_NAMES = 5
"""Names of users in a message. More of them say nothing more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The stored facts of an object at one end of a claim or a relation."""

    object_id: ObjectId
    type: str
    name: str
    lifecycle: str
    state: str
    target: str
    is_final: bool

    @property
    def is_leaving(self) -> bool:
        """Whether it is in a final state, or on its way there."""
        table = CATALOGUE.get(self.lifecycle)
        return self.is_final or (table is not None and table.is_final(self.target))


def check_taker(object_id: ObjectId, taker: Holder | None) -> None:
    """Refuse claims and relations of an object that is not stored or has ended."""
    if taker is None:
        raise BugError(f"object {object_id} takes a claim or a relation and is not stored")
    if taker.is_final:
        raise BugError(
            f"{taker.type} {taker.name} ({object_id}) is {taker.state} and takes no claims and relations any more"
        )


def check_claim(claim: Claim, taker: ObjectId, held: HeldClaim | None, holder: Holder | None, at: Instant) -> None:
    """Refuse a second holder. `held` is the claim as it is stored, `holder` the object that it names."""
    if held is None or held.object_id == taker or (held.free_at is not None and held.free_at <= at):
        return
    whose = f"{holder.type} {holder.name} ({holder.object_id})" if holder else f"object {held.object_id}"
    if held.free_at is not None:
        raise ConflictError(
            f"{claim.space} {claim.key} is reserved until {iso_text(held.free_at)}: {whose} had it until lately. Wait"
            " until then, or choose another one"
        )
    raise ConflictError(f"{claim.space} {claim.key} belongs to {whose}; choose another one, or delete that object")


def check_relation(relation: Relation, taker: ObjectId, target: Holder | None) -> None:
    """Refuse a relation to an object that is not there, or will soon not be."""
    if relation.from_id != taker:
        raise BugError(f"object {taker} cannot save a relation of object {relation.from_id}")
    if target is None:
        raise ConflictError(f"there is no object {relation.to_id} that could be the {relation.role} of another one")
    if target.is_leaving:
        raise ConflictError(
            f"{target.type} {target.name} ({target.object_id}) is {target.state} and on its way to {target.target}, so"
            f" no new object can have it as its {relation.role}"
        )


def check_unused(object_id: ObjectId, users: Sequence[tuple[str, str]]) -> None:
    """Refuse the deletion of an object that others need. `users` are the types and names of some of them."""
    if users:
        more = " and others" if len(users) > MOST_NAMES else ""
        raise ConflictError(f"{names_of(users[:MOST_NAMES])}{more} still need object {object_id}; delete them first")
