"""Sign-in at an issuer (OpenID Connect): people in a browser or on a command line, and programs of CI.

Theory of operation. All three ways end the same: a signed token of an issuer is verified (`ports.issuers`), its claims
are checked (`core.access.identities`), a rule of the policy names the user that it stands for, and the user gets a
token of Tenuto, short-lived and as narrow as the rule says. The session of a browser depends on such a token too, which
is never shown: revoking it ends the session. A claim never gives a right; grants do.

The browser's way: a state and a nonce are made for one sign-in, kept here for ten minutes, used once, and bound to the
browser by a cookie, so that a link that another person sent signs no user in. The verifier of PKCE stays here as well.
"""

import hashlib
import secrets
import threading
from base64 import urlsafe_b64encode
from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlencode

from tenuto.core.access.identities import check_claims, narrowing_for, rules_for, user_of
from tenuto.core.pacing.quotas import network_of
from tenuto.errors import ForbiddenError, NotFoundError
from tenuto.kit.well_formed import ill_formed_place
from tenuto.model.access import UserSecret
from tenuto.model.identity import IdentityRule, Wanted
from tenuto.model.ids import Instant, JsonMap
from tenuto.ports.clock import Clock
from tenuto.ports.issuers import Issuers
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.access.sessions import Sessions
from tenuto.service.access.tokens import Tokens

BEGUN_S = 600.0
"""The time that a person takes to find a password and a second factor."""
_MOST_BEGUN = 1000
_LONGEST_TOKEN = 16_384
_RANDOM_BYTES = 32
_LONGEST_WORD = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A sign-in that a browser went away with: where to send it, and the value of the cookie that binds it."""

    url: str
    binding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pending:
    at: Instant
    binding: str
    nonce: str
    verifier: str
    redirect: str
    following: str
    network: str


class Identities:
    """Signs in people and programs of issuers. Thread-safe.

    Every method may raise StoreError, and ForbiddenError or TransientError like `Issuers`.
    """

    def __init__(
        self, *, clock: Clock, gatekeeper: Gatekeeper, tokens: Tokens, sessions: Sessions, issuers: Issuers
    ) -> None:
        self._clock = clock
        self._gatekeeper = gatekeeper
        self._tokens = tokens
        self._sessions = sessions
        self._issuers = issuers
        self._lock = threading.Lock()
        self._pending: dict[str, _Pending] = {}

    @property
    def has_people(self) -> bool:
        """Whether people can sign in at an issuer."""
        return self._issuers.for_people() is not None

    def about(self) -> JsonMap:
        """Return where people sign in, and which issuers' tokens are taken: nothing that is secret."""
        issuer = self._issuers.for_people()
        people: JsonMap | None = None
        if issuer is not None:
            places = self._issuers.endpoints(issuer)
            people = {
                "issuer": issuer.url,
                "client": issuer.client,
                "authorization_endpoint": places.authorization,
                "token_endpoint": places.token,
            }
        return {"people": people, "issuers": [one.url for one in self._issuers.known()]}

    def exchange(self, token: str, *, nonce: str | None, address: str) -> tuple[UserSecret, str]:
        """A token of Tenuto for one of an issuer, with its secret, which is told this once.

        Raises ForbiddenError after too many wrong ones from an address, too.
        """
        self._sessions.check_tries(address)
        try:
            return self._exchanged(token, nonce)
        except ForbiddenError:
            self._sessions.note_try(address)
            raise

    def begin(self, *, redirect: str, following: str, address: str) -> Begun:
        """A sign-in at the issuer. Its answer comes to `redirect`; `following` is the page after it.

        Of too many that are under way, one of the network with the most of them ends.
        """
        issuer = self._issuers.for_people()
        if issuer is None:
            raise NotFoundError(
                "There is no issuer at which people sign in. Start the Conductor with --oidc-issuer URL=CLIENT."
            )
        endpoint = self._issuers.endpoints(issuer).authorization
        state, nonce, verifier, binding = (secrets.token_urlsafe(_RANDOM_BYTES) for _ in range(4))
        now = self._clock.now()
        made = _Pending(
            at=now,
            binding=binding,
            nonce=nonce,
            verifier=verifier,
            redirect=redirect,
            following=following,
            network=network_of(address),
        )
        with self._lock:
            self._pending = {key: one for key, one in self._pending.items() if now - one.at < BEGUN_S}
            if len(self._pending) >= _MOST_BEGUN:
                [(most, _)] = Counter(one.network for one in self._pending.values()).most_common(1)
                self._pending.pop(next(key for key, one in self._pending.items() if one.network == most))
            self._pending[_digest(state)] = made
        query = urlencode(
            {
                "response_type": "code",
                "client_id": issuer.client,
                "redirect_uri": redirect,
                "scope": "openid email profile",
                "state": state,
                "nonce": nonce,
                "code_challenge": challenge_of(verifier),
                "code_challenge_method": "S256",
            }
        )
        return Begun(url=f"{endpoint}{'&' if '?' in endpoint else '?'}{query}", binding=binding)

    def finish(
        self, *, code: str, state: str, binding: str, issuer: str | None, redirect: str, address: str
    ) -> tuple[str, str]:
        """The id of a new session for the answer of the issuer, and the page after it.

        `issuer` is who says that it answers (RFC 9207), where the issuer says so.
        """
        self._sessions.check_tries(address)
        try:
            return self._finished(code, state, binding, issuer, redirect)
        except ForbiddenError:
            self._sessions.note_try(address)
            raise

    def _finished(self, code: str, state: str, binding: str, answering: str | None, redirect: str) -> tuple[str, str]:
        with self._lock:
            begun = self._pending.pop(_digest(state), None)
        issuer = self._issuers.for_people()
        is_fresh = begun is not None and self._clock.now() - begun.at < BEGUN_S
        if begun is None or not is_fresh or issuer is None or begun.redirect != redirect:
            raise ForbiddenError("The sign-in is over, or was used already. Nothing was changed; sign in again.")
        if not binding or not secrets.compare_digest(begun.binding.encode(), binding.encode(errors="replace")):
            raise ForbiddenError("The sign-in was begun in another browser. Nothing was changed; sign in again here.")
        if answering is not None and answering != issuer.url:
            raise ForbiddenError("Another issuer answers than the one that was asked. Nothing was changed.")
        if not code:
            raise ForbiddenError("The issuer did not sign you in. Nothing was changed; sign in again.")
        token = self._issuers.redeem(issuer, code=code, verifier=begun.verifier, redirect=begun.redirect)
        kept, _ = self._exchanged(token, begun.nonce, audience=issuer.client)
        return self._sessions.begin(self._gatekeeper.caller_of(kept.owner, kept.key)), begun.following

    def _exchanged(self, token: str, nonce: str | None, audience: str | None = None) -> tuple[UserSecret, str]:
        if len(token) > _LONGEST_TOKEN:
            raise ForbiddenError(f"A token of an issuer has at most {_LONGEST_TOKEN:,} letters. Nothing was changed.")
        claims = self._issuers.verified(token)
        _check_texts(claims)
        rule, user = self._named(claims, nonce, audience)
        subject = f"{str(claims['sub'])[:_LONGEST_WORD]} of {rule.issuer}"
        return self._tokens.exchange(
            user, narrowing=narrowing_for(rule, user), expires_s=60.0 * rule.minutes, subject=subject
        )

    def _named(self, claims: JsonMap, nonce: str | None, audience: str | None) -> tuple[IdentityRule, str]:
        """The first rule that is about the token, and the user that it names. Raises ForbiddenError."""
        policy, issuer = self._gatekeeper.policy(), str(claims["iss"])
        refused: ForbiddenError | None = None
        is_in_order = False
        rules = rules_for(policy, issuer)
        # A refusal is about the rules for its audience, where there are any.
        given = claims.get("aud")
        meant = [one for one in rules if one.audience in (given if isinstance(given, list) else [given])]
        for rule in meant or rules:
            if audience is not None and rule.audience != audience:
                continue
            try:
                check_claims(claims, Wanted(issuer=issuer, audience=rule.audience, nonce=nonce), self._clock.wall())
            except ForbiddenError as wrong:
                refused = refused or wrong
                continue
            is_in_order = True
            user = user_of(policy, rule, claims)
            if user is not None:
                return rule, user
        if refused is not None and not is_in_order:
            raise refused
        raise ForbiddenError(
            f"No rule of the policy names a user for this token of {issuer}. Nothing was changed. A rule under "
            "Identities in the policy would ('tenuto policy show')."
        )


def _check_texts(claims: JsonMap) -> None:
    """Raise ForbiddenError for claims with a text that no store and no event can hold."""
    try:
        place = ill_formed_place(claims)
    except RecursionError:
        raise ForbiddenError("The claims of the token are nested too deeply. Nothing was changed.") from None
    if place is not None:
        raise ForbiddenError(
            f"The token of the issuer is refused: its claim '{place[:_LONGEST_WORD]}' holds half of a surrogate pair, "
            "which is no text. Nothing was changed. Correct the claim at the issuer, then sign in again."
        )


def challenge_of(verifier: str) -> str:
    """The challenge of PKCE (S256) for a verifier."""
    return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
