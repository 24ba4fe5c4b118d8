"""A small issuer (OpenID Connect) on loopback, which signs any token that a test asks for.

It is a real one for an honest client: it publishes its configuration and its keys, signs in the person whom the test
names without a question, and gives a token for a code once, to the client with the verifier of PKCE. It signs with the
primitives of `cryptography` alone and shares no code with the verification, so that a mistake there is none here. For
attacks, `sign` takes any header, claims and key.
"""

import base64
import hashlib
import hmac
import json
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

Claims = Mapping[str, Any]


def rsa_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def encoded(content: bytes) -> str:
    """Base64 as tokens have it."""
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def rsa_jwk(key: rsa.RSAPrivateKey, key_id: str) -> dict[str, Any]:
    """The public half as an issuer publishes it."""
    numbers = key.public_key().public_numbers()

    def number(value: int) -> str:
        return encoded(value.to_bytes((value.bit_length() + 7) // 8, "big"))

    return {"kty": "RSA", "kid": key_id, "use": "sig", "n": number(numbers.n), "e": number(numbers.e)}


def ec_jwk(key: ec.EllipticCurvePrivateKey, key_id: str) -> dict[str, Any]:
    """The public half of a key of P-256 as an issuer publishes it."""
    numbers = key.public_key().public_numbers()
    x, y = (encoded(one.to_bytes(32, "big")) for one in (numbers.x, numbers.y))
    return {"kty": "EC", "crv": "P-256", "kid": key_id, "x": x, "y": y}


def public_pem(key: rsa.RSAPrivateKey) -> bytes:
    """The public half as text, which a confused verifier takes for the secret of a MAC."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form)


def token(header: Claims, claims: Claims, sign: Callable[[bytes], bytes]) -> str:
    """A token in the compact form, signed by any function of its text."""
    text = f"{encoded(json.dumps(header).encode())}.{encoded(json.dumps(claims).encode())}"
    return f"{text}.{encoded(sign(text.encode()))}"


def by_rsa(key: rsa.RSAPrivateKey) -> Callable[[bytes], bytes]:
    return lambda text: key.sign(text, padding.PKCS1v15(), hashes.SHA256())


def by_ec(key: ec.EllipticCurvePrivateKey) -> Callable[[bytes], bytes]:
    def sign(text: bytes) -> bytes:
        first, second = decode_dss_signature(key.sign(text, ec.ECDSA(hashes.SHA256())))
        return first.to_bytes(32, "big") + second.to_bytes(32, "big")

    return sign


def by_mac(secret: bytes) -> Callable[[bytes], bytes]:
    return lambda text: hmac.digest(secret, text, "sha256")


def unsigned(_: bytes) -> bytes:
    return b""


@dataclass
class Issuer:
    """One issuer. A change by a test is in effect at the next request."""

    now: Callable[[], float]
    client: str = "tenuto"
    client_secret: str = ""
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "u-1", "email": "ann@example.org"})
    """The claims of the person who signs in, besides those of every token."""
    key: rsa.RSAPrivateKey = field(default_factory=rsa_key)
    key_id: str = "one"
    keys: list[dict[str, Any]] = field(default_factory=list)
    changed: dict[str, Any] = field(default_factory=dict)
    """Members of its configuration that differ from the honest ones."""
    answers: dict[str, bytes] = field(default_factory=dict)
    """Whole answers by path, in place of the honest ones."""
    before_piece: Callable[[], None] | None = None
    """Called before each of two halves of an answer."""
    asked: list[str] = field(default_factory=list)
    """The paths that were asked for, in their order."""
    url: str = ""
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.keys = self.keys or [rsa_jwk(self.key, self.key_id)]

    def claims(self, **more: Any) -> dict[str, Any]:
        """The claims of an honest token for the client; a None takes one away."""
        now = int(self.now())
        found = {"iss": self.url, "aud": self.client, "iat": now, "exp": now + 300, **self.person, **more}
        return {name: value for name, value in found.items() if value is not None}

    def sign(self, **more: Any) -> str:
        return token({"alg": "RS256", "kid": self.key_id}, self.claims(**more), by_rsa(self.key))

    def configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            **self.changed,
        }

    def authorized(self, query: Mapping[str, str]) -> str:
        """Where the browser is sent back to, with a code."""
        code = secrets.token_urlsafe(16)
        self._codes[code] = dict(query)
        given = {"code": code, "state": query["state"], "iss": self.url}
        return f"{query['redirect_uri']}?{urlencode(given)}"

    def redeemed(self, fields: Mapping[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """The answer to a code: a token, once, for the verifier of its challenge."""
        begun = self._codes.pop(fields.get("code", ""), None)
        challenge = encoded(hashlib.sha256(fields.get("code_verifier", "").encode()).digest())
        pair = base64.b64encode(f"{self.client}:{self.client_secret}".encode()).decode()
        is_known = not self.client_secret or authorization == f"Basic {pair}"
        if (
            begun is None
            or not is_known
            or begun["code_challenge"] != challenge
            or begun["redirect_uri"] != fields.get("redirect_uri")
            or begun["client_id"] != fields.get("client_id")
        ):
            return 400, {"error": "invalid_grant"}
        return 200, {"id_token": self.sign(nonce=begun["nonce"]), "token_type": "Bearer", "access_token": "none"}


@contextmanager
def served_issuer(issuer: Issuer) -> Iterator[Issuer]:
    """The issuer on a free port of loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            issuer.asked.append(parts.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            if parts.path in issuer.answers:
                self._send(200, issuer.answers[parts.path])
            elif parts.path == "/.well-known/openid-configuration":
                self._send(200, json.dumps(issuer.configuration()).encode())
            elif parts.path == "/keys":
                self._send(200, json.dumps({"keys": issuer.keys}).encode())
            elif parts.path == "/authorize":
                self._send(302, b"", Location=issuer.authorized(query))
            else:
                self._send(404, b"{}")

        def do_POST(self) -> None:
            issuer.asked.append(self.path)
            body = self.rfile.read(int(self.headers.get("content-length", "0"))).decode()
            fields = {name: values[0] for name, values in parse_qs(body).items()}
            status, document = issuer.redeemed(fields, self.headers.get("authorization", ""))
            self._send(status, json.dumps(document).encode())

        def _send(self, status: int, content: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            half = len(content) // 2
            for piece in (content[:half], content[half:]):
                if issuer.before_piece is not None:
                    issuer.before_piece()
                self.wfile.write(piece)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the base class
            """Tests read `asked`."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        issuer.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield issuer
        finally:
            server.shutdown()
            thread.join()
