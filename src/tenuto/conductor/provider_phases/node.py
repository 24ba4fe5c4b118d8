"""The phases of a `Cloud.Node` besides those of every resource: who makes its machine, and whether it may go.

Theory of operation. The machine of most nodes is made, observed and deleted by a provider, through the four phases of
every resource (`provider_phases.resource`). A node that declares another provider is made by plugins
(`model.cloud_node`), and those phases leave it alone. Two things must then be said that a provider would say. Whether
there is any plugin for that provider at all: a misspelt name would otherwise walk to `Started` without a machine. And
under which id the node is known, once plugins have allocated it: their attribute `InstanceId`, or the object's own id.

A plugin's machine cannot be swept, so it is believed to be as it was declared until its plugins say otherwise.
"""

from collections.abc import Callable

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
_ID = "InstanceId"


class NodePhases:
    """Makes the definitions and their handlers. `phases` are those in force when a node is validated."""

    def __init__(self, *, phases: Callable[[], PhaseSet]) -> None:
        self._phases = phases

    def phases(self) -> tuple[tuple[PhaseDefinition, Phase], ...]:
        """Each definition with its handler."""
        work = NODES.work
        return (
            _phase(VALIDATE, NODES.born, "Find the provider that makes a machine.", is_made_by_plugins, self._validate),
            _phase(IDENTIFY, work[Work.AWAIT], "Note the id of a machine.", is_made_by_plugins, _identify),
            _phase(KEEP, NODES.path_to(NODES.gone)[0], "Keep a machine that must not be deleted.", _is_kept, _keep),
        )

    def _validate(self, run: PhaseRun) -> None:
        definitions = self._phases().definitions.values()
        makers = {one.provider for one in definitions if NODES.work[Work.CREATE] in one.states and one.provider}
        for node in run.resources:
            name = provider_of(node.object)
            if name in makers:
                run.complete(node)
                continue
            run.fail(
                node,
                f"its Provider {name!r} is not the provider of this process ({node.object.provider}), and no plugin "
                "has a phase of the state Allocation for it, so nothing would make the machine. Correct Provider, or "
                "install the plugin ('tenuto phases reload')",
                code="NoMaker",
            )


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
