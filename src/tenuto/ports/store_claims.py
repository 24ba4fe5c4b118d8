"""Claims and relations in a store: the changes, and the questions about them.

Theory of operation. A claim and a relation are written in the commit of the change that needs them, and the store
checks them there: of two requests for one name the second is refused, also when it looked first. An object that comes
to a final state lets go of everything, in the commit of that move and by the store itself, so that no caller can forget
it. A claim with a halo stays reserved until `free_at`.

A relation holds its target in place. It is refused to an object that is final or on its way there, and the deletion of
an object that others need is refused by `ExpectUnused`; the two are checked in one order of commits, so one of them
always sees the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tenuto.model.claim import Claim, HeldClaim, Relation
from tenuto.model.ids import Instant, ObjectId, TypeName
from tenuto.model.resource import ManagedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveClaims:
    """The object drops claims, then takes others. To take one that it has already changes nothing.

    Raises ConflictError, with the name of the holder, when another object has one of them or it is reserved still.
    """

    object_id: ObjectId
    at: Instant
    claimed: tuple[Claim, ...] = ()
    dropped: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveRelations:
    """The object needs others, and needs those that are dropped no more. The same relation again writes nothing.

    Raises ConflictError when the target is not stored, is final, or is on its way to a final state.
    """

    object_id: ObjectId
    saved: tuple[Relation, ...] = ()
    dropped: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectUnused:
    """Require that no other object needs this one; writes nothing. Raises ConflictError with the names of the first
    that do.
    """

    object_id: ObjectId


ClaimChange = SaveClaims | SaveRelations | ExpectUnused


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectQuery:
    """The objects without a process that are asked for: of types, in states, in an account, of a name, with an id after
    another one.

    An empty field asks for all. `live` leaves out those in a final state.
    """

    types: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    account: str = ""
    name: str = ""
    live: bool = False
    after: str = ""
    limit: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Dangling:
    """Claims without a live object that are not reserved either, and relations with an end that is not live."""

    claims: tuple[HeldClaim, ...] = ()
    relations: tuple[Relation, ...] = ()


class ClaimReads(Protocol):
    """Reads of objects without a process, and of the claims that they hold."""

    def object_page(self, query: ObjectQuery) -> tuple[ManagedObject, ...]:
        """Return objects without a process, by object id."""
        ...

    def claim(self, space: str, key: str) -> HeldClaim | None:
        """The claim as it is stored, also one whose reservation is over."""
        ...

    def claims_of(self, object_id: ObjectId) -> tuple[HeldClaim, ...]:
        """Return the claims of an object, by space and key."""
        ...

    def relations_of(self, object_id: ObjectId) -> tuple[Relation, ...]:
        """Return the relations from this object, by role and target."""
        ...

    def users_of(self, object_id: ObjectId, limit: int) -> tuple[ManagedObject, ...]:
        """Return objects with a relation to this one, by object id."""
        ...

    def dangling(self, limit: int) -> Dangling:
        """Return up to `limit` dangling ones of each kind."""
        ...


def names_of(users: Sequence[tuple[str, str]]) -> str:
    """Types and names of objects, for a message."""
    return ", ".join(f"{type_name} {name}" for type_name, name in users)


def live_objects(store: ClaimReads, type_name: TypeName) -> tuple[ManagedObject, ...]:
    """Return the live objects of a type that requests make, read page by page."""
    return every_object(store, ObjectQuery(types=(type_name,), live=True))


def every_object(store: ClaimReads, query: ObjectQuery) -> tuple[ManagedObject, ...]:
    """Return all the objects that a query asks for, read in pages of its limit."""
    found: list[ManagedObject] = []
    while page := store.object_page(query):
        found.extend(page)
        query = replace(query, after=page[-1].object_id)
    return tuple(found)
