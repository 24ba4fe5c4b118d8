"""A desk at which somebody runs Tenuto: the real command line, the real API, and a simulated world behind it.

Time in the world passes only when a test lets it pass, so that a test may look at every moment.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from front import SECRET, served
from terminal import Ended, Shell

from tenuto.bootstrap.log import LogLevels
from tenuto.bootstrap.services import make_services
from tenuto.model.ids import Partition
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto.providers.simulated.things import Thing
from tenuto.testing.world import World

HOME = Partition(account="default", region="sim-1")

NET = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: main}}"
SUB = "  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.1.0/24}}"
GRP = "  Grp: {Type: Simulated::Group, Properties: {NetworkId: !Ref Net, Ingress: [{Protocol: tcp, Port: 443}]}}"
SRV = "  Srv: {Type: Simulated::Server, Properties: {SubnetId: !Ref Sub, Image: debian-12, GroupIds: [!Ref Grp]}}"
BKT = "  Bkt: {Type: Simulated::Bucket, Properties: {Name: web-logs}}"
WEB = (NET, SUB, GRP, SRV, BKT)


class Desk:
    """One person, one command line, one world."""

    def __init__(self, world: World, shell: Shell, folder: Path) -> None:
        self.world = world
        self.shell = shell
        self.folder = folder

    def template(self, *lines: str, name: str = "web") -> str:
        """A file with these resources; the whole web when none are given."""
        path = self.folder / f"{name}.yaml"
        path.write_text("\n".join(("Resources:", *(lines or WEB), "")))
        return str(path)

    def __call__(self, *arguments: str) -> Ended:
        """One command, in the region of the world."""
        return self.shell(*arguments, environ=self.shell.environ(TENUTO_REGION=HOME.region))

    def does(self, *arguments: str) -> Ended:
        """One command that asks nothing and is not refused."""
        ended = self("-y", *arguments)
        assert ended.code == 0, ended
        return ended

    def document(self, *arguments: str) -> Any:
        """What a command says with --json."""
        return self.does("--json", *arguments).document

    def status(self, name: str = "web") -> Any:
        return self.document("status", name)

    def runs(self, *lines: str, alias: str = "web") -> None:
        """Run a composition and wait until it stands."""
        self.does("run", self.template(*lines, name=alias), "-a", alias)
        self.settle()

    def settle(self) -> None:
        """Let time pass until everything is at rest."""
        assert self.world.settle()

    def advance(self, seconds: float) -> None:
        self.world.advance(seconds)

    def fault(self, operation: str, subject: str, kind: FaultKind, times: int = 1) -> None:
        self.world.faults.add(Fault(kind=kind, operation=operation, subject=subject, times=times, seconds=30.0))

    def things(self) -> dict[str, Thing]:
        """What stands in the cloud, by physical id."""
        now = self.world.clock.now()
        return {thing.physical_id: thing for thing in self.world.cloud.things() if thing.is_standing(now)}

    def real(self, name: str, alias: str = "web") -> Thing:
        """The thing behind a resource."""
        return self.things()[self.status(alias)["resources"][name]["id"]]

    def changes(self) -> int:
        """How many calls that change something the cloud has seen."""
        return sum(1 for call in self.world.calls if call.is_changing)


@contextmanager
def a_desk(folder: Path, capture: pytest.CaptureFixture[str], behaviour: Behaviour | None = None) -> Iterator[Desk]:
    """A world with its API served on loopback."""
    world = World(behaviour=behaviour)
    services = make_services(world.system, clock=world.clock, secret=SECRET, levels=LogLevels("ERROR"))
    with served(services) as url:
        yield Desk(world, Shell(url, folder, capture), folder)
