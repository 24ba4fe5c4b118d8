"""Objects without a process, found by the reference of a request: an id or its beginning, or a name."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from tenuto.errors import NotFoundError, UserError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.ids import Json, ObjectId, Partition, TypeName
from tenuto.model.node import NODE_TYPES
from tenuto.model.object_type import FieldKind, FieldType, ObjectType
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.ports.store_claims import ObjectQuery, every_object

_MOST = 1000
"""Ended objects of one name in one account that are read. More of them are told apart by no person."""

_BEGINNING = re.compile(r"[0-9a-f]{8}[0-9a-f-]*")
"""Eight characters tell two ids apart among thousands, and every list shows as many."""
_FEW = 3
"""Ids of one beginning that a message names."""

IsSeen = Callable[[ManagedObject], bool]
Accounts = Callable[[], Sequence[str]]
"""The accounts of a caller, asked for when they are needed. An empty name stands for all accounts."""


def all_accounts() -> Sequence[str]:
    """The accounts of a caller who sees all."""
    return ("",)


def found_object(
    store: Store,
    reference: str,
    types: Sequence[TypeName],
    is_seen: IsSeen = lambda _: True,
    accounts: Accounts = all_accounts,
) -> ManagedObject:
    """Find an object by its id, else by its name: the live one, else the one that ended last; else by the beginning of
    its id, where a live one goes before those that ended.

    With types, an object of another type is not found. An object that is not seen makes no name ambiguous, and is
    found only where no other is. Those that ended are looked for in the `accounts` alone: there is no bound to the
    number that another tenant makes and deletes. Raises NotFoundError, and UserError when several live objects have the
    name.
    """
    by_id = store.object(ObjectId(reference))
    if by_id is not None and by_id.fid is None and by_id.type not in NODE_TYPES:
        if not types or by_id.type in types:
            return by_id
        if not is_seen(by_id):
            raise no_object(reference, types)
        raise NotFoundError(
            f"{reference} is a {by_id.type} and not a {' or '.join(types)}. 'tenuto object show {reference}' shows it."
        )
    query = ObjectQuery(name=reference, types=tuple(types), limit=_MOST)
    named = [one for one in every_object(store, replace(query, live=True)) if _is_told(one)]
    live = [one for one in named if is_seen(one)]
    if len(live) > 1:
        listed = ", ".join(f"{one.object_id} ({one.type} in account {one.partition.account})" for one in live)
        raise UserError(f"Several objects are called {reference!r}: {listed}. Name one by its id.")
    if live:
        return live[0]
    pages = [store.object_page(replace(query, account=account)) for account in accounts()]
    ended = [one for page in pages for one in page if _is_told(one) and is_seen(one)]
    if ended:
        return max(ended, key=lambda one: (one.moved_at, one.object_id))
    if named:
        return named[0]
    live_begun = [one for one in _begun(store, reference, types, live=True) if is_seen(one)]
    begun = live_begun or [one for one in _begun(store, reference, types, live=False) if is_seen(one)]
    if len(begun) > 1:
        raise UserError(f"Several ids begin with {reference!r}: {', '.join(one.object_id for one in begun)}, …")
    if begun:
        return begun[0]
    raise no_object(reference, types)


def _begun(store: Store, beginning: str, types: Sequence[TypeName], *, live: bool) -> list[ManagedObject]:
    """The first objects whose ids begin with this text, which a narrow terminal shows of an id. Pages are in the order
    of ids, so they follow the beginning itself."""
    if not _BEGINNING.fullmatch(beginning):
        return []
    page = store.object_page(ObjectQuery(after=beginning, types=tuple(types), live=live, limit=_FEW))
    return [one for one in page if one.object_id.startswith(beginning) and _is_told(one)]


def no_object(reference: str, types: Sequence[TypeName]) -> NotFoundError:
    """The error for an object that is not there."""
    what = f"object {reference!r} of the type {' or '.join(types)}" if types else f"object {reference!r}"
    return NotFoundError(f"There is no {what}. 'tenuto object list' lists the objects.")


def with_ids(store: Store, kind: ObjectType, given: dict[str, Json], partition: Partition) -> dict[str, Json]:
    """The fields with the ids of the objects that they name. Raises UserError."""
    named = [field for field in kind.fields if field.kind is FieldKind.OBJECT and field.name in given]
    return given | {field.name: _target(store, field, given[field.name], partition).object_id for field in named}


def is_over(item: ManagedObject) -> bool:
    """Whether the object is in a final state."""
    table = CATALOGUE.get(item.lifecycle)
    return table is not None and table.is_final(item.state)


def _target(store: Store, field: FieldType, reference: str, partition: Partition) -> ManagedObject:
    """The live object that a field names: by id, else by name among the types that it may be."""
    by_id = store.object(ObjectId(reference))
    found = [by_id] if by_id is not None else []
    if not found:
        query = ObjectQuery(name=reference, types=tuple(field.of), live=True, limit=_MOST)
        named = [one for one in store.object_page(query) if _is_told(one)]
        found = [one for one in named if one.partition.account == partition.account] or named
    fitting = [one for one in found if not is_over(one) and (not field.of or one.type in field.of)]
    if len(fitting) == 1:
        return fitting[0]
    what = " or ".join(field.of) or "object"
    if fitting:
        ids = ", ".join(one.object_id for one in fitting)
        raise UserError(f"The field {field.name!r} names several: {ids}. Give one of these ids. Nothing was changed.")
    raise UserError(
        f"The field {field.name!r} names {reference!r}, and there is no live {what} of that name or id. 'tenuto object "
        "list' lists the objects. Nothing was changed."
    )


def _is_told(item: ManagedObject) -> bool:
    """Nodes are rows without a process too; no request made them."""
    return item.type not in NODE_TYPES
