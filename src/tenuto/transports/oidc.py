"""Issuers of signed tokens over HTTP: their published documents, their keys, and codes that become tokens.

Theory of operation. An issuer is believed only as far as the administrator named its URL. Its published document must
name that URL; its keys are kept for an hour, and asked for again when a token names an unknown one, once a minute at
most: a caller with made-up key names causes no traffic. Redirects are not followed, an exchange has one time limit for
all of it (`transports.timed`) and an answer a size, and all but loopback is TLS. The algorithm of a signature is one of
a fixed list, all of them with public keys: `none`, and a MAC with a public key for its secret (HS256), are not on it.
The kind of the key must be that of the algorithm, and a key in a token's own header is never looked at.
"""

import base64
import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import urllib3
from urllib3.util import Url, parse_url

from tenuto.errors import ForbiddenError, TransientError
from tenuto.kit.address import is_loopback
from tenuto.model.identity import Issuer
from tenuto.ports.issuers import Endpoints
from tenuto.transports.timed import Deadline, timed_pool

ALGORITHMS: Mapping[str, str] = {
    "RS256": "RSA",
    "RS384": "RSA",
    "RS512": "RSA",
    "PS256": "RSA",
    "ES256": "EC",
    "ES384": "EC",
    "EdDSA": "OKP",
}
"""The algorithms that are accepted, with the kind of key of each."""
LONGEST_TOKEN = 16_384
LARGEST_ANSWER = 262_144
MOST_KEYS = 100
KEYS_KEPT_S = 3600.0
REFETCH_S = 60.0
TIME_LIMIT_S = 15.0
_SMALLEST_RSA_BYTES = 256


@dataclass(slots=True)
class _Kept:
    """The memory of one issuer. `tried_at` is the time of the last request, be it answered or not."""

    document: Mapping[str, Any] = field(default_factory=dict)
    keys: Sequence[Mapping[str, Any]] = ()
    fetched_at: float = float("-inf")
    tried_at: float = float("-inf")


class HttpIssuers:
    """Implements `ports.issuers.Issuers`. `secret_file` holds the client's secret, where the issuer wants one."""

    def __init__(
        self,
        issuers: Sequence[Issuer] = (),
        *,
        secret_file: Path | None = None,
        monotonic: Any = time.monotonic,
    ) -> None:
        self._issuers = {one.url: one for one in issuers}
        self._secret_file = secret_file
        self._monotonic = monotonic
        self._kept = {one.url: _Kept() for one in issuers}
        self._lock = threading.Lock()

    def known(self) -> tuple[Issuer, ...]:
        return tuple(self._issuers.values())

    def for_people(self) -> Issuer | None:
        return next((one for one in self._issuers.values() if one.client), None)

    def verified(self, token: str) -> Mapping[str, Any]:
        header, claims = _parts(token)
        algorithm, key_id = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            raise _refused(f"it is signed by an algorithm that is not accepted; there are {', '.join(ALGORITHMS)}")
        if "crit" in header or "b64" in header:
            raise _refused("its header has extensions, which are not accepted")
        issuer = claims.get("iss")
        if not isinstance(issuer, str) or issuer not in self._issuers:
            raise _refused("its issuer is not one of those that the Conductor was started with (--oidc-issuer)")
        for key in self._candidates(issuer, key_id, ALGORITHMS[algorithm], algorithm):
            found = _decoded(token, key, algorithm)
            if found is not None:
                return found
        raise _refused("no key of its issuer has signed it")

    def endpoints(self, issuer: Issuer) -> Endpoints:
        document = self._known(issuer.url).document
        names = ("authorization_endpoint", "token_endpoint")
        places = [self._place(issuer.url, document, name) for name in names]
        return Endpoints(authorization=places[0], token=places[1])

    def redeem(self, issuer: Issuer, *, code: str, verifier: str, redirect: str) -> str:
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect,
            "client_id": issuer.client,
            "code_verifier": verifier,
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        secret = self._secret()
        if secret:
            pair = f"{quote(issuer.client, safe='')}:{quote(secret, safe='')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        status, document = self._ask("POST", self.endpoints(issuer).token, urlencode(fields), headers)
        token = document.get("id_token")
        if 400 <= status < 500:
            raise _refused(f"the issuer did not take the code of the sign-in (HTTP {status})")
        if status != 200 or not isinstance(token, str):
            raise _silent(issuer.url, f"HTTP {status} without an identity token")
        return token

    def _secret(self) -> str:
        """Read at each sign-in, so that a new one needs no restart; its mode was checked at the start."""
        try:
            return self._secret_file.read_text(encoding="utf-8").strip() if self._secret_file else ""
        except (OSError, UnicodeDecodeError) as failed:
            raise TransientError(
                f"The file of the client's secret {self._secret_file} cannot be read ({type(failed).__name__}). "
                "Correct it, then sign in again.",
                code="Secret",
            ) from failed

    def _candidates(self, issuer: str, key_id: object, kind: str, algorithm: str) -> Sequence[Mapping[str, Any]]:
        def fit() -> list[Mapping[str, Any]]:
            return [
                one
                for one in self._known(issuer).keys
                if one.get("kty") == kind
                and one.get("use", "sig") == "sig"
                and (kind != "RSA" or len(_raw(str(one.get("n", "")))) >= _SMALLEST_RSA_BYTES)
                and one.get("alg", algorithm) == algorithm
                and (key_id is None or one.get("kid") == key_id)
            ]

        found = fit()
        if not found:
            with self._lock:
                kept = self._kept[issuer]
                if self._monotonic() - kept.tried_at >= REFETCH_S:
                    self._fetch(issuer, kept)
            found = fit()
        return found

    def _known(self, issuer: str) -> _Kept:
        """Return the published document and keys of the issuer. Old ones serve a second hour while it does not
        answer."""
        with self._lock:
            kept, now = self._kept[issuer], self._monotonic()
            age = now - kept.fetched_at
            if age < KEYS_KEPT_S:
                return kept
            if now - kept.tried_at < REFETCH_S and not kept.keys:
                raise _silent(issuer, "it did not answer a moment ago")
            if now - kept.tried_at >= REFETCH_S:
                try:
                    self._fetch(issuer, kept)
                except TransientError:
                    if age >= 2 * KEYS_KEPT_S:
                        raise
            elif age >= 2 * KEYS_KEPT_S:
                raise _silent(issuer, "it did not answer a moment ago")
            return kept

    def _fetch(self, issuer: str, kept: _Kept) -> None:
        kept.tried_at = self._monotonic()
        status, document = self._ask("GET", f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if status != 200 or document.get("issuer") != issuer:
            raise _silent(issuer, f"HTTP {status}, and its configuration names another issuer or none")
        status, answer = self._ask("GET", self._place(issuer, document, "jwks_uri"))
        keys = answer.get("keys")
        if status != 200 or not isinstance(keys, list) or not all(isinstance(one, dict) for one in keys):
            raise _silent(issuer, f"HTTP {status} without keys")
        kept.document, kept.keys, kept.fetched_at = document, keys[:MOST_KEYS], self._monotonic()

    def _place(self, issuer: str, document: Mapping[str, Any], name: str) -> str:
        url = document.get(name)
        if not isinstance(url, str) or not is_safe(url, issuer):
            raise _silent(issuer, f"its configuration has no {name} with https")
        return url

    def _ask(
        self, method: str, url: str, body: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Mapping[str, Any]]:
        """The status and the JSON object of an answer; an empty one for any other answer."""
        deadline = Deadline(now=self._monotonic, end=self._monotonic() + TIME_LIMIT_S)
        try:
            status, content = _exchanged(method, parse_url(url), body, headers or {}, deadline)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as failed:
            raise _silent(url, type(failed).__name__) from failed
        if len(content) > LARGEST_ANSWER:
            raise _silent(url, f"the answer is larger than {LARGEST_ANSWER:,} bytes")
        return status, _object(content)


def _exchanged(
    method: str, url: Url, body: str | None, headers: Mapping[str, str], deadline: Deadline
) -> tuple[int, bytes]:
    """The status and the beginning of an answer. Raises urllib3's HTTPError, OSError, and ValueError."""
    host = (url.host or "").strip("[]")
    with timed_pool(host, url.port, deadline, tls_host=host if url.scheme == "https" else "") as pool:
        response = pool.urlopen(
            method,
            url.request_uri,
            body=body.encode() if body is not None else None,
            headers={**headers, "Host": url.netloc or host},
            retries=False,
            redirect=False,
            preload_content=False,
        )
        try:
            return response.status, response.read(LARGEST_ANSWER + 1, decode_content=True)
        finally:
            response.close()


def is_safe(url: str, issuer: str) -> bool:
    """Whether a place that an issuer names may be asked: with TLS, or on loopback for an issuer that is there too."""
    try:
        parts, mine = urlsplit(url), urlsplit(issuer)
    except ValueError:
        return False
    if parts.username or parts.password or not parts.hostname:
        return False
    if parts.scheme == "https":
        return True
    return parts.scheme == "http" and is_loopback(parts.hostname) and is_loopback(mine.hostname or "")


def _decoded(token: str, key: Mapping[str, Any], algorithm: str) -> Mapping[str, Any] | None:
    """The claims when this key has signed the token; None when it has not, or it is no key."""
    # Loaded at the first token: most Conductors have no issuer.
    from joserfc import jwk, jwt
    from joserfc.errors import JoseError

    kinds: Mapping[str, type[jwk.RSAKey | jwk.ECKey | jwk.OKPKey]] = {
        "RSA": jwk.RSAKey,
        "EC": jwk.ECKey,
        "OKP": jwk.OKPKey,
    }
    try:
        public = kinds[ALGORITHMS[algorithm]].import_key({**key})
        claims = jwt.decode(token, public, algorithms=[algorithm]).claims
    except (JoseError, ValueError, TypeError, KeyError):
        return None
    return dict(claims)


def _parts(token: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The header and the claims of a token, before anything is verified: they only say which key is to be tried."""
    parts = token.split(".")
    if len(token) > LONGEST_TOKEN or len(parts) != 3 or not token.isascii():
        raise _refused("it is no signed token (JWT)")
    header, claims = (_object(_raw(part)) for part in parts[:2])
    if not header or not claims:
        raise _refused("it is no signed token (JWT)")
    return header, claims


def _raw(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        return b""


def _object(content: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _refused(why: str) -> ForbiddenError:
    return ForbiddenError(
        f"The token of the issuer is refused: {why}. Nothing was changed; get a new one and try again."
    )


def _silent(place: str, why: str) -> TransientError:
    return TransientError(
        f"The issuer at {place} cannot be asked who signs in: {why}. Try again; a secret or a token of Tenuto works "
        "meanwhile.",
        code="Issuer",
    )
