"""Each of the nine tables is made, changed, failed, cleaned up and deleted by the one broker and the one engine."""

from dataclasses import replace

import pytest
from toy_provider import NINE, ToyWorld, tables_with_failures, toy
from web_world import composed

from tenuto.compositions.documents.document import to_document
from tenuto.errors import NotAllowedError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.command import ProcessState
from tenuto.model.ids import LogicalId
from tenuto.model.process import ReleaseMode
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_changes import SaveProcess
from tenuto.service.intake.composition import Submission

IT = LogicalId("It")


class Stage:
    """A toy world with one process of one resource."""

    def __init__(self, table: str) -> None:
        self.world = ToyWorld()
        self.table = CATALOGUE[table]

    def submission(self, size: int) -> Submission:
        return Submission(document=to_document(composed(toy(self.table.name, size))), secrets={})

    def run(self) -> None:
        self.world.system.commands.run(self.submission(1), alias="toys")
        assert self.world.settle(), self.incarnations()

    def update(self, size: int) -> None:
        self.world.system.commands.update("toys", self.submission(size))
        assert self.world.settle(), self.incarnations()

    def command(self, name: str) -> None:
        getattr(self.world.system.commands, name)("toys")
        assert self.world.settle(), self.incarnations()

    def incarnations(self) -> list[ManagedObject]:
        return sorted(self.world.store.objects(self.world.fid("toys")), key=lambda one: one.incarnation)

    @property
    def it(self) -> ManagedObject:
        return self.incarnations()[-1]

    def sizes(self) -> list[object]:
        return [properties["Size"] for _, properties in self.world.toys.things.values()]

    def acts(self) -> list[str]:
        return [act.split()[0] for act in self.world.toys.journal]

    def explained(self) -> str:
        _, explanation = self.world.system.queries.explain("toys")
        return " ".join(explanation.resources[IT])

    @property
    def process_state(self) -> ProcessState:
        return self.world.system.queries.history("toys").process.state


@pytest.mark.parametrize("table", NINE)
def test_a_resource_of_every_table_is_made_changed_and_deleted(table: str) -> None:
    stage = Stage(table)
    stage.run()
    assert (stage.it.state, stage.it.lifecycle, stage.sizes()) == (stage.table.ready, table, [1])
    stage.update(2)
    assert (stage.it.state, stage.it.incarnation, stage.sizes()) == (stage.table.ready, 1, [2])
    stage.command("kill")
    assert (stage.it.state, stage.sizes(), stage.acts()) == (stage.table.gone, [], ["make", "change", "delete"])
    assert stage.process_state is ProcessState.GONE


@pytest.mark.parametrize("table", NINE)
def test_what_is_changed_or_deleted_behind_our_back_is_set_right(table: str) -> None:
    stage = Stage(table)
    stage.run()
    (name,) = stage.world.toys.things
    stage.world.toys.things[name] = (stage.it.type, {"Size": 9})
    stage.world.advance(120)
    assert stage.sizes() == [1]
    stage.world.toys.things.clear()
    stage.world.advance(600)
    assert (stage.sizes(), stage.it.incarnation, stage.it.state) == ([1], 2, stage.table.ready)
    assert stage.incarnations()[0].state == stage.table.gone


@pytest.mark.parametrize("table", tables_with_failures())
def test_what_failed_is_kept_and_explained_until_a_person_acknowledges_it(table: str) -> None:
    stage = Stage(table)
    stage.world.toys.refused["make", IT] = "there is no disk"
    stage.run()
    failed = stage.it
    assert (failed.state, failed.target) == (stage.table.failed, stage.table.failed)
    assert "there is no disk" in failed.message
    assert stage.process_state is ProcessState.SUSPENDED
    assert "is kept so that you can examine it" in stage.explained()
    assert stage.acts() == (["clean"] if table == "instance" else [])
    stage.world.advance(24 * 3600)
    assert [one.object_id for one in stage.incarnations()] == [failed.object_id]
    stage.world.toys.refused.clear()
    stage.command("resume")
    assert (stage.it.state, stage.it.incarnation, stage.sizes()) == (stage.table.ready, 2, [1])
    assert stage.incarnations()[0].state == stage.table.gone


@pytest.mark.parametrize("table", tables_with_failures())
def test_what_failed_is_deleted_by_a_kill(table: str) -> None:
    stage = Stage(table)
    stage.world.toys.refused["make", IT] = "there is no disk"
    stage.run()
    stage.command("kill")
    assert (stage.it.state, stage.it.incarnation) == (stage.table.gone, 1)
    assert stage.process_state is ProcessState.GONE


def test_a_retry_acknowledges_a_failure_and_the_next_plan_replaces_the_thing() -> None:
    stage = Stage("network")
    stage.run()
    stage.world.toys.refused["change", IT] = "no room"
    stage.update(2)
    assert (stage.it.state, stage.sizes()) == ("error", [1])
    stage.world.toys.refused.clear()
    _, cleared = stage.world.system.commands.retry("toys", [IT])
    assert cleared == {IT: 1}
    assert "its failure is acknowledged" in stage.explained()
    stage.command("resume")
    assert (stage.it.incarnation, stage.it.state, stage.sizes()) == (2, "created", [2])


@pytest.mark.parametrize("table", tables_with_failures())
def test_a_mistake_of_a_plugin_takes_down_nothing_that_serves(table: str) -> None:
    stage = Stage(table)
    stage.run()
    stage.world.toys.mistake = "a number was zero"
    stage.update(2)
    stage.world.advance(24 * 3600)
    assert (stage.it.state, stage.it.incarnation, stage.sizes()) == (stage.table.ready, 1, [1])
    assert "a number was zero" in stage.it.message
    assert stage.process_state is ProcessState.SUSPENDED
    stage.world.toys.mistake = ""
    stage.command("resume")
    assert (stage.it.state, stage.it.incarnation, stage.sizes()) == (stage.table.ready, 1, [2])
    assert stage.acts() == ["make", "change"]


@pytest.mark.parametrize("table", [name for name in tables_with_failures() if name != "node"])
def test_a_mistake_of_a_plugin_while_a_thing_is_made_takes_its_edge(table: str) -> None:
    stage = Stage(table)
    stage.world.toys.mistake = "a number was zero"
    stage.run()
    assert (stage.it.state, stage.acts()) == (stage.table.failed, ["clean"] if table == "instance" else [])


def test_a_mistake_of_a_plugin_about_what_is_born_ready_is_tried_again() -> None:
    stage = Stage("node")
    stage.world.toys.mistake = "a number was zero"
    stage.run()
    assert (stage.it.state, stage.it.is_phase_failed, stage.process_state) == ("created", True, ProcessState.SUSPENDED)
    stage.world.toys.mistake = ""
    stage.command("resume")
    assert (stage.it.incarnation, stage.sizes()) == (1, [1])


def test_a_failed_change_of_a_type_without_an_edge_stays_in_its_phase_and_is_tried_again() -> None:
    stage = Stage("namespace")
    stage.run()
    stage.world.toys.refused["change", IT] = "no room"
    stage.update(2)
    assert (stage.it.state, stage.it.is_phase_failed, stage.process_state) == ("created", True, ProcessState.SUSPENDED)
    stage.world.toys.refused.clear()
    stage.command("resume")
    assert (stage.it.incarnation, stage.sizes()) == (1, [2])


def test_a_thing_that_exists_only_in_tenuto_is_not_released() -> None:
    stage = Stage("network")
    stage.run()
    with pytest.raises(NotAllowedError, match=r"cannot be released: .*Toy::Network.* 'tenuto kill toys'"):
        stage.world.system.commands.release("toys")
    stage.world.advance(120)
    assert (stage.it.state, stage.sizes()) == ("created", [1])
    stage.command("kill")
    assert (stage.it.state, stage.process_state) == ("deleted", ProcessState.GONE)


def test_a_release_that_a_creation_has_overtaken_waits_and_says_what_to_do() -> None:
    stage = Stage("network")
    stage.run()
    process = stage.world.store.process("toys")
    assert process is not None
    released = replace(process, releasing=ReleaseMode.UNTAG, next_job_at=stage.world.clock.now())
    stage.world.store.commit([SaveProcess(process=released, expected_generation=process.generation)])
    stage.world.advance(120)
    assert (stage.it.state, stage.sizes()) == ("created", [1])
    assert "cannot be released: a Toy::Network exists only as long as Tenuto manages it" in stage.explained()
    stage.command("kill")
    assert (stage.it.state, stage.process_state) == ("deleted", ProcessState.GONE)


def test_a_deletion_that_fails_leads_to_error_and_a_second_kill_deletes_it() -> None:
    stage = Stage("instance")
    stage.run()
    stage.world.toys.refused["delete", IT] = "it is in use"
    stage.command("kill")
    assert (stage.it.state, stage.acts()) == ("error", ["make", "clean"])
    explained = stage.explained()
    assert "'tenuto kill toys' acknowledges that: then it is deleted" in explained
    assert "'tenuto resume toys' cancels the kill" in explained
    assert "Not declared" not in explained
    message = stage.world.system.queries.history("toys").process.last_message
    assert message.endswith("'tenuto kill toys' goes on. Otherwise cancel the kill ('tenuto resume toys').")
    stage.world.toys.refused.clear()
    stage.command("kill")
    assert (stage.it.state, stage.sizes()) == ("deleted", [])
