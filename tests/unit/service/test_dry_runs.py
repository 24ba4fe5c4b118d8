"""Dry runs plan what the command would do, change nothing else, and are part of the history."""

import pytest
from front import Front, submission

from tenuto.errors import NotAllowedError, TransientError
from tenuto.model.command import Command, ProcessState
from tenuto.model.job import JobKind


def test_the_dry_run_of_run_makes_no_process() -> None:
    front = Front()
    view = front.commands.dry_runs.run(submission(), alias="web", account="default")
    assert view.is_new
    assert [operation.logical_id for operation in view.planning.plan.operations] == ["Net", "Sub"]
    assert front.store.processes() == ()
    assert front.conductor.woken == []


def test_a_dry_run_plans_for_the_process_as_the_command_would_make_it() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    front.commands.dry_runs.kill("web")
    front.commands.suspend("web")
    front.commands.dry_runs.resume("web")
    (killed, nothing), (resumed, composition) = front.conductor.previewed
    assert (killed.state, killed.intent.stands, nothing) == (ProcessState.KILLING, True, None)
    assert (resumed.state, resumed.intent.stands, resumed.intent.waiting) == (
        ProcessState.RUNNING,
        True,
        Command.RESUME,
    )
    assert composition is not None


def test_a_dry_run_changes_the_process_in_nothing() -> None:
    front = Front()
    before = front.commands.run(submission(), alias="web")
    front.commands.dry_runs.kill("web")
    front.commands.dry_runs.update(
        "web", submission("Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}}")
    )
    assert front.store.process("web") == before
    assert front.conductor.retried == []


def test_a_dry_run_is_kept_as_a_job_with_its_plan() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    front.commands.dry_runs.update("web", submission())
    [job] = front.store.history(process.fid).jobs
    assert (job.kind, job.command, job.plan_summary["create"]) == (JobKind.DRY_RUN, "update", 2)
    assert job.plan_id is not None
    assert front.store.plan(job.plan_id) is not None


def test_a_dry_run_is_refused_where_its_command_is() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    with pytest.raises(NotAllowedError):
        front.commands.dry_runs.resume("web")
    with pytest.raises(NotAllowedError, match="belongs to process"):
        front.commands.dry_runs.run(submission(), alias="web", account="default")


def test_the_dry_run_of_apply_is_that_of_run_or_of_update() -> None:
    front = Front()
    assert front.commands.dry_runs.apply(submission(), alias="web", account=None).is_new
    front.commands.run(submission(), alias="web")
    assert not front.commands.dry_runs.apply(submission(), alias="web", account=None).is_new


def test_a_provider_that_cannot_be_observed_fails_the_dry_run_and_leaves_no_job() -> None:
    front = Front()
    process = front.commands.run(submission(), alias="web")
    front.conductor.failure = TransientError("the endpoint is down")
    with pytest.raises(TransientError):
        front.commands.dry_runs.kill("web")
    assert front.store.history(process.fid).jobs == ()
