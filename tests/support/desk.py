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
from tenuto.model.job import JobKind
from tenuto.ports.store import Store
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto.providers.simulated.things import Thing
from tenuto.service.commands.plan_view import operations_document
from tenuto.service.services import Services
from tenuto_testing.simulation.promises import shown
from tenuto_testing.world import World

HOME = Partition(account="default", region="sim-1")

NET = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: main}}"
SUB = "  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.1.0/24}}"
GRP = "  Grp: {Type: Simulated::Group, Properties: {NetworkId: !Ref Net, Ingress: [{Protocol: tcp, Port: 443}]}}"
SRV = "  Srv: {Type: Simulated::Server, Properties: {SubnetId: !Ref Sub, Image: debian-12, GroupIds: [!Ref Grp]}}"
BKT = "  Bkt: {Type: Simulated::Bucket, Properties: {Name: web-logs}}"
WEB = (NET, SUB, GRP, SRV, BKT)


MINUTE_S, HOUR_S, DAY_S, WEEKEND_S = 60.0, 3600.0, 24 * 3600.0, 3 * 24 * 3600.0
SLOW_S = 600.0
PAUSES_S = (0.0, 5.0, MINUTE_S, HOUR_S, WEEKEND_S)
"""Between two commands lie seconds or days: what sleeps wakes up meanwhile."""


class Desk:
    """One person, one command line, one world."""

    def __init__(self, world: World, shell: Shell, folder: Path, services: Services, secret: str = SECRET) -> None:
        self.world = world
        self.services = services
        self.shell = shell
        self.folder = folder
        self.secret = secret

    def user(self, name: str) -> "Desk":
        """The desk of a user of the policy, with a new secret of their own."""
        secret = self.document("user", "generate-secret", name)["secret"]
        return Desk(self.world, self.shell, self.folder, self.services, secret)

    def file(self, name: str, text: str) -> str:
        """A file that a command is given."""
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def rule(self, name: str, type_name: str, expression: str) -> str:
        """A file with a rule for a resource type."""
        text = f"name: {name}\napplies_to: {type_name}\nexpression: '{expression}'\nmessage: Not here.\n"
        return self.file(f"{name}.yaml", text)

    def template(self, *lines: str, name: str = "web") -> str:
        """A file with these resources; the whole web when none are given."""
        path = self.folder / f"{name}.yaml"
        path.write_text("\n".join(("Resources:", *(lines or WEB), "")))
        return str(path)

    def __call__(self, *arguments: str) -> Ended:
        """One command, in the region of the world."""
        return self.shell(*arguments, environ=self.shell.environ(TENUTO_REGION=HOME.region, TENUTO_SECRET=self.secret))

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

    def drifts_unenforced(self) -> None:
        """Run a composition whose group another hand opens to SSH while enforcement is off, and let a sweep see it."""
        self.runs()
        self.does("property", "web", "enforcement", "--set", "off")
        self.world.cloud.tamper(self.real("Grp").physical_id, "Ingress", [{"Protocol": "tcp", "Port": 22}])
        self.advance(60.0)

    def settle(self) -> None:
        """Let time pass until everything is at rest."""
        assert self.world.settle()

    def advance(self, seconds: float) -> None:
        """Let time pass. Of days, all but the last hour pass with a job every ten minutes.

        What sleeps or expires does so at its time all the same, and a job every ten seconds finds nothing more in them.
        """
        if seconds > DAY_S:
            tempo = self.world.system.tempo
            period_s, tempo.period_s = tempo.period_s, SLOW_S
            self.world.advance(seconds - HOUR_S)
            tempo.period_s, seconds = period_s, HOUR_S
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

    def planned(self, command: str, alias: str = "web") -> list[Any]:
        """The operations of every plan that was made for a command, as a dry run shows them."""
        history = self.world.store.history(self.world.fid(alias))
        jobs = [job for job in history.jobs if job.kind is not JobKind.DRY_RUN and job.command == command]
        plans = [self.world.store.plan(job.plan_id) for job in jobs if job.plan_id]
        return [shown(operations_document(plan, ())["operations"]) for plan in plans if plan and plan.operations]

    def changes(self) -> int:
        """How many calls that change something the cloud has seen."""
        return sum(1 for call in self.world.calls if call.is_changing)


@contextmanager
def a_desk(
    folder: Path,
    capture: pytest.CaptureFixture[str],
    behaviour: Behaviour | None = None,
    store: Store | None = None,
) -> Iterator[Desk]:
    """A world with its API served on loopback."""
    world = World(behaviour=behaviour, store=store)
    services = make_services(world.system, clock=world.clock, secret=SECRET, levels=LogLevels("ERROR"))
    with served(services) as url:
        yield Desk(world, Shell(url, folder, capture), folder, services)
