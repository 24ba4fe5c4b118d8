"""The constraint of a phase that could not be decided when an object entered the state.

Theory of operation. `applies` is asked on the way into a state, where nothing can be told to people. One that raises
there lets the object into the phase, with the code UNDECIDED in its entry. The handler of a phase with a constraint
stands behind the gate of this module: it asks again for these objects alone, and fails those for which `applies` still
raises. Once the plugin is corrected, a retry asks again. An object to which the phase does not apply passes through.
"""

from dataclasses import dataclass

from tenuto.core.phases.entries import UNDECIDED
from tenuto.core.phases.phase_set import answer
from tenuto.kit.well_formed import error_text
from tenuto.model.phase_map import PhaseDefinition
from tenuto.ports.phase import Phase, PhaseResource, PhaseRun


@dataclass(frozen=True, slots=True)
class Gate:
    """Implements `ports.phase.Phase` for a phase with a constraint."""

    definition: PhaseDefinition
    handler: Phase

    def handle(self, run: PhaseRun) -> None:
        run.resources = tuple(one for one in run.resources if self._is_let_in(run, one))
        if run.resources:
            self.handler.handle(run)

    def _is_let_in(self, run: PhaseRun, one: PhaseResource) -> bool:
        if one.object.phases[self.definition.name].code != UNDECIDED:
            return True
        try:
            is_for_it = answer(self.definition, one.object)
        except Exception as error:  # noqa: BLE001 - a plugin's expression may raise anything
            text = (
                f"its 'applies' raised {error_text(error)}. Correct it in the plugin, then give 'tenuto phases reload'"
            )
            run.fail(one, text, code=UNDECIDED, keeps_state=True)
            return False
        if not is_for_it:
            self._pass(run, one)
        return is_for_it

    def _pass(self, run: PhaseRun, one: PhaseResource) -> None:
        """Let the object go without the phase. Its upkeep keeps the code, so that no later round calls the plugin."""
        run.message(one, "it does not apply")
        if self.definition.every_s is None:
            run.complete(one)
        else:
            run.sleep(one, self.definition.every_s, "it does not apply", code=UNDECIDED)


def gated(definition: PhaseDefinition, handler: Phase) -> Phase:
    """The handler of a phase, behind its constraint where it has one."""
    return handler if definition.applies is None else Gate(definition, handler)
