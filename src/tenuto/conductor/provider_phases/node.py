"""The phases of a `Cloud.Node` besides those of every resource: who makes its machine, and whether it may go.

Theory of operation. The machine of most nodes is made, observed and deleted by a provider, through the four phases of
every resource (`provider_phases.resource`). A node that declares another provider is made by plugins
(`model.cloud_node`), and those phases leave it alone. Two things must then be said that a provider would say. Whether
there is any plugin for that provider at all: a misspelt name would otherwise walk to `Started` without a machine. And
under which id the node is known, once plugins have allocated it: their attribute `InstanceId`, or the object's own id.
And whether a plugin gives the machine back, as one did when the node was validated: a plugin that is not loaded any
more would leave the machine standing, and the node would be told as deleted.

A plugin's machine cannot be swept, so it is believed to be as it was declared until its plugins say otherwise.
"""

from collections.abc import Callable

from tenuto.conductor.phases.unmet import makers
from tenuto.conductor.provider_phases.calls import Handler
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.lifecycles.cloud_node import CLOUD_NODE as NODES
from tenuto.lifecycles.table import Work
from tenuto.model.cloud_node import CLOUD_NODE, KEEP_ALIVE, is_made_by_plugins, provider_of
from tenuto.model.ids import PhaseName, PhysicalId
from tenuto.model.phase_map import PhaseDefinition
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import Phase, PhaseRun

VALIDATE = PhaseName("node.validate")
IDENTIFY = PhaseName("node.identify")
KEEP = PhaseName("node.keep_alive")
GIVE_BACK = PhaseName("node.give_back")
_ID = "InstanceId"
_GIVES_BACK = "gives_back"
"""The note of a validation that a plugin has a phase of the state in which machines are given back."""


class NodePhases:
    """Makes the definitions and their handlers. `phases` are those in force when a node is validated."""

    def __init__(self, *, phases: Callable[[], PhaseSet]) -> None:
        self._phases = phases

    def phases(self) -> tuple[tuple[PhaseDefinition, Phase], ...]:
        """Each definition with its handler."""
        # The phases of a state are settled when it is entered: it must be known before who gives the machine back.
        work, down = NODES.work, NODES.path_to(NODES.gone)[0]
        return (
            _phase(VALIDATE, NODES.born, "Find the provider that makes a machine.", is_made_by_plugins, self._validate),
            _phase(IDENTIFY, work[Work.AWAIT], "Note the id of a machine.", is_made_by_plugins, _identify),
            _phase(GIVE_BACK, down, "Find the plugin that gives a machine back.", _was_given_back, self._give_back),
            _phase(KEEP, down, "Keep a machine that must not be deleted.", _is_kept, _keep),
        )

    def _validate(self, run: PhaseRun) -> None:
        known, takers = self._providers(Work.CREATE), self._providers(Work.DELETE)
        for node in run.resources:
            name = provider_of(node.object)
            if name in known:
                if name in takers:
                    run.data(node)[_GIVES_BACK] = True
                run.complete(node)
                continue
            run.fail(
                node,
                f"its Provider {name!r} is not the provider of this process ({node.object.provider}), and no plugin "
                "has a phase of the state Allocation for it, so nothing would make the machine. Correct Provider, or "
                "install the plugin ('tenuto phases reload')",
                code="NoMaker",
            )

    def _give_back(self, run: PhaseRun) -> None:
        takers = self._providers(Work.DELETE)
        for node in run.resources:
            name = provider_of(node.object)
            if name in takers:
                run.complete(node)
                continue
            run.fail(
                node,
                f"no plugin has a phase of the state {NODES.work[Work.DELETE]} for its Provider {name!r} any more, so "
                "nothing would give its machine back. Install the plugin, give 'tenuto phases reload' and the command "
                "again; 'release' ends the process and leaves the machine",
                code="NoMaker",
            )

    def _providers(self, work: Work) -> frozenset[str]:
        return makers(self._phases().definitions.values(), work)


def _was_given_back(found: ManagedObject) -> bool:
    validated = found.phases.get(VALIDATE)
    return is_made_by_plugins(found) and validated is not None and validated.data.get(_GIVES_BACK) is True


def _identify(run: PhaseRun) -> None:
    for node in run.resources:
        given = node.attributes.get(_ID)
        node.physical_id = PhysicalId(str(given) if given else node.object.object_id)
        run.complete(node)


def _is_kept(found: ManagedObject) -> bool:
    return found.desired.get(KEEP_ALIVE) is True


def _keep(run: PhaseRun) -> None:
    for node in run.resources:
        run.fail(
            node,
            f"{KEEP_ALIVE} is true, so its machine is not deleted. 'resume' keeps the node. To delete it, resume, "
            f"update with {KEEP_ALIVE}: false and kill again; 'release' ends the process and leaves the machine",
            code=KEEP_ALIVE,
        )


def _phase(
    name: PhaseName,
    state: str,
    description: str,
    applies: Callable[[ManagedObject], bool],
    handle: Callable[[PhaseRun], None],
) -> tuple[PhaseDefinition, Phase]:
    definition = PhaseDefinition(
        name=name, states=(state,), types=(CLOUD_NODE,), description=description, applies=applies, acts=False
    )
    return definition, Handler(handle)
