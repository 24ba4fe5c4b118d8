"""An AWS endpoint that answers what a test tells it to: for everything that an emulator never does."""

import re
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

_KEY = re.compile(r"Credential=([^/]+)/")


def identity(account_id: str) -> str:
    """What STS answers to somebody of an account."""
    return (
        f"<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::{account_id}:user/test</Arn>"
        f"<Account>{account_id}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"
    )


ZONES = (
    "<DescribeAvailabilityZonesResponse><availabilityZoneInfo><item><zoneName>us-east-1a</zoneName>"
    "<regionName>us-east-1</regionName></item></availabilityZoneInfo></DescribeAvailabilityZonesResponse>"
)


def answer(action: str, inner: str) -> tuple[int, str]:
    """A good answer of EC2."""
    return 200, f"<{action}Response><requestId>req-good</requestId>{inner}</{action}Response>"


def refusal(code: str, message: str = "because", status: int = 400) -> tuple[int, str]:
    """A bad answer of EC2."""
    errors = f"<Errors><Error><Code>{code}</Code><Message>{message}</Message></Error></Errors>"
    return status, f"<Response>{errors}<RequestID>req-{code}</RequestID></Response>"


class ScriptedEndpoint:
    """Answers each action by its script: one answer after the other, the last one for ever. A status of 0 hangs up.

    An action of S3 is a method and a path: `GET /bucket?tagging`.
    """

    def __init__(self) -> None:
        self.scripts: dict[str, list[tuple[int, str]]] = {
            "GetCallerIdentity": [(200, identity("123456789012"))],
            "DescribeAvailabilityZones": [(200, ZONES)],
        }
        self.headers = {"x-amzn-requestid": "req-1"}
        """What every answer carries."""
        self.calls: list[tuple[str, Mapping[str, str]]] = []
        self.keys: list[tuple[str, str]] = []
        """Each action with the access key that signed it."""
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                form = {name: values[0] for name, values in parse_qs(body).items()}
                action = form.get("Action", "") if self.command == "POST" else f"{self.command} {self.path}"
                endpoint.calls.append((action, form))
                signature = _KEY.search(self.headers.get("Authorization", ""))
                endpoint.keys.append((action, signature[1] if signature else ""))
                script = endpoint.scripts.get(action, [refusal("InvalidAction")])
                status, text = script.pop(0) if len(script) > 1 else script[0]
                if status == 0:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in endpoint.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_HEAD = do_PUT = do_DELETE = do_POST  # noqa: N815 - the names that http.server calls

            def log_message(self, *arguments: object) -> None:
                """Tests print what matters themselves."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def asked(self, action: str) -> list[Mapping[str, str]]:
        """The parameters of every call of an action."""
        return [form for name, form in self.calls if name == action]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
