"""Sessions of browsers: a user signs in with a secret once, and then comes with a cookie.

Theory of operation. The id of a session is 256 random bits, and the store keeps its SHA-256 only. Each request looks
the session up, and the gatekeeper then asks whether the secret that signed in is still valid: a secret that is revoked
ends its sessions at once. So does a new secret of the owner, which takes effect with the next start. A session ends
twelve hours after its last request and seven days after its sign-in; that it was used is written at most every five
minutes. A session that was ended while a request of it was under way is never written again.

`tenuto web` opens a browser without showing the secret to it: a code that is good once, for a minute, and is kept in
memory only.
"""

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from tenuto.core.pacing.quotas import network_of, retry_after
from tenuto.errors import ConflictError, ForbiddenError, TooManyError
from tenuto.model.access import ROOT, Right
from tenuto.model.ids import Instant, JsonMap
from tenuto.model.quotas import Quota
from tenuto.model.web_session import WebSession
from tenuto.ports.clock import Clock
from tenuto.ports.record_kinds import WEB_SESSION
from tenuto.ports.records import RemoveRecord, SaveRecord
from tenuto.ports.store import Store
from tenuto.service.access.caller_quotas import CallerQuotas
from tenuto.service.access.callers import Caller
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.access.tokens import is_as_wide
from tenuto.service.common.values import time_text

IDLE_S = 12 * 3600.0
"""A working day. A browser that was closed over night signs in again."""
LONGEST_S = 7 * 24 * 3600.0
RECENT_S = 600.0
"""A kill asks for the secret again unless it was given within ten minutes: a browser may be left alone."""
CODE_S = 60.0
MOST_SESSIONS = 1000
"""Sessions that are kept; the one that was idle longest makes room."""
TRIES = 10
TRIES_WINDOW_S = 60.0
"""Ten wrong secrets a minute from one address: secrets cannot be guessed, but each try costs arithmetic."""
_SEEN_EVERY_S = 300.0
_ATTEMPTS = 10
"""A few pages of one browser may ask at the same moment; to lose ten times in a row needs a fault."""
_MOST_ADDRESSES = 1000
_MOST_CODES = 100
_ID_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A caller with a session. `token` is the secret that its forms must carry."""

    caller: Caller
    session: WebSession
    token: bytes

    def was_proved(self, now: Instant) -> bool:
        """Whether the user has given the secret a short while ago."""
        return now - self.session.proved_at < RECENT_S


class Sessions:
    """The sessions of all browsers. Thread-safe. Every method may raise StoreError."""

    def __init__(self, *, store: Store, clock: Clock, gatekeeper: Gatekeeper, quotas: CallerQuotas) -> None:
        self._store = store
        self._quotas = quotas
        self._clock = clock
        self._gatekeeper = gatekeeper
        self._lock = threading.Lock()
        self._failed: dict[str, list[Instant]] = {}
        self._codes: dict[str, tuple[Caller, Instant]] = {}

    def now(self) -> Instant:
        """Return the time by which sessions end."""
        return self._clock.now()

    def sign_in(self, secret: str, address: str) -> str | None:
        """The id of a new session; None for a wrong secret. Raises TooManyError after too many tries."""
        self.check_tries(address)
        caller = self._gatekeeper.recognise(secret.strip())
        if caller is None or caller.grant is not None:
            self.note_try(address)
            return None
        return self.begin(caller)

    def prove(self, signed: SignedIn, secret: str, right: Right, address: str) -> str:
        """Note that the user of the session has given the secret again, for the right to a grave command; or return why
        the secret does not count for that, and then nothing was done.

        Raises ForbiddenError for a session that was ended meanwhile: to check a secret takes a moment.
        """
        self.check_tries(address)
        caller = self._gatekeeper.recognise(secret.strip())
        if caller is None or caller.name != signed.caller.name:
            self.note_try(address)
            return "The secret is not right."
        if not is_as_wide(caller.narrowing, signed.caller.narrowing, right):
            return (
                f"That is a token which was made for less: give the secret of {caller.name}, or a token that may do "
                f"'{right}' wherever this session may."
            )
        if self._changed(signed.session, lambda one: replace(one, proved_at=self._clock.now())) is None:
            raise ForbiddenError("The session has ended meanwhile. Nothing was done. Sign in again.")
        return ""

    def make_code(self, caller: Caller) -> str:
        """A code that signs its caller in once, within a minute. Raises ForbiddenError for a key of a namespace."""
        if caller.grant is not None:
            raise ForbiddenError(
                f"{caller.name} is a key of a namespace, and the dashboard is for users: a key signs no browser in. "
                "Ask with the command line, or give the secret of a user in TENUTO_SECRET."
            )
        code = secrets.token_urlsafe(_ID_BYTES)
        now = self._clock.now()
        with self._lock:
            self._codes = {one: known for one, known in self._codes.items() if now - known[1] < CODE_S}
            if len(self._codes) >= _MOST_CODES:
                self._codes.pop(next(iter(self._codes)))
            self._codes[_digest(code)] = (caller, now)
        return code

    def sign_in_by_code(self, code: str, address: str) -> str | None:
        """The id of a new session; None for a code that was used, is too old, or never was."""
        self.check_tries(address)
        with self._lock:
            caller, made_at = self._codes.pop(_digest(code), (None, Instant(0.0)))
        if caller is None or self._clock.now() - made_at >= CODE_S:
            self.note_try(address)
            return None
        self._gatekeeper.check_known(caller)
        return self.begin(caller)

    def find(self, session_id: str, *, is_used: bool = True) -> SignedIn | None:
        """The session of an id; None when there is none, it is over, or its secret is not valid any more.

        `is_used` says that a person asks: the requests that an open page sends by itself keep no session alive.
        """
        if not session_id or len(session_id) > 100:
            return None
        kept = self._store.record(WEB_SESSION, _digest(session_id))
        now = self._clock.now()
        if kept is None or is_over(kept, now):
            return None
        caller = self._caller_of(session_id, kept)
        if caller is None:
            return None
        if is_used and now - kept.seen_at >= _SEEN_EVERY_S:
            kept = self._changed(kept, lambda one: replace(one, seen_at=now))
            if kept is None:
                return None
        token = hmac.digest(session_id.encode(), b"form", "sha256")
        return SignedIn(caller=caller, session=kept, token=token)

    def _changed(self, kept: WebSession, change: Callable[[WebSession], WebSession]) -> WebSession | None:
        """The session after a change, as it is stored then; None for one that was ended since it was read."""
        for _ in range(_ATTEMPTS):
            changed = change(kept)
            expected = kept.generation
            try:
                self._store.commit((SaveRecord(kind=WEB_SESSION, value=changed, expected_generation=expected),))
            except ConflictError as faster:
                found, lost = self._store.record(WEB_SESSION, kept.digest), faster
                if found is None:
                    return None
                kept = found
            else:
                return replace(changed, generation=expected + 1)
        raise lost

    def _caller_of(self, session_id: str, kept: WebSession) -> Caller | None:
        """The caller of a session; None when the secret that signed in is not valid any more."""
        if kept.user == ROOT:
            is_valid = hmac.compare_digest(kept.secret_key, self._gatekeeper.owner_mark(session_id))
            return Caller(name=ROOT) if is_valid else None
        caller = self._gatekeeper.caller_of(kept.user, kept.secret_key)
        try:
            self._gatekeeper.check_known(caller)
        except ForbiddenError:
            return None
        return caller

    def end(self, digest: str, *, caller: Caller) -> bool:
        """End a session that the caller may end. Returns whether there was one."""
        kept = self._store.record(WEB_SESSION, digest)
        if kept is None or not _may_end(caller, kept):
            return False
        self._store.commit((RemoveRecord(kind=WEB_SESSION, key=digest),))
        return True

    def of(self, caller: Caller) -> tuple[WebSession, ...]:
        """The sessions that the caller may end; the one seen last first."""
        now = self._clock.now()
        found = [one for one in self._store.records(WEB_SESSION) if not is_over(one, now)]
        mine = [one for one in found if _may_end(caller, one)]
        return tuple(sorted(mine, key=lambda one: (-one.seen_at, one.digest)))

    def begin(self, caller: Caller) -> str:
        """The id of a new session of a caller who has shown who they are."""
        session_id = secrets.token_urlsafe(_ID_BYTES)
        now = self._clock.now()
        made = WebSession(
            digest=_digest(session_id),
            user=caller.name,
            secret_key=self._gatekeeper.owner_mark(session_id) if caller.is_root else caller.key,
            made_at=now,
            proved_at=now,
            seen_at=now,
        )
        known = self._store.records(WEB_SESSION)
        over = [one for one in known if is_over(one, now)]
        left = sorted((one for one in known if not is_over(one, now)), key=lambda one: one.seen_at)
        over += left[: max(0, len(left) - MOST_SESSIONS + 1)]
        removed = tuple(RemoveRecord(kind=WEB_SESSION, key=one.digest) for one in over)
        self._store.commit((*removed, SaveRecord(kind=WEB_SESSION, value=made)))
        return session_id

    def check_tries(self, address: str) -> None:
        """Raise TooManyError when too many wrong secrets or tokens came from an address."""
        now = self._clock.now()
        with self._lock:
            tries = [at for at in self._failed.get(network_of(address), []) if now - at < TRIES_WINDOW_S]
        if len(tries) >= TRIES:
            self._quotas.refused(Quota.SIGN_INS, address)
            seconds = retry_after(tries[0] + TRIES_WINDOW_S - now)
            raise TooManyError(
                f"Too many wrong secrets came from {address}: Tenuto takes no sign-in from there for {seconds} s. "
                "Wait, then try again.",
                limit=Quota.SIGN_INS.value,
                retry_after_s=seconds,
            )

    def note_try(self, address: str) -> None:
        """Count a wrong one."""
        address, now = network_of(address), self._clock.now()
        with self._lock:
            if len(self._failed) >= _MOST_ADDRESSES and address not in self._failed:
                self._failed.pop(next(iter(self._failed)))
            tries = [at for at in self._failed.get(address, []) if now - at < TRIES_WINDOW_S]
            self._failed[address] = [*tries, now]


def _may_end(caller: Caller, session: WebSession) -> bool:
    """Whether a caller may end a session: the owner each, a user their own, and a token with limits those that it
    began itself, since it is no more than a part of its user."""
    is_own = session.user == caller.name and (caller.narrowing is None or session.secret_key == caller.key)
    return caller.is_root or is_own


def is_over(session: WebSession, now: Instant) -> bool:
    """Whether a session is not to be used any more."""
    return now - session.seen_at >= IDLE_S or now - session.made_at >= LONGEST_S


def session_document(session: WebSession) -> JsonMap:
    """The document of a session for people. Its digest names it and is no credential."""
    return {
        "id": session.digest,
        "user": session.user,
        "made": time_text(session.made_at),
        "seen": time_text(session.seen_at),
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
