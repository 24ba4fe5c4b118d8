"""An emulated AWS on a port of its own, in a process of its own, that cannot outlive its starter.

    with Emulator() as emulator:
        session = …  # with the endpoint emulator.url

The child (this module run with `-m`) serves moto on a free loopback port and tells it on its standard output. It ends
when its standard input is closed: at the end of the context, and just as surely when the parent is killed. A signal to
the terminal's process group does not reach it, so that Ctrl-C lets the parent tidy up through it first.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from types import TracebackType

from tenuto.errors import UserError

_GRACE_S = 5.0
_QUIET = {
    "MOTO_EC2_LOAD_DEFAULT_AMIS": "false",  # a thousand machine images that no user needs cost a fifth of a second
    "AWS_CONFIG_FILE": os.devnull,  # moto uses the SDK itself, and fails over a profile that it does not find
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}


class Emulator:
    """A running emulator. `url` is its endpoint, and `program` the program that the child runs."""

    program: tuple[str, ...] = ("-m", "tenuto.bootstrap.tools.emulator")

    def __init__(self) -> None:
        if find_spec("moto") is None or find_spec("flask") is None:
            raise UserError(
                "The emulated AWS is not installed. Install it with: pip install 'tenuto[demo]' "
                "(in a clone of Tenuto: pip install '.[demo]')."
            )
        self.url = ""
        self._child: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Emulator":
        self._child = subprocess.Popen(
            [sys.executable, *self.program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={name: value for name, value in os.environ.items() if not name.startswith("AWS_")} | _QUIET,
            start_new_session=True,
        )
        assert self._child.stdout is not None
        self.url = self._child.stdout.readline().strip()
        if not self.url:
            self._end()
            raise UserError("The emulated AWS did not start. 'python -m tenuto.bootstrap.tools.emulator' shows why.")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        if self._child is None:
            return
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        try:
            self._child.wait(timeout=_GRACE_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._child.stdout.close()
        self._child = None


def main() -> None:
    """Serve until the standard input is closed."""
    # An optional dependency: only the child needs it.
    from moto.server import ThreadedMotoServer

    from tenuto.bootstrap.emulated.everything import add_everything

    add_everything()
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    sys.stdout.write(f"http://{host}:{port}\n")
    sys.stdout.flush()
    sys.stdin.read()
    # The requests that are still open have no client any more; waiting for their threads could take for ever.
    os._exit(0)


if __name__ == "__main__":
    main()
