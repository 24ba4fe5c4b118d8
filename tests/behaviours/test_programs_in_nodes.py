"""Programs that phases of plugins run in the machines of nodes (`run.remote`), by a whole Conductor."""

import base64
from dataclasses import replace
from typing import Any

import pytest
from local_world import LocalWorld, shop, submission

from tenuto.conductor.phases.plugins import Found
from tenuto.conductor.phases.shell import LARGEST_INPUT, Shell
from tenuto.errors import NotAllowedError, PermanentError
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.command import ProcessState
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, LogicalId, ObjectId, PhaseName, TypeName
from tenuto.model.resource import ManagedObject
from tenuto.plugins import phase
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.ports.programs import NEVER_RAN, ProgramEnd, Programs
from tenuto.ports.store_claims import ObjectQuery
from tenuto.providers.local.programs import OperationPrograms
from tenuto.providers.local.rules.machines.simulated_guest import HISTORY
from tenuto_testing.mortality import Blow

OPERATION = TypeName("Tenuto::AgentOperation")
PHASE = PhaseName("Site.Install")
ZONE = "us-east-1"


def farm(**node: Json) -> list[Declaration]:
    net, nic, _ = shop()
    declared: dict[str, Json] = {"MachineType": "1x512", "Network": {"Ref": "Nic"}, "Program": ["hostname"], **node}
    worker = Declaration(
        logical_id=LogicalId("Worker"), type=CLOUD_NODE, properties=declared, depends_on=(LogicalId("Nic"),)
    )
    return [net, nic, worker]


class ShellWorld(LocalWorld):
    """A Conductor whose plugin runs the program that a node declares, in its Installation."""

    def __init__(self) -> None:
        self.ends: list[tuple[int, str, str]] = []
        self.starts: list[str] = []
        super().__init__()
        made = phase("Site.Install", states="Installation", types="Cloud.Node", delay=5, timeout=600)(self.install)
        self.plugins = Found(phases=(made,))
        self.crash("plugins were installed")

    def install(self, run: PhaseRun) -> None:
        for node in run.resources:
            self.install_one(run, node)

    def install_one(self, run: PhaseRun, node: PhaseResource) -> None:
        shell, data = run.remote(node), run.data(node)
        if "command" not in data:
            data["command"] = shell.start(list(node["Program"]), stdin="one")
            self.starts.append(str(data["command"]))
        elif (end := shell.poll(str(data["command"]))) is not None:
            self.ends.append((end.code, end.stdout, end.stderr))
            if end.code == 0:
                run.complete(node)
            else:
                run.fail(node, end.stderr or f"it ended with {end.code}")

    def programs(self) -> Programs:
        return OperationPrograms(self.store, self.clock, self.system.work)

    def history(self, name: str) -> str:
        """The programs that ran in a machine, as its simulated guest tells them."""
        fields = {"Instance": self.the(name).object_id, "Commands": [{"Get": HISTORY}]}
        asked = self.system.objects.create("AgentOperation", fields=fields, region=ZONE).item.object_id
        self.advance(10)
        return base64.b64decode(self.system.objects.find(asked).attributes["Results"][0]["Content"]).decode()

    def operations(self) -> list[ManagedObject]:
        return list(self.store.object_page(ObjectQuery(types=(OPERATION,))))


@pytest.fixture
def world() -> ShellWorld:
    return ShellWorld()


def test_a_phase_runs_a_program_in_a_machine_and_goes_on_with_its_end(world: ShellWorld) -> None:
    world.run(*farm())
    assert world.the("Worker").state == "Started"
    assert world.ends == [(0, "worker\n", "")]
    [operation] = world.operations()
    assert operation.state == "deleted"
    assert operation.desired["Commands"] == [{"Exec": ["hostname"], "Stdin": "b25l"}]


def test_a_program_that_fails_fails_the_phase_and_a_retry_runs_it_again(world: ShellWorld) -> None:
    world.run(*farm(Program=["false"]))
    assert "it ended with 1" in world.the("Worker").message
    world.advance(3600)
    world.system.commands.resume("shop")
    world.advance(600)
    assert [code for code, _, _ in world.ends] == [1, 1]
    assert len({*world.starts}) == 2, "another attempt is another program"


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("moment", range(1, 40, 3))
def test_a_conductor_that_dies_around_any_write_runs_a_program_once(moment: int, is_after: bool) -> None:
    world = ShellWorld()
    world.system.commands.run(submission(tuple(farm())), alias="shop")
    world.fate.arm(Blow(operation="commit", is_after=is_after, count=moment))
    assert world.settled().state is ProcessState.RUNNING
    assert world.ends[-1] == (0, "worker\n", "")
    assert len({*world.starts}) == 1
    assert world.history("Worker") == "hostname\n"


def test_a_machine_that_its_host_does_not_know_any_more_is_told_as_the_end_of_the_program(world: ShellWorld) -> None:
    world.run(*farm())
    operation = world.operations()[0]
    shell = Shell(replace(world.the("Worker"), object_id=ObjectId("another")), PHASE, world.programs())
    assert shell.poll(operation.object_id) == ProgramEnd(
        code=NEVER_RAN, stderr=f"no program {operation.object_id} of Worker is known any more"
    )


@pytest.mark.parametrize(
    ("words", "stdin", "deadline", "why"),
    [
        ("uname -r", "", 600, "a list of texts"),
        ([], "", 600, "a list of texts"),
        (["echo", 3], "", 600, "a list of texts"),
        (["sh"], "x" * (LARGEST_INPUT + 1), 600, "at most 1,048,576 are taken"),
        (["sh"], "", 0, "whole seconds"),
        (["sh"], "", True, "whole seconds"),
    ],
)
def test_a_program_that_no_machine_can_run_is_refused(
    world: ShellWorld, words: Any, stdin: str, deadline: int, why: str
) -> None:
    world.run(*farm())
    shell = Shell(world.the("Worker"), PHASE, world.programs())
    with pytest.raises((TypeError, ValueError), match=why):
        shell.start(words, stdin=stdin, deadline=deadline)
    assert len(world.operations()) == 1


def test_a_provider_that_runs_no_programs_says_so(world: ShellWorld) -> None:
    world.run(*farm())
    with pytest.raises(PermanentError, match="The provider local runs no programs in its machines"):
        Shell(world.the("Worker"), PHASE, None).start(["true"])


def test_the_commands_for_instances_reach_nodes(world: ShellWorld) -> None:
    world.run(*farm())
    node = world.the("Worker").object_id
    fields = {"Instance": node, "Commands": [{"Exec": ["cat", "/etc/hostname"]}]}
    asked = world.system.objects.create("AgentOperation", fields=fields, region=ZONE).item.object_id
    world.advance(10)
    done = world.system.objects.find(asked)
    assert (done.state, done.attributes["Results"][0]["Out"]) == ("complete", "worker\n")
    with pytest.raises(NotAllowedError, match="holds Worker at PowerState on"):
        world.system.objects.create(
            "AgentOperation", fields={"Instance": node, "Commands": [{"Power": "off"}]}, region=ZONE
        )


def test_a_node_at_rest_takes_no_command(world: ShellWorld) -> None:
    world.run(*farm(TargetState="Deallocated"))
    node = world.the("Worker").object_id
    with pytest.raises(NotAllowedError, match="The instance Worker is in the state Deallocated"):
        world.system.objects.create(
            "AgentOperation", fields={"Instance": node, "Commands": [{"Exec": ["true"]}]}, region=ZONE
        )
