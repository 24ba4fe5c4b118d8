"""Plugins that do what no plugin may do: their objects say what it was, and nothing else suffers."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tenuto.errors import TransientError
from tenuto.model.outcome import Op
from tenuto.model.phase_map import PhaseStatus
from tenuto.plugins import PhaseRun
from tenuto.ports.phase import PhaseResource
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import Script, ScriptedPhase, complete


def deep() -> Any:
    value: dict[str, Any] = {}
    for _ in range(3000):
        value = {"in": value}
    return value


def cyclic() -> Any:
    value: dict[str, Any] = {}
    value["self"] = value
    return value


def in_data(make: Callable[[], Any]) -> Script:
    def write(run: PhaseRun, resource: PhaseResource) -> None:
        run.data(resource)["x"] = make()
        run.complete(resource)

    return write


def in_attributes(make: Callable[[], Any]) -> Script:
    def write(run: PhaseRun, resource: PhaseResource) -> None:
        resource["x"] = make()
        run.complete(resource)

    return write


class Breaking(dict[str, Any]):
    def items(self) -> Any:
        raise LookupError("broken")


def raising(error: BaseException) -> Script:
    def act(run: PhaseRun, resource: PhaseResource) -> None:
        raise error

    return act


def ran(script: Script) -> PhaseWorld:
    """A world in which the phase ran once."""
    create = ScriptedPhase("Create")
    create.scripts = {"n1": script}
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world.turn()
    return world


@pytest.mark.parametrize("place", [in_data, in_attributes])
@pytest.mark.parametrize(
    ("make", "words"), [(deep, "more than 100 levels"), (cyclic, "contains itself"), (lambda: Breaking(a=1), "broken")]
)
def test_a_value_that_cannot_be_stored_fails_the_phase(
    place: Callable[[Callable[[], Any]], Script], make: Callable[[], Any], words: str
) -> None:
    world = ran(place(make))
    entry = world.entry("n1", "Create")
    assert entry.status is PhaseStatus.FAILED
    assert "phase Create wrote something that cannot be stored" in entry.message
    assert words in entry.message
    assert world.engine.in_flight == 0


@pytest.mark.parametrize("error", [asyncio.CancelledError(), GeneratorExit(), SystemExit(4)])
def test_an_exception_that_ends_tasks_or_programs_fails_the_phase(error: BaseException) -> None:
    world = ran(raising(error))
    entry = world.entry("n1", "Create")
    assert entry.status is PhaseStatus.FAILED
    assert type(error).__name__ in entry.message
    assert world.engine.in_flight == 0


def test_a_phase_that_raised_so_is_tried_again_by_a_retry() -> None:
    create = ScriptedPhase("Create", script=raising(asyncio.CancelledError()))
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world.turn()
    create.script = complete
    world.retry("n1")
    world.settle()
    assert world.get("n1").state == "Started"


def test_lone_surrogates_of_a_plugin_become_replacement_characters() -> None:
    def write(run: PhaseRun, resource: PhaseResource) -> None:
        run.data(resource)["f\ud800"] = ["\ud800"]
        resource["drift\udce9"] = "caf\udce9"
        resource.physical_id = "i-\udce9"  # type: ignore[assignment]
        run.record(
            Op(
                at=run.now,
                partition=run.partition,
                service="ec2",
                operation="Run\udce9",
                object_ids=(resource.object.object_id,),
                request_id="",
                duration_s=0.0,
                message=None,  # type: ignore[arg-type]
            )
        )
        run.sleep(resource, 60, "waits for \ud800", code="\ud800")

    world = ran(write)
    entry = world.entry("n1", "Create")
    assert (entry.data, entry.message, entry.code) == ({"f\ufffd": ["\ufffd"]}, "waits for \ufffd", "\ufffd")
    assert world.get("n1").attributes == {"drift\ufffd": "caf\ufffd"}
    assert world.get("n1").physical_id == "i-\ufffd"
    assert [op.operation for op in world.store.history(world.get("n1").fid).ops] == ["Run\ufffd"]


def wrong(act: Callable[[Any, Any], object]) -> Script:
    def call(run: PhaseRun, resource: PhaseResource) -> None:
        act(run, resource)

    return call


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda run, one: run.complete("N1"),
            "phase Create called run.complete with 'N1', which is no resource; give run.resources, or one of them",
        ),
        (
            lambda run, one: run.sleep(None),
            "phase Create called run.sleep with None, which is no resource; give run.resources, or one of them",
        ),
        (
            lambda run, one: run.data("N1"),
            "phase Create called run.data with 'N1', which is no resource; give run.resources, or one of them",
        ),
        (lambda run, one: run.fail(one, None), "phase Create failed it, and gave no reason"),
        (lambda run, one: run.fail(one, OSError("no disk")), "no disk"),
        (
            lambda run, one: run.fail(one, ["no"]),
            "phase Create called run.fail with a value of the kind list in place of a text",
        ),
        (
            lambda run, one: run.sleep(one, float("nan")),
            "phase Create called run.sleep for nan seconds; a time is a number of seconds, of ten years at most",
        ),
        (
            lambda run, one: run.sleep(one, float("inf")),
            "phase Create called run.sleep for inf seconds; a time is a number of seconds, of ten years at most",
        ),
        (
            lambda run, one: run.sleep(one, "5"),
            "phase Create called run.sleep for '5', which is no number of seconds",
        ),
        (
            lambda run, one: setattr(one, "physical_id", 7),
            "phase Create wrote something that cannot be stored: resource.physical_id was replaced by 7",
        ),
        (
            lambda run, one: setattr(one, "act", "done"),
            "phase Create wrote something that cannot be stored: resource.act was replaced by 'done'",
        ),
        (
            lambda run, one: setattr(one, "data", 7),
            "phase Create wrote something that cannot be stored: run.data(resource) was replaced by 7",
        ),
    ],
)
def test_a_wrong_call_is_told_in_a_sentence(act: Callable[[Any, Any], object], message: str) -> None:
    entry = ran(wrong(act)).entry("n1", "Create")
    assert (entry.status, entry.message) == (PhaseStatus.FAILED, message)


def test_an_error_with_codes_that_are_no_texts_puts_to_sleep_as_any_other() -> None:
    error = TransientError("busy", code=None, request_id=7)  # type: ignore[arg-type]
    entry = ran(raising(error)).entry("n1", "Create")
    assert (entry.status, entry.code, entry.request_id) == (PhaseStatus.SLEEPING, "", "7")


@pytest.mark.parametrize("seconds", [0, -5, 1e-9])
def test_a_plugin_that_asks_for_no_sleep_is_called_again_after_a_second(seconds: float) -> None:
    create = ScriptedPhase("Create", script=lambda run, one: run.sleep(one, seconds))
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world.advance(10)
    assert len(create.calls) == 11


def test_a_phase_without_a_delay_is_called_again_after_a_second() -> None:
    create = ScriptedPhase("Create", script=lambda run, one: None, delay=0)
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world.advance(10)
    assert len(create.calls) == 11
