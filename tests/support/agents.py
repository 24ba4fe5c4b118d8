"""A real Conductor that listens to hosts, and real agents on loopback with the driver `memory`."""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import clearing
from clearing import left
from live import Live
from ports import free_port
from running import Running

from tenuto.providers.local.drivers.memory import MemoryDriver, make_driver

NOWHERE = "http://127.0.0.1:9"
OFFER = ("--cores", "4", "--memory", "8192")


class HostsLive(Live):
    """An installation of the local cloud with a listener for hosts."""

    def __init__(self, folder: Path, address: str = "127.0.0.1", **settings: str) -> None:
        self.listen_nodes = f"{address}:{free_port()}"
        super().__init__(
            folder,
            NOWHERE,
            TENUTO_PROVIDERS="local",
            TENUTO_LISTEN_NODES=self.listen_nodes,
            **settings,
        )
        self.agents: dict[str, RealAgent] = {}

    def token(self, name: str) -> str:
        answer = self.tenuto("node", "enroll", name, check=True)
        return answer.out.strip()

    def token_file(self, name: str, token: str = "") -> str:
        """A file with a token, which no command line shows."""
        file = self.folder / f"{name}.token"
        file.write_text(token or self.token(name))
        return str(file)

    def join(self, name: str, **given: Any) -> "RealAgent":
        """Enroll a host, and start its agent; what is given is as `RealAgent` says."""
        agent = RealAgent(self, name, **given)
        self.agents[name] = agent
        agent.start("--join", self.token_file(name))
        return agent

    def stop(self) -> int:
        """Stop the agents and the Conductor, each whatever comes of the others. Machines run on."""
        try:
            with ExitStack() as ends:
                for agent in self.agents.values():
                    ends.callback(agent.stop)
        finally:
            code = super().stop()
        return code

    def end(self) -> None:
        """Stop everything, and remove what a test that failed has left on its hosts."""
        with ExitStack() as ends:
            for agent in self.agents.values():
                ends.callback(agent.clear)
            self.stop()


class RealAgent(Running):
    """One host: a state directory, and at most one agent."""

    def __init__(
        self, live: Live, name: str, *, driver: str = "memory", options: Sequence[str] = (), within: Sequence[str] = ()
    ) -> None:
        """`options` are further ones of each start, `within` the first words of the command line: of a namespace."""
        self._options = options
        self._driver = driver
        self._within = within
        self.name = name
        self.state = live.folder / name
        self._live = live

    def start(self, *options: str) -> None:
        """Start the agent, and wait until it has registered."""
        before = self.log().count("agent.registered")
        self.spawn(*options)
        self._live.until(lambda: self.log().count("agent.registered") > before, f"{self.name} registers\n{self.log()}")

    def spawn(self, *options: str) -> subprocess.Popen[bytes]:
        """Start the agent."""
        words = (
            "node",
            "agent",
            "--state",
            str(self.state),
            "--driver",
            self._driver,
            *OFFER,
            *self._options,
            *options,
        )
        with self._log_file.open("ab") as log:
            self.process = subprocess.Popen(
                [*self._within, sys.executable, "-m", "tenuto", *words],
                env=self._live.environment,
                stdout=log,
                stderr=log,
            )
        return self.process

    def clear(self) -> None:
        """Remove what the agent, which has ended, ordered from this machine and nobody has deleted."""
        if left(self.state):
            command = [*self._within, sys.executable, clearing.__file__, str(self.state), self._driver]
            subprocess.run(command, check=True, timeout=120)
        assert not left(self.state)

    def log(self) -> str:
        return self._log_file.read_text() if self._log_file.exists() else ""

    @property
    def driver(self) -> MemoryDriver:
        """The world of the host, for acts behind the agent's back."""
        made = make_driver(self.state, host="", address="")
        assert isinstance(made, MemoryDriver)
        return made

    def machines(self) -> dict[str, Any]:
        """The power state of each machine on the host, by object id."""
        return {
            seen.object_id: seen.properties["PowerState"]
            for seen in self.driver.observe()
            if "PowerState" in seen.properties
        }

    @property
    def _log_file(self) -> Path:
        return self._live.folder / f"{self.name}.log"


def modes(folder: Path, *names: str) -> set[int]:
    return {os.stat(folder / name).st_mode & 0o777 for name in names}
