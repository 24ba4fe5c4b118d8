"""A phase whose plugin is not loaded is named, with what to do, for as long as an object waits in it."""

from dataclasses import replace

import pytest

from tenuto.core.reports.explain import explain
from tenuto.core.reports.unconverged import Why, unconverged
from tenuto.core.reports.unloaded import unloaded_message, unloaded_phases, way_without
from tenuto.model.ids import Instant, PhaseName
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import Process, ProcessState
from tenuto_testing.store_samples import OTHER_PHASE, PHASE, a_process, an_entry, an_object, entries

WEB = a_process(alias="web")


def only(phase: PhaseName) -> bool:
    return phase == OTHER_PHASE


@pytest.mark.parametrize("status", PhaseStatus)
def test_a_phase_without_a_plugin_is_named_while_it_is_open(status: PhaseStatus) -> None:
    found = an_object(phases=entries(an_entry(status), an_entry(phase=OTHER_PHASE)))
    is_closed = status in (PhaseStatus.COMPLETED, PhaseStatus.CANCELED)
    assert unloaded_phases(found, only) == (() if is_closed else (PHASE,))


def test_the_message_names_the_phase_and_says_what_to_do() -> None:
    assert (
        unloaded_message(PHASE) == "No plugin of the name create is loaded. Install it and give 'tenuto phases reload'"
    )


@pytest.mark.parametrize(
    ("target", "process", "way"),
    [
        ("Started", WEB, "'tenuto kill web' ends the process"),
        ("Terminated", WEB, "Without it, 'tenuto release web' leaves"),
        ("Terminated", replace(WEB, state=ProcessState.KILLING), "after 'tenuto suspend web', 'tenuto release web'"),
        ("Released", WEB, "'tenuto kill web' deletes the resource"),
    ],
)
def test_the_command_that_goes_on_without_the_plugin_depends_on_where_the_object_goes(
    target: str, process: Process, way: str
) -> None:
    assert way in way_without(process, an_object(target=target))


def test_a_process_waits_for_a_plugin_that_is_not_loaded() -> None:
    found = an_object(phases=entries(an_entry()))
    told = unconverged(WEB, [found], is_held=False, is_loaded=only)
    assert told is not None
    assert told.why is Why.NO_PLUGIN
    assert "No plugin of the name create is loaded" in told.message


def test_explain_tells_it_after_the_phase() -> None:
    found = an_object(phases=entries(an_entry()))
    lines = explain(WEB, None, [found], None, Instant(300.0), only).resources[found.logical_id]
    assert "Phase create waits for its next run." in lines
    assert any("Install it and give 'tenuto phases reload'. Without it, 'tenuto kill web'" in line for line in lines)
