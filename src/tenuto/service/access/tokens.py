"""Tokens of users: secrets that expire, and that may do less than their user.

A user has one secret and any number of tokens, so that one can be changed while another is in use. A token is known by
the name of its user: the history, approvals and events name the user. A token may do a thing only when its user may do
it *and* the token was made for it. Both are asked at each request, so a token is never wider than its user is by then.
It ends with its time, with its user, and when it is revoked.
"""

import re
import secrets
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from tenuto.errors import NotAllowedError, NotFoundError, UserError
from tenuto.kit.nearest import meant
from tenuto.model.access import Grant, Policy, Right, UserSecret
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, JsonMap
from tenuto.ports.clock import Clock
from tenuto.ports.record_kinds import USER_SECRET
from tenuto.ports.records import RemoveRecord, SaveRecord
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append
from tenuto.service.access.user_secrets import make_token
from tenuto.service.common.values import time_text

SEPARATOR = ":"
"""A sign that no name of a user has."""
LONGEST_S = 366 * 24 * 3600.0
"""A token of more than a year is one that was forgotten."""
MOST = 100
SIGN_IN = "oidc"
"""The beginning of the names of tokens that were made for a sign-in at an issuer."""
_OF_SIGN_IN = re.compile(rf"{SIGN_IN}-[0-9a-f]{{12}}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Tokens:
    """Every method raises NotFoundError, NotAllowedError, UserError or StoreError. Rights are the gatekeeper's."""

    def __init__(self, *, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def all(self, user: str) -> tuple[UserSecret, ...]:
        return tuple(one for one in self._store.user_secrets() if one.owner == user)

    def check_known(self, policy: Policy, user: str) -> None:
        """Raise NotFoundError for a user that the policy does not name."""
        if user not in policy.users:
            raise NotFoundError(
                f"There is no user {user!r} in the policy.{meant(user, policy.users)} 'tenuto user list' shows them."
            )

    def add(
        self,
        policy: Policy,
        user: str,
        name: str,
        *,
        expires_s: float,
        commands: Sequence[str],
        accounts: Sequence[str],
        actor: str,
        within: Grant | None = None,
        until: Instant | None = None,
    ) -> tuple[UserSecret, str]:
        """A token, and its secret, which is told this once. Without limits it has all rights of its user.

        `within` and `until` are those of the token by which it is made: it gets no more than that.
        """
        self.check_known(policy, user)
        if _NAME.fullmatch(name) is None:
            raise UserError(f"{name[:80]!r} cannot name a token: up to 64 letters, digits, '.', '_' and '-'.")
        if _OF_SIGN_IN.fullmatch(name) is not None:
            raise UserError(f"{name} is a name of a sign-in, which ends where there are too many. Choose another name.")
        if not 0 < expires_s <= LONGEST_S:
            raise UserError("A token must last longer than 0 s and at most 366 days.")
        known = self.all(user)
        if any(one.user == _key(user, name) for one in known):
            raise NotAllowedError(
                f"{user} has a token {name} already, which may be in use. Revoke it first ('tenuto user token revoke "
                f"{user} {name}'), or choose another name. Nothing was changed."
            )
        if len(known) >= MOST:
            raise NotAllowedError(f"{user} has {MOST} tokens already. Revoke some first.")
        now = self._clock.now()
        if until is not None and now + expires_s > until:
            raise NotAllowedError(
                f"The token by which it is made ends at {time_text(until)}, and a token makes none that lasts longer. "
                "Nothing was changed. Give a shorter time, or use the secret of the user."
            )
        narrowing = _bounded(_narrowing(user, commands, accounts), commands, accounts, within)
        made = make_token(_key(user, name), at=now, by=actor)
        kept = replace(made.kept, owner=user, grant=narrowing, expires_at=Instant(now + expires_s))
        told = f"token {name} added, until {time_text(kept.expires_at)}"
        self._store.commit(
            (SaveRecord(kind=USER_SECRET, value=kept, expected_generation=0), self._changed(user, told, actor))
        )
        return kept, made.text

    def exchange(self, user: str, *, narrowing: Grant | None, expires_s: float, subject: str) -> tuple[UserSecret, str]:
        """A token for a user whom an issuer has told, and its secret. Those of the user that have expired are removed.

        Above the bound, the oldest sign-in ends in favour of the new one. `subject` says who that is at which issuer,
        for the event.
        """
        now = self._clock.now()
        known = self.all(user)
        valid = [one for one in known if not one.is_expired(now)]
        ended = _in_favour(valid, user)
        over = [RemoveRecord(kind=USER_SECRET, key=one.user) for one in known if one in ended or one.is_expired(now)]
        name = f"{SIGN_IN}-{secrets.token_hex(6)}"
        made = make_token(_key(user, name), at=now, by=user)
        kept = replace(made.kept, owner=user, grant=narrowing, expires_at=Instant(now + expires_s))
        told = f"token {name} for {subject}, until {time_text(kept.expires_at)}"
        if ended:
            names = ", ".join(_name(one) for one in ended)
            told += f"; ended the oldest sign-in {names}, since {user} had {MOST} tokens"
        saved = SaveRecord(kind=USER_SECRET, value=kept, expected_generation=0)
        self._store.commit((*over, saved, self._changed(user, told, user)))
        return kept, made.text

    def revoke(self, user: str, name: str, *, actor: str) -> None:
        """End a token at once."""
        known = self.all(user)
        if not any(one.user == _key(user, name) for one in known):
            names = [_name(one) for one in known]
            there = f"There are: {', '.join(names)}." if names else f"{user} has none."
            raise NotFoundError(f"{user} has no token {name[:80]!r}.{meant(name, names)} {there}")
        gone = RemoveRecord(kind=USER_SECRET, key=_key(user, name))
        self._store.commit((gone, self._changed(user, f"token {name} revoked", actor)))

    def _changed(self, user: str, reason: str, actor: str) -> Append:
        event = Event(
            at=self._clock.now(), type=EventType.ACCESS_CHANGED, subject=f"user {user}", actor=actor, reason=reason
        )
        return Append(events=(event,))


def narrowed(policy: Policy, user: str, narrowing: Grant) -> Policy:
    """The policy for a token: each grant of its user, cut down to the rights and accounts of the token."""
    grants = []
    for grant in policy.grants:
        if user not in grant.users:
            continue
        accounts = grant.accounts
        if narrowing.accounts:
            accounts = tuple(
                one for one in narrowing.accounts if any(fnmatchcase(one, pattern) for pattern in grant.accounts)
            )
        rights = grant.rights & narrowing.rights
        if rights:
            grants.append(replace(grant, users=frozenset({user}), rights=rights, accounts=accounts))
    return replace(policy, grants=tuple(grants))


def is_made_for(narrowing: Grant | None, right: Right, account: str) -> bool:
    """Whether a token was made for a command there, of which its user may be allowed less. One without limits is for
    everything."""
    return narrowing is None or (
        right in narrowing.rights and (not narrowing.accounts or account in narrowing.accounts)
    )


def is_as_wide(narrowing: Grant | None, other: Grant | None, right: Right) -> bool:
    """Whether a token was made for a command wherever another token of the same user was. None is a secret without
    limits."""
    if narrowing is None:
        return True
    if right not in narrowing.rights:
        return False
    accounts = other.accounts if other is not None else ()
    return not narrowing.accounts or (bool(accounts) and set(accounts) <= set(narrowing.accounts))


def token_document(token: UserSecret, now: Instant) -> JsonMap:
    """A token as people see it, without its secret."""
    grant = token.grant
    return {
        "user": token.owner,
        "name": _name(token),
        "created": time_text(token.created_at),
        "created_by": token.created_by,
        "expires": time_text(token.expires_at),
        "expired": token.is_expired(now),
        "used": time_text(token.used_at),
        "commands": sorted(grant.rights) if grant else None,
        "accounts": list(grant.accounts) if grant and grant.accounts else None,
    }


def _in_favour(valid: Sequence[UserSecret], user: str) -> Sequence[UserSecret]:
    """The sign-ins that end in favour of a new one, the oldest first. Tokens that were added never do. Raises
    NotAllowedError.
    """
    surplus = max(0, len(valid) + 1 - MOST)
    of_sign_ins = [one for one in valid if _OF_SIGN_IN.fullmatch(_name(one))]
    if len(of_sign_ins) < surplus:
        raise NotAllowedError(
            f"{user} has {MOST} tokens that were added, so there is no place for a sign-in. Nothing was changed. A "
            f"holder of one of them or the owner of the Conductor can revoke some ('tenuto user token revoke {user} "
            "NAME')."
        )
    return sorted(of_sign_ins, key=lambda one: (one.created_at, one.user))[:surplus]


def _narrowing(user: str, commands: Sequence[str], accounts: Sequence[str]) -> Grant | None:
    if not commands and not accounts:
        return None
    strange = [one for one in commands if one not in set(Right)]
    if strange:
        raise UserError(f"There is no command {strange[0]!r}.{meant(strange[0], Right)} There are {', '.join(Right)}.")
    if any(set(one) & set("*?[") for one in accounts):
        raise UserError("A token is for accounts by their names; patterns stand in the policy.")
    rights = frozenset(map(Right, commands)) if commands else frozenset(Right)
    return Grant(users=frozenset({user}), rights=rights, accounts=tuple(accounts))


def _bounded(
    narrowing: Grant | None, commands: Sequence[str], accounts: Sequence[str], within: Grant | None
) -> Grant | None:
    """The narrowing that is no wider than another one. Limits that were not asked for come from there."""
    if within is None or narrowing is None:
        return within or narrowing
    wider = sorted(set(commands) - within.rights) + sorted(set(accounts) - set(within.accounts or accounts))
    if wider:
        raise NotAllowedError(
            f"The token by which it is made may not do that: {', '.join(wider)}. A token makes none that may do more "
            "than it. Nothing was changed."
        )
    rights = narrowing.rights if commands else within.rights
    return replace(narrowing, rights=rights, accounts=narrowing.accounts or within.accounts)


def _name(token: UserSecret) -> str:
    return token.user.partition(SEPARATOR)[2]


def _key(user: str, name: str) -> str:
    return f"{user}{SEPARATOR}{name}"
