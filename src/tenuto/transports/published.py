"""The published document and keys of one issuer, as far as they are known.

Theory of operation. They are kept for an hour, and asked for again when no known key has signed a token, once a minute
at most: a caller with made-up tokens causes no traffic. One thread asks at a time, and no lock is held meanwhile, so
that those who need no newer keys go on. Few others wait for the answer, and for a short time: an issuer that is slow
would else occupy every thread of the server. The rest are told that the issuer is being asked.

A failure is remembered for the same minute, with its reason. Until the issuer can be asked again, nothing is known
about a token that no known key has signed, and it is not refused for good.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tenuto.errors import TransientError
from tenuto.transports.issuer_answers import asked, place_of, silent

MOST_KEYS = 100
KEYS_KEPT_S = 3600.0
REFETCH_S = 60.0
MOST_WAITING = 3
"""The number of callers that wait while the issuer is asked. Each occupies one of the server's forty threads."""
WAIT_S = 5.0
"""Seconds for which they wait. An issuer that works answers within one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The answer of an issuer, and the time when it came."""

    document: Mapping[str, Any] = field(default_factory=dict)
    keys: Sequence[Mapping[str, Any]] = ()
    at: float = float("-inf")


class Published:
    """The memory of one issuer. Thread-safe. Every method may raise TransientError."""

    def __init__(self, issuer: str, monotonic: Callable[[], float]) -> None:
        self._issuer = issuer
        self._monotonic = monotonic
        self._turn = threading.Condition()
        self._known = Known()
        self._tried_at = float("-inf")
        self._failure = ""
        """The words about the last try; empty when the issuer answered."""
        self._is_asked = False
        self._waiting = 0

    def known(self) -> Known:
        """The document and the keys. Old ones serve a second hour while the issuer does not answer."""
        known = self._known
        age = self._monotonic() - known.at
        if age < KEYS_KEPT_S:
            return known
        is_usable = age < 2 * KEYS_KEPT_S
        if is_usable and self._is_asked:
            return known
        try:
            return self.newer(known)
        except TransientError:
            if not is_usable:
                raise
            return known

    def newer(self, than: Known) -> Known:
        """The answer after that one; that one itself when the issuer gave it within the last minute."""
        with self._turn:
            if self._is_asked:
                self._wait()
            if self._known is not than:
                return self._known
            now = self._monotonic()
            if now - self._tried_at < REFETCH_S:
                if self._failure:
                    raise TransientError(f"{self._failure} It is asked once a minute at most.", code="Issuer")
                return self._known
            self._is_asked, self._tried_at = True, now
        return self._asked()

    def _wait(self) -> None:
        """Return when the other thread has the answer of the issuer, or its failure."""
        if self._waiting >= MOST_WAITING:
            raise self._busy()
        self._waiting += 1
        try:
            if not self._turn.wait_for(lambda: not self._is_asked, WAIT_S):
                raise self._busy()
        finally:
            self._waiting -= 1

    def _busy(self) -> TransientError:
        return silent(self._issuer, "it is being asked for its keys, and has not answered yet")

    def _asked(self) -> Known:
        found = self._known
        failure = str(silent(self._issuer, "its answer could not be read"))
        try:
            found, failure = self._fetched(), ""
        except TransientError as failed:
            failure = str(failed)
            raise
        finally:
            with self._turn:
                self._known, self._failure, self._is_asked = found, failure, False
                self._turn.notify_all()
        return found

    def _fetched(self) -> Known:
        issuer = self._issuer
        status, document = asked("GET", f"{issuer.rstrip('/')}/.well-known/openid-configuration", self._monotonic)
        if status != 200:
            raise silent(issuer, f"it answered with HTTP {status} in place of its configuration")
        if document.get("issuer") != issuer:
            raise silent(issuer, "its configuration names another issuer or none")
        status, answer = asked("GET", place_of(issuer, document, "jwks_uri"), self._monotonic)
        keys = answer.get("keys")
        if status != 200 or not isinstance(keys, list) or not all(isinstance(one, dict) for one in keys):
            raise silent(issuer, f"HTTP {status} without keys")
        return Known(document=document, keys=keys[:MOST_KEYS], at=self._monotonic())
