"""History and provider operations name who stands behind them."""

from dataclasses import replace

from tenuto.model.command import Command
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, JobId
from tenuto.model.job import Job, JobKind, JobStatus
from tenuto.model.process import CommandRecord
from tenuto.ports.store_reads import History
from tenuto.service.views.history_view import HistoryView, actor_of, history_document, ops_document
from tenuto_testing.store_samples import WEB, a_job, a_process, an_event, an_op


def given(command: Command, at: float, actor: str) -> CommandRecord:
    return CommandRecord(fid=WEB, command=command, at=Instant(at), actor=actor)


def job(name: str, kind: JobKind, command: str, start: float, end: float) -> Job:
    return replace(
        a_job(name, actor=""),
        job_id=JobId(name),
        kind=kind,
        command=command,
        status=JobStatus.SUCCEEDED,
        started_at=Instant(start),
        finished_at=Instant(end),
    )


COMMANDS = (given(Command.RUN, 10, "ann"), given(Command.UPDATE, 20, "bob"), given(Command.UPDATE, 40, "eve"))
BUILD = job("build", JobKind.COMMAND, "run", 11, 15)
CHANGE = job("change", JobKind.COMMAND, "update", 21, 25)
REPAIR = job("repair", JobKind.ROUTINE, "enforce", 30, 31)
DRY_RUN = job("dry", JobKind.DRY_RUN, "kill", 35, 36)


def view(*ops: float) -> HistoryView:
    history = History(
        commands=COMMANDS,
        jobs=(BUILD, CHANGE, REPAIR, DRY_RUN),
        ops=tuple(an_op("obj-1", at=Instant(at)) for at in ops),
    )
    return HistoryView(process=a_process(), history=history, names={})


def test_behind_a_job_stands_whoever_gave_its_command_last_before_it() -> None:
    assert [one["actor"] for one in history_document(view())["jobs"]] == ["ann", "bob", "conductor", None]
    assert actor_of(replace(CHANGE, started_at=Instant(41)), COMMANDS) == "eve"
    assert actor_of(CHANGE, ()) is None


def test_behind_a_provider_operation_stands_the_actor_of_the_job_that_was_at_work() -> None:
    told = [one["actor"] for one in ops_document(view(12, 22, 30.5, 37, 5))["ops"]]
    assert told == ["ann", "bob", "conductor", "conductor", None]


def test_a_job_that_names_its_actor_is_believed() -> None:
    assert actor_of(replace(CHANGE, actor="cat"), COMMANDS) == "cat"
    assert actor_of(replace(DRY_RUN, actor="dan"), COMMANDS) == "dan"
    assert actor_of(replace(REPAIR, actor="conductor"), ()) == "conductor"


def places(history: History, *refusals: Event) -> list[str]:
    """Commands and jobs in the order of their places."""
    document = history_document(HistoryView(process=a_process(), history=history, names={}, refusals=refusals))
    rows = [(one["place"], f"{one['command']} {one['status']}") for one in document["commands"]]
    rows += [(one["place"], f"job {one['id']}") for one in document["jobs"]]
    assert [place for place, _ in sorted(rows)] == list(range(len(rows)))
    return [told for _, told in sorted(rows)]


def test_rows_of_one_instant_have_a_fixed_order_with_the_commands_first() -> None:
    commands = (given(Command.UPDATE, 10, "ann"), given(Command.RESUME, 10, "ann"))
    jobs = (job("one", JobKind.COMMAND, "update", 10, 11), job("two", JobKind.COMMAND, "resume", 10, 12))
    assert places(History(commands=commands, jobs=jobs)) == ["update given", "resume given", "job one", "job two"]


def test_times_that_are_told_alike_keep_their_order() -> None:
    """Times are told to the millisecond, and stored as they are."""
    history = History(
        commands=(given(Command.UPDATE, 10.0004, "ann"),), jobs=(job("before", JobKind.COMMAND, "run", 10.0003, 11),)
    )
    assert places(history) == ["job before", "update given"]


def test_a_refused_command_stands_among_the_others() -> None:
    refused = an_event(15.0, type=EventType.COMMAND_REFUSED, data={"command": "kill"})
    commands = (given(Command.RUN, 10, "ann"), given(Command.SUSPEND, 20, "ann"))
    assert places(History(commands=commands), refused) == ["run given", "kill refused", "suspend given"]
