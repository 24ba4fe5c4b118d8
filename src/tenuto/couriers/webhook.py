"""A webhook: one signed POST for each event.

The receiver answers with any 2xx and has the event. A redirect is refused: it would carry what is told to a place that
nobody approved. Certificates are verified, and plain HTTP is spoken on this machine only. What the receiver answers is
read up to a bound, and only told when it refused.

The signature covers the moment and the body, so that neither can be changed and an old request cannot be sent again:

    Tenuto-Signature: t=SECONDS,v1=HEX        HEX = HMAC-SHA256(secret, "SECONDS." + body)
"""

import hashlib
import hmac

import urllib3

import tenuto
from tenuto.errors import PermanentError, TransientError
from tenuto.kit.canonical import to_text
from tenuto.model.notification import Letter, Sink
from tenuto.ports.clock import Clock
from tenuto.ports.secrets import Secrets, place_of_sink

CONNECT_S = 5.0
READ_S = 10.0
"""A receiver should store what it is told and answer; whoever works for longer does so after the answer."""
_LONGEST_ANSWER = 2000


class WebhookCourier:
    """Implements `ports.notices.Courier`."""

    def __init__(self, *, secrets: Secrets, clock: Clock) -> None:
        self._secrets = secrets
        self._clock = clock
        self._pool = urllib3.PoolManager(
            retries=False, timeout=urllib3.Timeout(connect=CONNECT_S, read=READ_S), cert_reqs="CERT_REQUIRED"
        )

    def can_reach(self, sink: Sink) -> bool:
        return True

    def trouble(self, sink: Sink) -> str:
        return ""

    def deliver(self, sink: Sink, letter: Letter) -> None:
        body = to_text(letter.document).encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"tenuto/{tenuto.__version__}",
            "Tenuto-Event-Id": letter.event_id,
            "Tenuto-Event-Type": letter.type,
            "Tenuto-Attempt": str(letter.attempt),
            "Tenuto-Signature": signature(
                self._secrets.unseal(sink.key, place_of_sink(sink.name, "key")), int(self._clock.wall()), body
            ),
        }
        url = self._secrets.unseal(sink.address, place_of_sink(sink.name, "address"))
        try:
            response = self._pool.request(
                "POST", url, body=body, headers=headers, redirect=False, preload_content=False
            )
            try:
                answer = response.read(_LONGEST_ANSWER, decode_content=False)
            finally:
                # What is left unread cannot be skipped at a bounded cost: the connection is not used again.
                response.close()
        except urllib3.exceptions.HTTPError as failed:
            # The text of urllib3's errors holds the URL, which may be a secret.
            raise TransientError(f"{sink.place} could not be reached: {_reason(failed)}", code="Unreachable") from None
        if 300 <= response.status < 400:
            raise PermanentError(
                f"{sink.place} answered with a redirect (HTTP {response.status}), which is not followed: give the "
                "notification the URL that it leads to",
                code=str(response.status),
            )
        if not 200 <= response.status < 300:
            said = answer.decode("utf-8", "replace").split()
            words = f": {' '.join(said)[:200]}" if said else ""
            raise TransientError(f"{sink.place} answered HTTP {response.status}{words}", code=str(response.status))


def signature(key: str, at: int, body: bytes) -> str:
    """The value of `Tenuto-Signature`."""
    digest = hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def _reason(failed: urllib3.exceptions.HTTPError) -> str:
    match failed:
        # The most specific first: a name that is not known is a kind of connection that was not made, which is a kind
        # of time-out.
        case urllib3.exceptions.NameResolutionError():
            return "its name is not known"
        case urllib3.exceptions.NewConnectionError():
            return "nobody listens there"
        case urllib3.exceptions.ConnectTimeoutError() | urllib3.exceptions.ReadTimeoutError():
            return "no answer in time"
        case urllib3.exceptions.SSLError():
            return "its certificate is not valid, or it does not speak TLS"
        case _:
            return f"the connection failed ({type(failed).__name__})"
