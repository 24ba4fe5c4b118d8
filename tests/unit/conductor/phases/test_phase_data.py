"""What a phase remembers, and retry (P0 16-21)."""

from datetime import UTC, datetime

import pytest

from tenuto.errors import PermanentError, TransientError
from tenuto.model.event import EventType
from tenuto.model.ids import ObjectId, PhysicalId
from tenuto.model.outcome import Op
from tenuto.model.phase_map import PhaseStatus
from tenuto.plugins import PhaseRun
from tenuto.ports.phase import PhaseResource
from tenuto.ports.store_reads import EventQuery
from tenuto_testing.phase_world import HERE, PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase, complete, fail_with, say_nothing


def remember(run: PhaseRun, resource: PhaseResource) -> None:
    run.data(resource)["OperationId"] = "a"


def test_p0_16_phase_data_is_there_in_the_next_run_and_after_a_restart() -> None:
    create = ScriptedPhase("Create", script=remember)
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world.turn()
    seen: list[object] = []
    create.script = lambda run, resource: seen.append(run.data(resource)["OperationId"])
    world.advance(15)
    world = world.restart(create.plugin)
    world.advance(15)
    assert seen == ["a", "a"]


def test_p0_17_a_changed_attribute_is_stored_after_the_run() -> None:
    def write(run: PhaseRun, resource: PhaseResource) -> None:
        resource["InstanceId"] = "i-1"
        resource.attributes["Tags"].append("new")
        del resource.attributes["Old"]
        resource.physical_id = PhysicalId("i-1")

    world = PhaseWorld(ScriptedPhase("Create", script=write).plugin)
    world.add("n1", attributes={"Tags": ["old"], "Old": 1, "Kept": 2})
    world.turn()
    found = world.get("n1")
    assert found.attributes == {"InstanceId": "i-1", "Tags": ["old", "new"], "Kept": 2}
    assert found.physical_id == "i-1"


def test_attributes_of_two_phases_that_return_together_are_both_kept() -> None:
    def write(name: str) -> ScriptedPhase:
        def script(run: PhaseRun, resource: PhaseResource) -> None:
            resource[name] = name
            run.complete(resource)

        return ScriptedPhase(name, script=script)

    world = PhaseWorld(write("X").plugin, write("Y").plugin)
    world.add("n1", attributes={"Before": 1})
    world.turn()
    assert world.get("n1").attributes == {"Before": 1, "X": "X", "Y": "Y"}


def test_p0_18_data_written_before_a_raise_is_stored_for_the_completed_and_for_the_failed() -> None:
    create = ScriptedPhase("Create", script=remember)
    create.scripts = {"r1": lambda run, resource: (remember(run, resource), complete(run, resource))[0]}
    create.error = RuntimeError("boom")
    world = PhaseWorld(create.plugin)
    world.add("r1", "r2")
    world.turn()
    assert world.entry("r1", "Create").status is PhaseStatus.COMPLETED
    assert world.entry("r1", "Create").data == {"OperationId": "a"}
    assert world.entry("r2", "Create").data == {"OperationId": "a"}


def test_p0_19_a_retry_clears_data_and_failure_and_calls_the_phase_again() -> None:
    create = ScriptedPhase("Create", script=remember)
    create.error = RuntimeError("boom")
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world.turn()
    create.script, create.error = say_nothing, None
    assert world.retry("n1") == {"n1": 1}
    entry = world.entry("n1", "Create")
    assert (entry.status, entry.data, entry.message, entry.attempt) == (PhaseStatus.WAITING, {}, "", 2)
    assert not world.get("n1").is_phase_failed
    assert world.get("n1").message == ""
    world.turn()
    assert create.calls == [["n1"], ["n1"]]


def test_p0_20_a_retry_leaves_the_sleepers_of_the_phase_alone() -> None:
    create = ScriptedPhase("Create", script=remember)
    create.scripts = {"r1": fail_with("no")}
    world = PhaseWorld(create.plugin)
    world.add("r1", "r2")
    world.turn()
    before = world.get("r2")
    world.clock.advance(5)
    world.retry("r1", "r2")
    assert world.get("r2") == before


def test_p0_21_a_retry_of_what_has_not_failed_has_no_effect_and_says_so() -> None:
    world = PhaseWorld(ScriptedPhase("Create", script=say_nothing).plugin)
    world.add("n1")
    world.turn()
    before = world.get("n1")
    assert world.retry("n1") == {"n1": 0}
    assert world.get("n1") == before


def test_several_failed_phases_are_retried_together_or_one_by_one() -> None:
    x, y = ScriptedPhase("X", script=fail_with("x")), ScriptedPhase("Y", script=fail_with("y"))
    world = PhaseWorld(x.plugin, y.plugin)
    world.add("n1")
    world.turn()
    assert world.retry("n1", phase="X") == {"n1": 1}
    assert world.get("n1").is_phase_failed, "Y is still failed"
    x.script = y.script = complete
    assert world.retry("n1") == {"n1": 1}
    world.turn()
    assert world.get("n1").state == "Started"


def test_failures_and_retries_are_found_in_the_history() -> None:
    world = PhaseWorld(ScriptedPhase("Create", script=fail_with("quota")).plugin)
    world.add("n1")
    world.turn()
    world.retry("n1")
    events = world.store.events(EventQuery(types=(EventType.PHASE_FAILED, EventType.PHASE_RETRIED)))
    assert [(event.type, event.subject, event.reason, event.data["phase"]) for event in events] == [
        (EventType.PHASE_FAILED, "n1", "quota", "Create"),
        (EventType.PHASE_RETRIED, "n1", "quota", "Create"),
    ]


def test_a_checkpoint_is_in_the_store_before_the_act_that_follows_it() -> None:
    stored: list[object] = []

    def act(run: PhaseRun, resource: PhaseResource) -> None:
        run.data(resource)["intent"] = "create"
        resource["Name"] = "chosen"
        run.checkpoint(resource)
        stored.append((world.entry("n1", "Create").data, world.get("n1").attributes))
        run.complete(resource)

    world = PhaseWorld(ScriptedPhase("Create", script=act).plugin)
    world.add("n1")
    world.turn()
    assert stored == [({"intent": "create"}, {"Name": "chosen"})]


def test_what_is_taken_back_after_a_checkpoint_is_not_stored() -> None:
    def act(run: PhaseRun, resource: PhaseResource) -> None:
        resource["Mark"], resource["Size"] = "h1", 2
        run.checkpoint(resource)
        del resource.attributes["Mark"]
        resource["Size"] = 1
        run.complete(resource)

    world = PhaseWorld(ScriptedPhase("Create", script=act).plugin)
    world.add("n1", attributes={"Size": 1})
    world.turn()
    assert world.get("n1").attributes == {"Size": 1}


def test_what_json_cannot_hold_fails_its_object_and_no_other() -> None:
    create = ScriptedPhase("Create")
    create.scripts = {"r1": lambda run, resource: run.data(resource).update(when=datetime.now(UTC))}
    world = PhaseWorld(create.plugin)
    world.add("r1", "r2")
    world.turn()
    assert "cannot be stored" in world.entry("r1", "Create").message
    assert world.get("r2").state == "Started"


def test_what_a_plugin_changes_after_its_run_reaches_nobody() -> None:
    leaked: list[PhaseResource] = []

    def write(run: PhaseRun, resource: PhaseResource) -> None:
        resource["List"] = [1]
        leaked.append(resource)

    world = PhaseWorld(ScriptedPhase("Create", script=write).plugin)
    world.add("n1")
    world.turn()
    leaked[0].attributes["List"].append(2)
    assert world.get("n1").attributes == {"List": [1]}


def test_a_transient_fault_of_a_whole_call_puts_to_sleep_and_a_permanent_one_fails() -> None:
    create = ScriptedPhase("Create", script=say_nothing)
    create.error = TransientError("slow down", code="Throttling", request_id="r-1")
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world.turn()
    entry = world.entry("n1", "Create")
    assert (entry.status, entry.message, entry.code) == (PhaseStatus.SLEEPING, "slow down", "Throttling")
    create.error = PermanentError("not allowed", code="UnauthorizedOperation", request_id="r-2")
    world.advance(15)
    entry = world.entry("n1", "Create")
    assert (entry.status, entry.code, entry.request_id) == (PhaseStatus.FAILED, "UnauthorizedOperation", "r-2")


def test_older_sweeps_are_old_news_after_a_verdict_an_op_or_a_checkpoint_but_not_after_a_silent_run() -> None:
    def record(run: PhaseRun, resource: PhaseResource) -> None:
        run.record(
            Op(
                at=run.now,
                partition=HERE,
                service="ec2",
                operation="RunInstances",
                object_ids=(ObjectId("changed"),),
                request_id="r-1",
                duration_s=0.1,
            )
        )

    create = ScriptedPhase("Create", script=say_nothing)
    create.scripts = {
        "changed": record,
        "intended": lambda run, resource: run.checkpoint(resource),
        "done": complete,
        "failed": fail_with("no"),
    }
    world = PhaseWorld(create.plugin)
    world.add("changed", "intended", "done", "failed", "silent")
    born_at = world.clock.now()
    runs = world.collect()
    world.clock.advance(5)
    world.perform(runs.values())
    touched = {name: world.get(name).touched_at - born_at for name in ("changed", "intended", "done", "failed")}
    assert touched == {"changed": 5, "intended": 5, "done": 5, "failed": 5}
    assert world.get("silent").touched_at == born_at
    assert [op.operation for op in world.store.history(world.get("changed").fid).ops] == ["RunInstances"]


@pytest.mark.parametrize("asking", [ScriptedPhase("Check", "Validation"), ScriptedPhase("Await", acts=False)])
def test_a_phase_that_only_asks_does_not_make_older_sweeps_old_news(asking: ScriptedPhase) -> None:
    world = PhaseWorld(asking.plugin)
    world.add("n1")
    born_at = world.clock.now()
    runs = world.collect()
    world.clock.advance(5)
    world.perform(runs.values())
    assert world.get("n1").touched_at == born_at


def test_a_handler_may_use_the_names_of_the_specification() -> None:
    def handle(run: PhaseRun, resource: PhaseResource) -> None:
        data = run.get_resource_phase_data(resource)
        if not data.is_defined("Directory"):
            assert resource.get_as_string("Credentials") == "key"
            assert resource.get_as_string("Missing") is None
            data.set_string("Directory", "/tmp/1")
            resource.set_string("InstanceId", "i-1")
            run.set_message(resource, "installing")
            run.set_sleeping(resource, 1)
        elif data.get_as_string("Directory") == "/tmp/1":
            run.set_completed(run.get_resources())
        else:
            run.set_failed(resource, "lost its directory")

    world = PhaseWorld(ScriptedPhase("Create", script=handle).plugin)
    world.add("n1", desired={"Credentials": "key"})
    world.turn()
    assert world.entry("n1", "Create").message == "installing"
    world.advance(1)
    assert world.get("n1").state == "Started"
    assert world.get("n1").attributes == {"InstanceId": "i-1"}
