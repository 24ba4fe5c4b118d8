"""Dry runs on the stage, and the plans that come of them: kept, and executed much later or not at all.

A dry run changes nothing, and a plan that is executed is the one that was shown; in an unchanged world a command
carries out the plan of its dry run, and where everything is as declared there is nothing to do (DECISIONS 24).
"""

from collections.abc import Callable

from tenuto.compositions.documents.document import to_document
from tenuto.errors import UserError
from tenuto.model.ids import Fid, Instant, JsonMap
from tenuto.model.job import JobKind
from tenuto.model.process import Process
from tenuto.service.commands.plan_view import PlanView, operations_document
from tenuto.service.intake.composition import Submission
from tenuto_testing.simulation.promises import Operations, shown
from tenuto_testing.simulation.stage import Stage
from tenuto_testing.simulation.steps import Execute, Rehearse


class Rehearsals:
    """The last plan of each alias."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._kept: dict[str, JsonMap] = {}
        self._foretold: dict[Fid, tuple[Instant, Operations]] = {}

    def rehearse(self, step: Rehearse) -> None:
        """Make a dry run, and keep its plan. An error of the dry run is raised, and nothing is kept then."""
        self._stage.wait_for_slow()  # It may store something.
        before = self._stored(step.alias)
        view = self._view(step)
        if self._stored(step.alias) != before:
            self._stage.laws.broken(f"the dry run of {step.verb} changed {step.alias}")
        assert view.file is not None, "every dry run of a process can be kept"
        self._kept[step.alias] = view.file
        self._stage.laws.promises.make(view.process, step.verb, _digest_of(step), view.planning)

    def execute(self, step: Execute) -> None:
        """Execute the kept plan. An error of the command is raised."""
        file = self._kept.get(step.alias)
        if file is None:
            raise UserError(f"nothing was rehearsed for {step.alias}")
        self._stage.wait_for_slow()
        process = self._stage.system.commands.execute(step.alias, file)
        plans = [job.plan_id for job in self._stage.store.history(process.fid).jobs if job.job_id == process.job_id]
        plan = self._stage.store.plan(plans[0]) if plans and plans[0] else None
        if plan is None or shown(operations_document(plan, ())["operations"]) != shown(file["operations"]):
            self._stage.laws.broken(f"the plan that {step.alias} executes is not the one that was shown")

    def expect_nothing(self, process: Process) -> None:
        """Check that a process that says that it has converged has nothing to do."""
        composition = self._stage.store.composition(process.composition_digest)
        view = self._view(Rehearse(verb="update", alias=process.fid, composition=composition))
        if view.planning.plan.operations:
            told = ", ".join(f"{one.verb} {one.logical_id} ({one.reason})" for one in view.planning.plan.operations)
            self._stage.laws.broken(f"{process.alias} says that it has converged, and its dry run says {told}")

    def kill(self, process: Process) -> None:
        """As it was just rehearsed. Raises NotAllowedError."""
        view = self._view(Rehearse(verb="kill", alias=process.fid))
        foretold = shown(operations_document(view.planning.plan, ())["operations"])
        self._foretold[process.fid] = self._stage.clock.now(), foretold
        self._stage.system.commands.kill(process.fid)

    def check_kills(self) -> None:
        """Check that each kill went like its dry run."""
        for fid, (since, foretold) in self._foretold.items():
            history = self._stage.store.history(fid, start=since)
            jobs = [job for job in history.jobs if job.kind is not JobKind.DRY_RUN]
            plans = [self._stage.store.plan(job.plan_id) for job in jobs if job.command == "kill" and job.plan_id]
            done = [shown(operations_document(plan, ())["operations"]) for plan in plans if plan and plan.operations]
            if done != ([foretold] if foretold else []):
                self._stage.laws.broken(f"the kill of {fid} did not go as its dry run said: {done}, not {foretold}")

    def _view(self, step: Rehearse) -> PlanView:
        self._stage.wait_for_slow()
        dry_runs = self._stage.system.commands.dry_runs
        if step.composition is not None:
            return dry_runs.update(step.alias, Submission(document=to_document(step.composition), secrets={}))
        known: dict[str, Callable[[str], PlanView]] = {
            "resume": dry_runs.resume,
            "kill": dry_runs.kill,
            "release": dry_runs.release,
        }
        return known[step.verb](step.alias)

    def _stored(self, alias: str) -> object:
        process = self._stage.store.process(alias)
        return process, self._stage.store.objects(process.fid) if process is not None else ()


def _digest_of(step: Rehearse) -> str:
    return step.composition.digest if step.composition is not None else ""
