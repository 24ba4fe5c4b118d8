"""The verdicts of a run are written to its objects as they are stored by then.

A result whose object has left the run meanwhile changes nothing. A result that cannot be saved as it is becomes a
failure of the phase that says so, because work that was done and is not known must be seen by a person.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.phases.flights import ReturnedRun
from tenuto.conductor.phases.reloading import LoadedPlugins
from tenuto.conductor.phases.saves import PhaseSaves, Saved
from tenuto.core.phases import progress
from tenuto.core.phases.progress import Progress
from tenuto.core.phases.verdicts import Fail, Result, Sleep, Verdict, belongs, merge
from tenuto.errors import ConflictError
from tenuto.lifecycles.roles import serves
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.cloud_node import is_made_by_plugins
from tenuto.model.ids import Instant
from tenuto.model.phase_map import DEFAULT_DELAY_S, OWN_PHASES
from tenuto.model.resource import ManagedObject


class PhaseVerdicts:
    """Saves the verdicts of runs. Safe to call from several threads."""

    def __init__(
        self, saves: PhaseSaves, plugins: LoadedPlugins, lifecycles: Mapping[str, Lifecycle], tempo: Tempo
    ) -> None:
        self._saves = saves
        self._plugins = plugins
        self._lifecycles = lifecycles
        self._tempo = tempo

    def save(self, returned: ReturnedRun) -> Saved:
        """A run and its provider operations. Raises StoreUnavailableError: then it can be tried again."""
        actor = f"phase {returned.run.phase}"

        def judge(found: ManagedObject) -> Progress:
            return self._judged(found, _identified(found, returned.results[found.object_id]), returned.ended_at, actor)

        saved = self._saves.save(list(returned.results), judge, by=actor, now=returned.ended_at, ops=returned.ops)
        if not saved.lost:
            return saved
        reasons = {object_id: repr(error) for object_id, error in saved.lost}

        def condemn(found: ManagedObject) -> Progress:
            text = f"what phase {returned.run.phase} did could not be saved: {reasons[found.object_id]}"
            entry = returned.results[found.object_id].entry
            failed = Fail(message=text, keeps_state=serves(found))
            bare = Result(object_id=found.object_id, entry=entry, verdict=failed, is_touched=True)
            return self._judged(found, bare, returned.ended_at, actor)

        return self._saves.save(list(reasons), condemn, by=actor, now=returned.ended_at)

    def checkpoint(self, results: Sequence[Result], actor: str, now: Instant) -> None:
        """Save the results that a run has so far, while it goes on.

        Raises StoreError when any of it was not saved, or is no longer in the run: then the run may not act for it.
        """
        written = {result.object_id: result for result in results}

        def write(found: ManagedObject) -> Progress:
            result = _identified(found, written[found.object_id])
            if not belongs(found, result):
                raise ConflictError(f"{found.logical_id} is no longer in this run of {result.entry.phase}")
            return Progress.between(found, merge(found, result, now))

        saved = self._saves.save(list(written), write, by=actor, now=now)
        for _, error in saved.lost:
            raise error

    def _judged(self, found: ManagedObject, result: Result, now: Instant, actor: str) -> Progress:
        if not belongs(found, result):
            return Progress(object=found, is_change=False)
        step = progress.apply_verdict(
            merge(found, result, now),
            result.entry.phase,
            self._timed(result),
            self._plugins.phases,
            self._lifecycles[found.lifecycle],
            now,
            actor,
        )
        return Progress.between(found, step.object, step.moves)

    def _timed(self, result: Result) -> Verdict:
        """The verdict; one that says no time, of a phase that says none either, sleeps as long as is usual now."""
        definition = self._plugins.phases.get(result.entry.phase)
        if not isinstance(result.verdict, Sleep) or result.verdict.seconds is not None:
            return result.verdict
        if definition is not None and definition.delay_s != DEFAULT_DELAY_S:
            return result.verdict
        return replace(result.verdict, seconds=self._tempo.phase_delay_s)


def _identified(found: ManagedObject, result: Result) -> Result:
    """The result; a failure where a plugin gives another physical id to a thing that the provider has made.

    Nothing would delete the thing of the first id then. Tenuto's own phases know what became of it.
    """
    is_ours = found.provider is None or is_made_by_plugins(found) or result.entry.phase.startswith(OWN_PHASES)
    if is_ours or not result.sets_physical_id or found.physical_id in (None, result.physical_id):
        return result
    text = (
        f"phase {result.entry.phase} set physical_id to {result.physical_id!r}, but {found.provider} made "
        f"{found.physical_id}, which could not be deleted any more then. Store the id in an attribute, such as "
        "node['InstanceId']"
    )
    return replace(result, sets_physical_id=False, verdict=Fail(message=text, keeps_state=serves(found)))
