"""Sign-in of the command line at an issuer: a browser goes there, and comes back to a port of this machine (RFC 8252).

The port is open on loopback only, for one answer. The answer must carry the state that was sent along; the code in it
is worth nothing without the verifier of PKCE, which never leaves this program but to the issuer.
"""

import json
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from tenuto.cli.terminal.exits import UnreachableError
from tenuto.errors import ForbiddenError, UserError
from tenuto.kit.address import is_loopback
from tenuto.model.ids import JsonMap

WAIT_S = 300.0
LARGEST_ANSWER = 262_144
_RANDOM_BYTES = 32
_SAID = b"<!doctype html><title>Tenuto</title><p>The command line has the answer. You may close this page."


class _Answer(HTTPServer):
    """One port of loopback, and the query of the first request for its path."""

    query: str | None = None
    timeout = 1.0


class _Handler(BaseHTTPRequestHandler):
    timeout = 5.0
    server: _Answer

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        is_answer = parts.path == "/" and bool(parts.query)
        self.send_response(200 if is_answer else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        if is_answer:
            self.wfile.write(_SAID)
            self.server.query = self.server.query or parts.query

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name is the base class's
        """Say nothing: the query holds the code."""


def token_of_issuer(people: JsonMap, show: Callable[[str], None], *, wait_s: float = WAIT_S) -> tuple[str, str]:
    """The identity token of the person who signs in, and its nonce. `show` opens or prints the URL to go to.

    Raises ForbiddenError, UserError (the person did not come back in time) and UnreachableError.
    """
    _check_places(people)
    state, nonce, verifier = (secrets.token_urlsafe(_RANDOM_BYTES) for _ in range(3))
    with _Answer(("127.0.0.1", 0), _Handler) as answer:
        redirect = f"http://127.0.0.1:{answer.server_port}/"
        query = {
            "response_type": "code",
            "client_id": people["client"],
            "redirect_uri": redirect,
            "scope": "openid email profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        place = str(people["authorization_endpoint"])
        show(f"{place}{'&' if '?' in place else '?'}{urlencode(query)}")
        until = time.monotonic() + wait_s
        while answer.query is None and time.monotonic() < until:
            answer.handle_request()
    if answer.query is None:
        raise UserError(
            f"No answer came from the browser within {wait_s:g} seconds. Nothing was changed; run 'tenuto login' again."
        )
    found = {name: values[0] for name, values in parse_qs(answer.query).items()}
    if not secrets.compare_digest(found.get("state", "").encode(), state.encode()):
        raise ForbiddenError("The answer belongs to another sign-in. Nothing was changed; run 'tenuto login' again.")
    if "iss" in found and found["iss"] != people["issuer"]:
        raise ForbiddenError("Another issuer answered than the one that was asked. Nothing was changed.")
    if "code" not in found:
        raise ForbiddenError(f"The issuer did not sign you in ({found.get('error', 'no code')[:100]}).")
    return _redeemed(people, found["code"], verifier, redirect), nonce


def _redeemed(people: JsonMap, code: str, verifier: str, redirect: str) -> str:
    import urllib3

    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect,
        "client_id": people["client"],
        "code_verifier": verifier,
    }
    try:
        with urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(connect=5.0, read=30.0)) as pool:
            response = pool.request(
                "POST", str(people["token_endpoint"]), fields=fields, encode_multipart=False, redirect=False,
                preload_content=False,
            )  # fmt: skip
            content = response.read(LARGEST_ANSWER)
            response.close()
        document = json.loads(content)
    except (urllib3.exceptions.HTTPError, ValueError) as failed:
        raise UnreachableError(
            f"The issuer at {people['issuer']} did not answer ({type(failed).__name__}). Nothing was changed; run "
            "'tenuto login' again."
        ) from failed
    token = document.get("id_token") if isinstance(document, dict) else None
    if response.status != 200 or not isinstance(token, str):
        raise ForbiddenError(
            f"The issuer at {people['issuer']} gave no identity token (HTTP {response.status}). Its client "
            f"{people['client']} must be a public one that may redirect to http://127.0.0.1 at any port."
        )
    return token


def _check_places(people: JsonMap) -> None:
    """The places come from the Conductor; a code goes to none where it could be read on its way."""
    for name in ("authorization_endpoint", "token_endpoint"):
        parts = urlsplit(str(people[name]))
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
            raise ForbiddenError(f"The {name} of the issuer has no https, so nothing is sent there.")
