"""A plan file is executed exactly, or refused with everything that moved, and then nothing was changed."""

import json
from dataclasses import replace

import pytest
from cryptography.fernet import Fernet

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.errors import NotAllowedError, PermanentError, PlanMovedError, UserError
from tenuto.model.command import ProcessState
from tenuto.model.ids import JsonMap
from tenuto.ports.store_changes import SaveProcess
from tenuto.service.commands.plan_files import PlanFiles
from tenuto.service.intake.composition import Submission
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto_testing.world import World

TEMPLATE = """
Parameters:
  Label: {Type: String, Default: one}
  Password: {Type: String, NoEcho: true, Default: hunter2}
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: !Ref Label}}
  Other: {Type: Simulated::Network, Properties: {CidrBlock: 10.9.0.0/16, Label: !Ref Password}}
"""


def submission(**parameters: str) -> Submission:
    compiled = compile_text(TEMPLATE, file="web.yaml", parameters=parameters, region="sim-1")
    return Submission(document=to_document(compiled.composition), secrets=compiled.secrets)


@pytest.fixture
def world() -> World:
    world = World()
    world.system.commands.run(submission(), alias="web")
    assert world.settle()
    return world


def plan_of_update(world: World, **parameters: str) -> JsonMap:
    file = world.system.commands.dry_runs.update("web", submission(**parameters)).file
    assert file is not None
    found: JsonMap = json.loads(json.dumps(file))
    return found


def id_of(world: World, name: str) -> str:
    [found] = [one for one in world.system.queries.process("web").resources if one.logical_id == name]
    assert found.current is not None
    assert found.current.physical_id is not None
    return found.current.physical_id


def labels(world: World) -> dict[str, object]:
    return {thing.physical_id: thing.properties["Label"] for thing in world.cloud.things()}


def refused(world: World, file: JsonMap) -> tuple[str, ...]:
    before = world.store.process("web")
    world.clock.advance(1.0)  # A sweep of this very moment would be fresh enough.
    with pytest.raises(PlanMovedError) as caught:
        world.system.commands.execute("web", file)
    assert world.store.process("web") == before
    assert all(line in str(caught.value) for line in caught.value.moved)
    return caught.value.moved


def test_a_plan_file_needs_no_secret_again_and_holds_none_in_clear(world: World) -> None:
    file = plan_of_update(world, Label="two", Password="correct horse")
    assert "correct horse" not in json.dumps(file)
    world.system.commands.execute("web", file)
    assert world.settle()
    assert sorted(labels(world).values()) == ["correct horse", "two"]


def test_the_plan_that_is_executed_is_that_of_a_job_that_runs_at_once(world: World) -> None:
    process = world.system.commands.execute("web", plan_of_update(world, Label="two"))
    job = world.store.job(process.job_id) if process.job_id else None
    assert job is not None
    assert (job.command, job.plan_summary["modify"], process.intent.waiting) == ("update", 1, None)
    [given] = [one for one in world.system.queries.history("web").history.commands if one.command == "update"]
    assert str(job.plan_id) in given.detail


def test_a_value_that_changed_elsewhere_is_named_with_both_plans(world: World) -> None:
    file = plan_of_update(world, Label="two")
    world.cloud.tamper(id_of(world, "Net"), "Label", "three")
    assert refused(world, file) == ('Net: modify: Label "three" → "two", and was Label "one" → "two"',)


def test_a_resource_that_drifted_meanwhile_is_named(world: World) -> None:
    file = plan_of_update(world, Label="two")
    world.cloud.tamper(id_of(world, "Other"), "CidrBlock", "10.8.0.0/16")
    assert refused(world, file) == ('Other: replace is new; CidrBlock "10.8.0.0/16" → "10.9.0.0/16"',)


def test_a_change_that_somebody_made_already_is_named(world: World) -> None:
    file = plan_of_update(world, Label="two")
    world.cloud.tamper(id_of(world, "Net"), "Label", "two")
    assert refused(world, file) == ("Net: modify is not to be done any more",)


def test_a_process_that_was_updated_meanwhile_is_named(world: World) -> None:
    file = plan_of_update(world, Label="two")
    world.system.commands.update("web", submission(Label="three"))
    assert world.settle()
    moved = refused(world, file)
    assert "the composition of web has changed since ('tenuto history web' shows the commands)" in moved
    assert "Net is declared otherwise since ('tenuto show web Net' shows how)" in moved
    assert 'Net: modify: Label "three" → "two", and was Label "one" → "two"' in moved


def test_a_resource_that_was_made_anew_meanwhile_is_another_one(world: World) -> None:
    file = plan_of_update(world, Label="two")
    world.cloud.vanish(id_of(world, "Net"))
    world.advance(120)
    moved = refused(world, file)
    assert "Net (incarnation 1) is gone" in moved
    assert "Net (incarnation 2) was not there" in moved


def test_an_executed_plan_is_not_executed_twice(world: World) -> None:
    file = plan_of_update(world, Label="two")
    world.system.commands.execute("web", file)
    with pytest.raises(PlanMovedError, match="a job is executing"):
        world.system.commands.execute("web", file)
    assert world.settle()
    refused(world, file)


def test_the_plan_of_an_update_is_refused_while_suspended(world: World) -> None:
    file = plan_of_update(world, Label="two")
    world.system.commands.suspend("web")
    with pytest.raises(NotAllowedError, match="stored and not executed"):
        world.system.commands.execute("web", file)


def test_the_plan_of_a_kill_is_refused_where_a_kill_is(world: World) -> None:
    file = world.system.commands.dry_runs.kill("web").file
    assert file is not None
    world.system.commands.kill("web")
    with pytest.raises(NotAllowedError, match="does not take 'kill'"):
        world.system.commands.execute("web", file)


def test_a_resume_by_plan_repairs_what_it_showed(world: World) -> None:
    world.system.commands.suspend("web")
    world.cloud.tamper(id_of(world, "Net"), "Label", "strange")
    view = world.system.commands.dry_runs.resume("web")
    assert view.file is not None
    world.system.commands.execute("web", view.file)
    assert world.settle()
    assert labels(world)[id_of(world, "Net")] == "one"
    assert world.system.queries.process("web").process.state is ProcessState.RUNNING


def test_a_file_of_another_process_is_refused(world: World) -> None:
    file = plan_of_update(world, Label="two")
    world.system.commands.run(submission(), alias="other")
    with pytest.raises(UserError, match="The plan was made for process"):
        world.system.commands.execute("other", file)


def test_a_file_that_was_edited_is_refused(world: World) -> None:
    file = {**plan_of_update(world, Label="two"), "operations": []}
    with pytest.raises(UserError, match="changed or damaged"):
        world.system.commands.execute("web", file)


@pytest.mark.parametrize("file", [{}, {"format": "tenuto-plan", "version": 1}, {"operations": []}])
def test_what_is_no_plan_file_is_refused(world: World, file: JsonMap) -> None:
    with pytest.raises(UserError, match="no plan file"):
        world.system.commands.execute("web", file)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"command": "explode"}, "command"),
        ({"process": {}}, "fid"),
        ({"facts": {"process": {}}}, "resources"),
        ({"facts": {"process": {}, "resources": {"Net": 1}}}, "resources"),
        ({"operations": [{"op": "modify"}]}, "logical_id"),
        ({"sealed": {"Password": 1}}, "sealed"),
        ({"releasing": "soon"}, "releasing"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_file_that_was_made_by_hand_is_refused_with_the_place_that_is_wrong(
    world: World, change: JsonMap, place: str
) -> None:
    file = {**plan_of_update(world, Label="two"), **change}
    with pytest.raises(UserError, match=f"none that Tenuto made: .*{place}"):
        world.system.commands.execute("web", file)


def test_an_update_without_a_composition_is_refused_and_kills_nothing(world: World) -> None:
    file = {**plan_of_update(world, Label="two"), "composition": None}
    with pytest.raises(UserError):
        world.system.commands.execute("web", file)
    assert world.system.queries.process("web").process.state is ProcessState.RUNNING


def test_the_plan_of_a_run_can_be_kept_and_not_executed(world: World) -> None:
    file = world.system.commands.dry_runs.run(submission(), alias="new", account="default").file
    assert file is not None
    with pytest.raises(UserError, match="there is no process yet"):
        world.system.commands.execute("web", file)


def test_a_file_holds_no_seal_of_a_secret_that_its_maker_did_not_give(world: World) -> None:
    """Who may only ask for a plan is given nothing that opens anywhere."""
    compiled = submission(Label="two")
    asked = Submission(document=compiled.document, secrets={})
    file = world.system.commands.dry_runs.update("web", asked).file
    assert file is not None
    assert file["sealed"] == {}
    world.system.commands.execute("web", file)
    assert world.settle()
    assert labels(world)[id_of(world, "Net")] == "two"
    assert labels(world)[id_of(world, "Other")] == "hunter2"


def test_a_seal_of_one_process_is_refused_in_another(world: World) -> None:
    victim = world.store.process("web")
    assert victim is not None
    world.system.commands.run(submission(), alias="eve")
    assert world.settle()
    stolen = Submission(document=submission(Label="two").document, secrets={}, sealed=victim.sealed)
    with pytest.raises(PermanentError, match="was not sealed for"):
        world.system.commands.update("eve", stolen)


def test_a_file_of_another_conductor_is_refused(world: World) -> None:
    file = plan_of_update(world, Label="two")
    other = PlanFiles(KeyedSecrets(new_keys()))
    with pytest.raises(UserError, match="another Conductor made it"):
        other.read(file)


def test_a_seal_of_before_stays_good_and_names_its_place_after_the_next_update(world: World) -> None:
    process = world.store.process("web")
    assert process is not None
    changed = replace(process, sealed={"Password": Fernet(world.keys[0]).encrypt(b"hunter2").decode()})
    world.store.commit([SaveProcess(process=changed, expected_generation=process.generation)])
    world.system.commands.update("web", Submission(document=submission(Label="two").document, secrets={}))
    assert world.settle()
    after = world.store.process("web")
    assert after is not None
    assert KeyedSecrets(world.keys).is_bound(after.sealed["Password"])
    assert labels(world)[id_of(world, "Other")] == "hunter2"
