"""Which command a process takes in which state."""

from dataclasses import replace

import pytest

from tenuto.core.access.admission import ALLOWED_IN, admit, allowed_in
from tenuto.errors import NotAllowedError
from tenuto.lifecycles.process import PROCESS
from tenuto.model.ids import Fid, Instant, Partition
from tenuto.model.process import Command, Process, ProcessState
from tenuto_testing.store_samples import an_intent

WEB = Process(
    intent=an_intent(),
    fid=Fid("f"),
    alias="web",
    name="web",
    partition=Partition(account="default", region="eu-west-1"),
    provider="simulated",
    state=ProcessState.RUNNING,
    composition_digest="d",
    composition_name="web",
    created_at=Instant(0),
    updated_at=Instant(0),
    next_job_at=Instant(0),
)

# The table of the process model, and COMMANDS for those that it does not name.
SPECIFIED = {
    ProcessState.RUNNING: {"update", "suspend", "kill", "release", "retry", "property"},
    ProcessState.SUSPENDED: {"update", "resume", "kill", "release", "retry", "property"},
    ProcessState.KILLING: {"suspend", "property"},
    ProcessState.GONE: set(),
}


@pytest.mark.parametrize("state", list(ProcessState))
@pytest.mark.parametrize("command", list(Command))
def test_a_state_takes_exactly_the_commands_of_the_specification(state: ProcessState, command: Command) -> None:
    process = replace(WEB, state=state)
    if command.value in SPECIFIED[state]:
        admit(command, process)
    else:
        with pytest.raises(NotAllowedError) as refused:
            admit(command, process)
        assert f"web is {state}" in str(refused.value)
        for allowed in SPECIFIED[state]:
            assert allowed in str(refused.value)


def test_every_command_has_a_row() -> None:
    assert set(ALLOWED_IN) == set(Command)


def test_what_changes_the_state_is_a_move_of_the_lifecycle() -> None:
    leads_to = {
        Command.SUSPEND: ProcessState.SUSPENDED,
        Command.RESUME: ProcessState.RUNNING,
        Command.KILL: ProcessState.KILLING,
        Command.RELEASE: ProcessState.GONE,
    }
    for command, after in leads_to.items():
        for before in ALLOWED_IN[command]:
            assert PROCESS.allows(before, after)


@pytest.mark.parametrize("command", [command for command in Command if command is not Command.RUN])
def test_a_locked_process_takes_nothing_but_the_end_of_the_lock(command: Command) -> None:
    for state in ALLOWED_IN[command]:
        locked = replace(WEB, is_locked=True, state=state)
        with pytest.raises(NotAllowedError, match=r"locked.*--set off"):
            admit(command, locked)
    admit(Command.PROPERTY, replace(WEB, is_locked=True), unlocks=True)


def test_the_commands_of_a_state_come_in_one_order() -> None:
    assert [command.value for command in allowed_in(ProcessState.KILLING)] == ["suspend", "property"]
