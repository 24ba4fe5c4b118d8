"""Namespaces as accounts: the changes besides the object itself when one is made or removed.

Theory of operation. A namespace is an object that a request makes, and the account of its name: policies, holds, sweeps
and `--account` know it like any other. Both are made in one commit, and removed in one. It is removed only when nothing
lives in it; the commit itself refuses a process that was run meanwhile. Its keys end with it, and so does the trust
that others have in it: a namespace of the same name is another one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tenuto.core.access import accounts as rules
from tenuto.errors import NotAllowedError
from tenuto.model.access import UserSecret
from tenuto.model.account import Account
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, Json
from tenuto.model.node import NODE_TYPES
from tenuto.model.object_type import ObjectType
from tenuto.model.resource import ManagedObject
from tenuto.ports.record_kinds import USER_SECRET
from tenuto.ports.records import RemoveRecord
from tenuto.ports.store import Store
from tenuto.ports.store_administration import RemoveAccount, SaveAccount
from tenuto.ports.store_changes import Append, SaveObject, StoreChange
from tenuto.ports.store_claims import ObjectQuery, live_objects

SYSTEM = "system"
"""The namespace that is always there, and that every other one trusts."""
_MOST = 20
"""Names in a refusal. More of them say nothing more."""

_SLASH = "/"


def key_name(namespace: str, key: str) -> str:
    """The name that a key acts under. No user has a name with a slash."""
    return f"{namespace}{_SLASH}{key}"


def is_key_name(name: str) -> bool:
    """Whether a caller of this name is a key of a namespace."""
    return _SLASH in name


def keys_of(store: Store, namespace: str) -> tuple[UserSecret, ...]:
    """The keys of a namespace, by name."""
    prefix = key_name(namespace, "")
    return tuple(one for one in store.user_secrets() if one.grant is not None and one.user.startswith(prefix))


def opening(store: Store, kind: ObjectType, name: str, *, region: str | None, at: Instant) -> tuple[StoreChange, ...]:
    """Return the change that makes the account of a namespace. Raises UserError, NotAllowedError."""
    known = rules.with_default(store.accounts())
    account = Account(
        name=name,
        provider=kind.provider,
        description=f"the namespace {name} of {kind.provider}",
        region=region,
        account_id=name,
        created_at=at,
    )
    rules.check_new(account, known)
    if name in known:
        raise NotAllowedError(
            f"There is an account {name} already, entered by {rules.way_text(known[name])}. A namespace is an account "
            "of its own: choose another name. Nothing was changed."
        )
    return (SaveAccount(account=account, expected_generation=0),)


def live_namespaces(store: Store, kinds: Sequence[ObjectType]) -> Iterator[ManagedObject]:
    """The live namespaces of all providers. `kinds` are the types of objects."""
    for kind in kinds:
        if kind.is_account:
            yield from live_objects(store, kind.name)


def closing(
    store: Store, item: ManagedObject, kinds: Sequence[ObjectType], *, actor: str, at: Instant
) -> tuple[StoreChange, ...]:
    """Return the changes that end the account of a namespace with its keys, and the trust of others in it.

    Raises NotAllowedError while it is used.
    """
    name = item.partition.account
    if name == SYSTEM:
        raise NotAllowedError(f"The namespace {SYSTEM} is always there and cannot be deleted. Nothing was changed.")
    processes = [one.alias or one.fid for one in store.processes(live=True) if one.partition.account == name]
    query = ObjectQuery(account=name, live=True, limit=_MOST)
    others = [one for one in store.object_page(query) if one.object_id != item.object_id and one.type not in NODE_TYPES]
    objects = [f"{one.type} {one.logical_id}" for one in others]
    if processes or objects:
        named = [*(f"process {one}" for one in processes), *objects][:_MOST]
        raise NotAllowedError(
            f"The namespace {name} is not empty: {', '.join(named)}. Kill or release its processes and delete its "
            "objects first; nothing was changed."
        )
    account = store.account(name)
    ended = (
        (RemoveAccount(name=name, expected_generation=account.generation, object_id=item.object_id),)
        if account is not None
        else ()
    )
    keys = tuple(RemoveRecord(kind=USER_SECRET, key=one.user) for one in keys_of(store, name))
    trusting = [one for one in live_namespaces(store, kinds) if name in one.desired.get("Trust", ())]
    return (*ended, *keys, *(change for one in trusting for change in _end_of_trust(one, name, actor, at)))


def _end_of_trust(item: ManagedObject, other: str, actor: str, at: Instant) -> tuple[StoreChange, ...]:
    """The changes by which a namespace trusts another one no more, because that one is deleted."""
    left = [one for one in item.desired.get("Trust", ()) if one != other]
    return field_changes(item, "Trust", left, f"trusts no more {other}, which was deleted", actor=actor, at=at)


def field_changes(
    item: ManagedObject, field: str, value: Json, reason: str, *, actor: str, at: Instant
) -> tuple[StoreChange, ...]:
    """The changes by which a field of a namespace has another value, and the event of that."""
    changed = replace(item, desired={**item.desired, field: value})
    save = SaveObject(object=changed, expected_generation=item.generation, documents=True)
    return (save, access_changed(item.logical_id, reason, actor=actor, at=at))


def access_changed(subject: str, reason: str, *, actor: str, at: Instant) -> Append:
    """The event of a change of access, such as that of a key or of a trust."""
    event = Event(at=at, type=EventType.ACCESS_CHANGED, subject=subject, actor=actor, reason=reason)
    return Append(events=(event,))
