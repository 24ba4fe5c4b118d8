"""This machine as the host of a demonstration: an agent of the driver `ns` or `qemu`, as a program of its own.

The agent gives up root, so it cannot be a part of the program that tells the story. It is in a session of its own:
Ctrl-C ends the story, which deletes the things that it made by this agent, and ends it then.
"""

import os
import pwd
import signal
import subprocess
import sys
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import tenuto
from tenuto.bootstrap.demo.folder import HOST
from tenuto.errors import TenutoError, UserError
from tenuto.kit.private_file import private_draft
from tenuto.model.agent_driver import USER
from tenuto.model.ids import ObjectId
from tenuto.providers.local.drivers.ns.host import obstacle
from tenuto.providers.local.drivers.qemu.host import obstacle as virtual_obstacle
from tenuto.providers.local.rules.networks.spec import netns_of

_STOP_S = 30.0
_KIND = {"ns": "machines", "qemu": "virtual"}
"""The folder of the machines of each driver."""
_OTHERS_READ, _OTHERS_ENTER = 0o004, 0o001


class LinuxHost(AbstractContextManager["LinuxHost"]):
    """The host. `folder` must let all users pass: machines have users of their own."""

    def __init__(self, folder: Path, driver: str = "ns") -> None:
        self.driver = driver
        self._state = folder / HOST
        self._log = folder / f"{HOST}.log"
        self._agent: subprocess.Popen[bytes] | None = None

    def __exit__(self, *_: object) -> None:
        # One that does not end is ended with the things that it has left.
        with suppress(subprocess.TimeoutExpired):
            self._end(signal.SIGTERM)

    def start(self, token: str = "") -> None:
        """Start the agent; with a token it joins."""
        joining: tuple[str, ...] = ()
        if token:
            file = self._state.with_name(f"{HOST}.token")
            with private_draft(file, token.encode()) as draft:
                draft.replace(file)
            joining = ("--join", str(file))
        words = (
            "node",
            "agent",
            "--state",
            str(self._state),
            "--driver",
            self.driver,
            "--user",
            agent_user(),
            *joining,
        )
        with self._log.open("ab") as log:
            self._agent = subprocess.Popen(
                [sys.executable, "-m", "tenuto", *words], stdout=log, stderr=log, start_new_session=True
            )

    def keep_running(self) -> None:
        """Start the agent again if it has ended."""
        if self._agent is None or self._agent.poll() is not None:
            self.start()

    def kill(self) -> int:
        """End the agent as a fault would; return the process id that it had."""
        assert self._agent is not None, "it was started"
        self._end(signal.SIGKILL)
        return self._agent.pid

    def check(self) -> None:
        """Raise TenutoError, with the last words of the agent, when it has ended by itself."""
        if self._agent is not None and self._agent.poll() not in (None, -signal.SIGKILL):
            said = self._log.read_text(errors="replace").strip().splitlines()
            raise TenutoError(f"the agent has ended: {said[-1] if said else 'it said nothing'}")

    def pid(self, machine: ObjectId) -> int:
        """The first process of a machine."""
        return int((self._machines / _KIND[self.driver] / machine / "pid").read_text())

    @property
    def images(self) -> Path:
        """The folder of base images."""
        return self._state.with_name(f"{HOST}.images")

    def networks(self) -> list[str]:
        """The namespaces of the networks on this host."""
        return [netns_of(int(vni)) for vni in _names(self._machines / "networks")]

    def left(self) -> list[str]:
        """The names of the things that the executor keeps: machines and networks."""
        return [*(one for kind in _KIND.values() for one in _names(self._machines / kind)), *self.networks()]

    @property
    def _machines(self) -> Path:
        return self._state.with_name(f"{HOST}.machines")

    def _end(self, number: signal.Signals) -> None:
        if self._agent is not None and self._agent.poll() is None:
            self._agent.send_signal(number)
            self._agent.wait(_STOP_S)


def check_machine(driver: str = "ns") -> None:
    """Raise UserError when this machine cannot be a host."""
    if reason := obstacle() if driver == "ns" else virtual_obstacle():
        raise UserError(
            f"This machine cannot be a host of the driver {driver}: {reason}. 'tenuto demo --local' needs nothing of "
            "that: it shows the local cloud on simulated hosts."
        )


def agent_user() -> str:
    """The user that the agent becomes: one without rights who can read Python and Tenuto, else root."""
    if not all(_is_open(Path(one)) for one in (os.__file__, tenuto.__file__)):
        return "root"
    known = {one.pw_name for one in pwd.getpwall()}
    return next((name for name in (USER, "nobody") if name in known), "root")


def _is_open(file: Path) -> bool:
    """Whether any user can read the file."""
    passes = all(one.stat().st_mode & _OTHERS_ENTER for one in file.resolve().parents)
    return passes and bool(file.stat().st_mode & _OTHERS_READ)


def _names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir()) if folder.exists() else []
