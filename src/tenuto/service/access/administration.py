"""The policy and the users: set, shown and revoked. Every change is one commit with its event."""

from collections.abc import Iterable
from dataclasses import dataclass

from tenuto.compositions.policies.policy import compile_policy
from tenuto.errors import NotFoundError, UserError
from tenuto.kit.nearest import meant
from tenuto.model.access import ROOT, Grant, Policy, PolicyText, UserSecret
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, JsonMap
from tenuto.ports.clock import Clock
from tenuto.ports.record_kinds import POLICY, THE_POLICY, USER_SECRET
from tenuto.ports.records import RemoveRecord, SaveRecord
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append
from tenuto.service.access.callers import Caller
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.access.tokens import narrowed
from tenuto.service.access.user_secrets import make_secret
from tenuto.service.common.values import time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user of the policy; without a secret they are not enabled and cannot act."""

    name: str
    secret: UserSecret | None


class Administration:
    """Every method may raise StoreError, and then has changed nothing. Rights are the gatekeeper's matter."""

    def __init__(self, *, store: Store, clock: Clock, gatekeeper: Gatekeeper) -> None:
        self._store = store
        self._clock = clock
        self._gatekeeper = gatekeeper

    def now(self) -> Instant:
        """The moment by the Conductor's clock, which decides about expiry."""
        return self._clock.now()

    def policy(self) -> PolicyText | None:
        return self._store.policy()

    def set_policy(self, text: str, *, file: str, actor: str) -> tuple[PolicyText, tuple[str, ...]]:
        """The policy from now on, and the users whose secrets are revoked by it: those whom it does not name, so that
        a name that comes back later is a new user. Raises CompileError, and then nothing was changed."""
        policy = compile_policy(text, file=file)
        staying = set(policy.users) & set(self._gatekeeper.policy().users)
        gone = tuple(one.user for one in self._users_secrets() if (one.owner or one.user) not in staying)
        made = PolicyText(text=text, file=file, set_at=self._clock.now(), set_by=actor)
        told = f"set from {file}: {counted(policy)}" + (f"; secrets revoked: {', '.join(gone)}" if gone else "")
        new = SaveRecord(kind=POLICY, value=made)
        self._store.commit((new, *_revoked(gone), self._changed("policy", told, actor)))
        return made, gone

    def remove_policy(self, *, actor: str) -> tuple[str, ...]:
        """Remove the policy: only the owner may act then. Returns the users whose secrets were revoked by that."""
        gone = tuple(one.user for one in self._users_secrets())
        if self._store.policy() is None and not gone:
            return ()
        told = "removed" + (f"; secrets revoked: {', '.join(gone)}" if gone else "")
        none = RemoveRecord(kind=POLICY, key=THE_POLICY)
        self._store.commit((none, *_revoked(gone), self._changed("policy", told, actor)))
        return gone

    def users(self) -> tuple[User, ...]:
        """The users of the policy, in its order."""
        secrets = {one.user: one for one in self._store.user_secrets()}
        return tuple(User(name=name, secret=secrets.get(name)) for name in self._gatekeeper.policy().users)

    def generate_secret(self, user: str, *, actor: str) -> str:
        """A secret for a user, told this once. An earlier one is revoked by it. Raises NotFoundError."""
        self._check_user(user)
        made = make_secret(user, at=self._clock.now(), by=actor)
        secret = SaveRecord(kind=USER_SECRET, value=made.kept)
        self._store.commit((secret, self._changed(f"user {user}", "secret generated", actor)))
        return made.text

    def revoke_secret(self, user: str, *, actor: str) -> bool:
        """Revoke the secret of a user, and their tokens. Returns whether there was any. Raises NotFoundError."""
        self._check_user(user)
        theirs = [one.user for one in self._store.user_secrets() if user in (one.user, one.owner)]
        if not theirs:
            return False
        self._store.commit((*_revoked(theirs), self._changed(f"user {user}", "secret revoked", actor)))
        return True

    def grants_of(self, caller: Caller) -> tuple[Grant, ...]:
        """The grants that the policy gives a user, or the one of a key."""
        if caller.grant is not None:
            return (caller.grant,)
        policy = self._gatekeeper.policy()
        if caller.narrowing is not None:
            policy = narrowed(policy, caller.name, caller.narrowing)
        return tuple(grant for grant in policy.grants if caller.name in grant.users)

    def _users_secrets(self) -> tuple[UserSecret, ...]:
        """The secrets that the policy is about: keys of namespaces are made and revoked by themselves."""
        return tuple(one for one in self._store.user_secrets() if one.grant is None or one.owner)

    def _check_user(self, user: str) -> None:
        if user == ROOT:
            raise UserError(
                f"The secret of {ROOT} is in the Conductor's credentials file. To make another one, stop the "
                "Conductor, delete that file, and start it again."
            )
        users = self._gatekeeper.policy().users
        if user not in users:
            known = f"it names {', '.join(users)}" if users else "there is no policy with users"
            raise NotFoundError(
                f"There is no user {user!r} in the policy; {known}.{meant(user, users)} 'tenuto policy set' changes it."
            )

    def _changed(self, subject: str, reason: str, actor: str) -> Append:
        at = self._clock.now()
        event = Event(at=at, type=EventType.ACCESS_CHANGED, subject=subject, actor=actor, reason=reason)
        return Append(events=(event,))


def policy_document(policy: PolicyText | None) -> JsonMap:
    if policy is None:
        return {"policy": None}
    compiled = compile_policy(policy.text, file=policy.file)
    return {
        "policy": {
            "text": policy.text,
            "file": policy.file,
            "set_at": time_text(policy.set_at),
            "set_by": policy.set_by,
            "users": list(compiled.users),
            "grants": [grant_document(one) for one in compiled.grants],
        }
    }


def grant_document(grant: Grant) -> JsonMap:
    return {
        "users": sorted(grant.users),
        "commands": sorted(grant.rights),
        "accounts": list(grant.accounts),
        "aliases": None if grant.aliases is None else list(grant.aliases),
    }


def user_document(user: User) -> JsonMap:
    secret = user.secret
    return {
        "name": user.name,
        "enabled": secret is not None,
        "secret_created": time_text(secret.created_at) if secret else None,
        "secret_created_by": secret.created_by if secret else None,
    }


def counted(policy: Policy) -> str:
    """Return how many users and grants a policy has, for people."""
    users, grants = len(policy.users), len(policy.grants)
    return f"{users} user{'' if users == 1 else 's'}, {grants} grant{'' if grants == 1 else 's'}"


def _revoked(users: Iterable[str]) -> tuple[RemoveRecord, ...]:
    """The end of the secrets of users: a user without one cannot act."""
    return tuple(RemoveRecord(kind=USER_SECRET, key=user) for user in users)
