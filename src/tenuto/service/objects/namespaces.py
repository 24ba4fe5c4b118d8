"""Keys of namespaces: secrets for programs, each with a grant in one namespace and a time at which it ends.

Theory of operation. A key is a secret like a user's, stored the same way and shown once. The gatekeeper looks it up for
each request, so a key that was deleted, replaced or has expired is refused from that moment. Its rights are stored with
it: the policy neither gives it more nor takes anything away.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tenuto.errors import NotAllowedError, NotFoundError, UserError
from tenuto.kit.nearest import meant
from tenuto.model.access import OF_CONDUCTOR, QUESTIONS, ROOT, Grant, Right, UserSecret
from tenuto.model.ids import Instant, Json, JsonMap
from tenuto.model.object_type import ObjectType
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.record_kinds import USER_SECRET
from tenuto.ports.records import RemoveRecord, SaveRecord
from tenuto.ports.store import Store
from tenuto.ports.store_administration import SaveAccount
from tenuto.ports.store_changes import Append, StoreChange
from tenuto.service.access.user_secrets import make_secret
from tenuto.service.accounts.accounts import known_account
from tenuto.service.accounts.tenants import SYSTEM, access_changed, field_changes, key_name, keys_of, live_namespaces
from tenuto.service.common.values import time_text
from tenuto.service.objects.limits import THINGS, Limits, checked_limits
from tenuto.service.objects.managed_objects import ManagedObjects

LONGEST_S = 10 * 365 * 86400.0
MOST_SECONDS = 10**12
"""The bound of plausible seconds: more than this is never meant, and is refused as too long all the same."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_SETS = {"questions": QUESTIONS, "all": tuple(one for one in Right if one not in OF_CONDUCTOR)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeKey:
    """A key with its secret, which is told this once."""

    key: UserSecret
    secret: str


class Namespaces:
    """Every method raises NotFoundError, NotAllowedError, UserError or StoreError, and then has changed nothing."""

    def __init__(self, *, store: Store, clock: Clock, objects: ManagedObjects, limits: Limits) -> None:
        self._store = store
        self._clock = clock
        self._objects = objects
        self._limits = limits

    def now(self) -> Instant:
        return self._clock.now()

    def ensure_system(self) -> None:
        """Make the namespace that is always there, where a provider offers namespaces and it is not there yet."""
        for kind in self._kinds():
            try:
                self._objects.create(kind.name, SYSTEM)
            except NotAllowedError:
                continue  # It is there, or another account has its name.

    def add_key(
        self, namespace: str, name: str, commands: Sequence[str], *, expires_s: float | None = None, actor: str = ROOT
    ) -> MadeKey:
        """A key of a namespace. Refused when there is one of its name, which may be in use."""
        found = self._namespace(namespace)
        if _NAME.fullmatch(name) is None:
            raise UserError(
                f"{name[:80]!r} cannot name a key: up to 63 letters, digits, '.', '_' and '-', beginning with a letter "
                "or a digit."
            )
        if expires_s is not None and not 0 < expires_s <= LONGEST_S:
            raise UserError("A key must last longer than 0 s and at most 3650 days.")
        account, now = found.partition.account, self._clock.now()
        user = key_name(account, name)
        if any(one.user == user for one in keys_of(self._store, account)):
            raise NotAllowedError(
                f"The namespace {account} has a key {name} already, which may be in use. Delete it first ('tenuto "
                f"namespace key delete {account} {name}'), or choose another name. Nothing was changed."
            )
        made = make_secret(user, at=now, by=actor)
        kept = replace(
            made.kept,
            grant=Grant(users=frozenset({user}), rights=_rights(commands), accounts=(account,)),
            expires_at=None if expires_s is None else Instant(now + expires_s),
        )
        told = self._changed(user, f"key added: {', '.join(commands)}", actor)
        saved = SaveRecord(kind=USER_SECRET, value=kept, expected_generation=0)
        self._store.commit((self._still(account), saved, told))
        return MadeKey(key=kept, secret=made.text)

    def keys(self, namespace: str) -> tuple[UserSecret, ...]:
        return keys_of(self._store, self._namespace(namespace).partition.account)

    def delete_key(self, namespace: str, name: str, *, actor: str = ROOT) -> UserSecret:
        """Let a key end at once. Raises NotFoundError when there is none."""
        account = self._namespace(namespace).partition.account
        user = key_name(account, name)
        there = keys_of(self._store, account)
        for one in there:
            if one.user == user:
                gone = RemoveRecord(kind=USER_SECRET, key=user)
                self._store.commit((gone, self._changed(user, "key deleted", actor)))
                return one
        names = [one.user.partition("/")[2] for one in there]
        known = f"There are: {', '.join(names)}." if names else "It has none."
        raise NotFoundError(f"The namespace {account} has no key {name[:80]!r}.{meant(name, names)} {known}")

    def trusted(self, namespace: str) -> tuple[str, ...]:
        """The namespaces that see the artifacts of this one, besides `system`."""
        return tuple(self._namespace(namespace).desired.get("Trust", ()))

    def set_trust(self, namespace: str, other: str, *, is_trusted: bool, actor: str = ROOT) -> tuple[str, ...]:
        """Let another namespace see the artifacts of this one, or end that. A second call changes nothing."""
        if other == SYSTEM:
            if is_trusted:
                return self.trusted(namespace)
            raise NotAllowedError(
                f"Every namespace trusts {SYSTEM}, which keeps what all use; that cannot be ended. Nothing was changed."
            )
        trusted = self._namespace(other) if is_trusted else None
        item = self._namespace(namespace)
        if other == item.logical_id:
            raise UserError(f"The namespace {other} sees its own artifacts anyway.")
        before = tuple(item.desired.get("Trust", ()))
        after = tuple(one for one in before if one != other) + ((other,) if is_trusted else ())
        if set(after) != set(before):
            word = "trusts" if is_trusted else "trusts no more"
            there = (self._still(trusted.partition.account),) if trusted is not None else ()
            self._set(item, "Trust", list(after), f"{word} {other}", actor, *there)
        return self.trusted(namespace)

    def limits(self, namespace: str) -> tuple[JsonMap, ...]:
        """Every thing that can be limited: its limit, and how much of it there is."""
        item = self._namespace(namespace)
        used, most = self._limits.used(item.partition.account), item.desired.get("Limits", {})
        return tuple(
            {"thing": thing, "summary": summary, "used": used.get(thing, 0), "most": most.get(thing)}
            for thing, summary in THINGS.items()
        )

    def set_limits(self, namespace: str, given: JsonMap, *, actor: str = ROOT) -> tuple[JsonMap, ...]:
        """Set limits, and end those that are None; the others stay."""
        item = self._namespace(namespace)
        checked_limits({thing: 0 if most is None else most for thing, most in given.items()})
        before: JsonMap = item.desired.get("Limits", {})
        after = {thing: most for thing, most in {**before, **given}.items() if most is not None}
        if after != before:
            words = ", ".join(f"{thing}={most}" for thing, most in sorted(given.items()))
            self._set(item, "Limits", after, f"limits: {words}", actor)
        return self.limits(namespace)

    def _still(self, namespace: str) -> SaveAccount:
        """The change that gives the account of a namespace another generation.

        A deletion of the namespace at this moment then sees what was committed with it, or comes first and refuses it:
        neither a key nor the trust of another one outlives a namespace.
        """
        home = known_account(self._store, namespace)
        return SaveAccount(account=home, expected_generation=home.generation)

    def _set(self, item: ManagedObject, field: str, value: Json, reason: str, actor: str, *more: StoreChange) -> None:
        changes = field_changes(item, field, value, reason, actor=actor, at=self._clock.now())
        self._store.commit((*more, *changes))

    def _kinds(self) -> list[ObjectType]:
        return [one for one in self._objects.types() if one.is_account]

    def _namespace(self, name: str) -> ManagedObject:
        """The live namespace of a name. Raises NotFoundError."""
        live = tuple(live_namespaces(self._store, self._objects.types()))
        for one in live:
            if name in (one.logical_id, one.object_id):
                return one
        names = [str(one.logical_id) for one in live]
        known = f"There are: {', '.join(names)}." if names else "No provider of this Conductor has any."
        raise NotFoundError(f"There is no namespace {name[:80]!r}.{meant(name, names)} {known}")

    def _changed(self, subject: str, reason: str, actor: str) -> Append:
        return access_changed(subject, reason, actor=actor, at=self._clock.now())


def key_document(key: UserSecret, now: Instant) -> JsonMap:
    """A key without its secret."""
    namespace, _, name = key.user.partition("/")
    return {
        "namespace": namespace,
        "name": name,
        "commands": sorted(key.grant.rights) if key.grant else [],
        "created": time_text(key.created_at),
        "created_by": key.created_by,
        "expires": None if key.expires_at is None else time_text(key.expires_at),
        "expired": key.is_expired(now),
    }


def _rights(commands: Sequence[str]) -> frozenset[Right]:
    """The rights of words as a policy has them. Raises UserError, also for rights that are not about one namespace."""
    if not commands:
        raise UserError("A key needs commands that it may give, such as run, update and questions.")
    found: set[Right] = set()
    known = [*_SETS, *_SETS["all"]]
    for word in commands:
        if word not in known:
            more = (
                " It is about the Conductor as a whole, and a key is about one namespace."
                if word in [one.value for one in OF_CONDUCTOR]
                else ""
            )
            raise UserError(
                f"{word[:80]!r} is no command that a key may give.{more or meant(word, known)} There are: "
                f"{', '.join(known)}."
            )
        found.update(_SETS.get(word) or (Right(word),))
    return frozenset(found)
