"""Issuers of signed tokens over HTTP: tokens that their keys have signed, and codes that become tokens.

Theory of operation. An issuer is believed only as far as the administrator named its URL. Its published document must
name that URL (`transports.published`). The algorithm of a signature is one of a fixed list, all of them with public
keys: `none`, and a MAC with a public key for its secret (HS256), are not on it. The kind of the key must be that of the
algorithm, and a key in a token's own header is never looked at. A token that no known key has signed is tried with
newer keys, whatever key it names: an issuer may publish another key under the same name, or name none.
"""

import base64
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from tenuto.errors import ForbiddenError, TransientError
from tenuto.model.identity import Issuer
from tenuto.ports.issuers import Endpoints
from tenuto.transports.issuer_answers import asked, json_object, place_of, silent
from tenuto.transports.published import Known, Published

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
MOST_REDEEMED = 4
"""The number of codes that are given to an issuer at one time. Each occupies one of the server's forty threads."""
_SMALLEST_RSA_BYTES = 256


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
        self._published = {one.url: Published(one.url, monotonic) for one in issuers}
        self._redeeming = threading.BoundedSemaphore(MOST_REDEEMED)

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
        published = self._published[issuer]
        known = published.known()
        found = _signed(token, known, key_id, algorithm)
        if found is None and (newer := published.newer(known)) is not known:
            found = _signed(token, newer, key_id, algorithm)
        if found is None:
            raise _refused("no key of its issuer has signed it")
        return found

    def endpoints(self, issuer: Issuer) -> Endpoints:
        document = self._published[issuer.url].known().document
        names = ("authorization_endpoint", "token_endpoint")
        places = [place_of(issuer.url, document, name) for name in names]
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
        place = self.endpoints(issuer).token
        if not self._redeeming.acquire(blocking=False):
            raise silent(issuer.url, "it has not answered other sign-ins yet")
        try:
            status, document = asked("POST", place, self._monotonic, urlencode(fields), headers)
        finally:
            self._redeeming.release()
        token = document.get("id_token")
        if 400 <= status < 500:
            raise _refused(f"the issuer did not take the code of the sign-in (HTTP {status})")
        if status != 200 or not isinstance(token, str):
            raise silent(issuer.url, f"HTTP {status} without an identity token")
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


def _signed(token: str, known: Known, key_id: object, algorithm: str) -> Mapping[str, Any] | None:
    """The claims when a published key has signed the token; None when none has."""
    for key in _candidates(known.keys, key_id, ALGORITHMS[algorithm], algorithm):
        found = _decoded(token, key, algorithm)
        if found is not None:
            return found
    return None


def _candidates(
    keys: Sequence[Mapping[str, Any]], key_id: object, kind: str, algorithm: str
) -> Sequence[Mapping[str, Any]]:
    return [
        one
        for one in keys
        if one.get("kty") == kind
        and one.get("use", "sig") == "sig"
        and (kind != "RSA" or len(_raw(str(one.get("n", "")))) >= _SMALLEST_RSA_BYTES)
        and one.get("alg", algorithm) == algorithm
        and (key_id is None or one.get("kid") == key_id)
    ]


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
    header, claims = (json_object(_raw(part)) for part in parts[:2])
    if not header or not claims:
        raise _refused("it is no signed token (JWT)")
    return header, claims


def _raw(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        return b""


def _refused(why: str) -> ForbiddenError:
    return ForbiddenError(
        f"The token of the issuer is refused: {why}. Nothing was changed; get a new one and try again."
    )
