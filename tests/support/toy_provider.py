"""A provider outside the package, with one type for each of the nine tables, and the phases that do its work.

Theory of operation. The things of the toy are a dictionary. Its phases make, change and delete them directly, in the
states that each table has for that; the type whose table has states for cleaning up has a phase for that too. Nothing
of Tenuto names these types: what works here works because a table drives it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tenuto.conductor.phases.plugins import Found
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.composition import Declaration
from tenuto.model.ids import JsonMap, LogicalId, Partition, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem, Sweep, Tracked
from tenuto.model.resource import ResourceType
from tenuto.plugins import PhasePlugin, phase
from tenuto.ports.clock import Clock
from tenuto.ports.phase import PhaseRun
from tenuto.ports.provider import OpSink, Provider
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto_testing.world import World

NINE = (
    "agent_operation",
    "artifact",
    "blob",
    "instance",
    "namespace",
    "network",
    "network_interface",
    "node",
    "upload",
)
TYPES = {name: TypeName(f"Toy::{name.title().replace('_', '')}") for name in NINE}
TWO_STEPS = ("instance", "network")
"""The tables with a state of their own for a deletion."""


@dataclass(slots=True)
class Toys:
    """The things that stand, what was done to them, and what goes wrong."""

    things: dict[PhysicalId, tuple[TypeName, JsonMap]] = field(default_factory=dict)
    journal: list[str] = field(default_factory=list)
    refused: dict[tuple[str, LogicalId], str] = field(default_factory=dict)
    """By act and resource, why the act fails."""
    mistake: str = ""
    """What the phase that makes and changes raises, if not empty."""


class ToyProvider(SimulatedProvider):
    """The simulated provider with other types, and things that its phases make."""

    name = "toy"

    def __init__(self, world: "ToyWorld", clock: Clock, ops: OpSink) -> None:
        super().__init__(world.cloud, clock=clock, ops=ops)
        self._own_clock = clock
        self._toys = world.toys

    def types(self) -> Mapping[TypeName, ResourceType]:
        return {
            type_name: ResourceType(
                name=type_name, provider=self.name, source="toys", lifecycle=table, required=frozenset({"Size"})
            )
            for table, type_name in TYPES.items()
        }

    def sweep(
        self, partition: Partition, source: str, tracked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> Mapping[TypeName, Sweep]:
        started_at = self._own_clock.now()
        return {
            type_name: Sweep(
                partition=partition,
                type=type_name,
                started_at=started_at,
                items={
                    physical_id: ObservedItem(physical_id=physical_id, properties=properties)
                    for physical_id, (of_type, properties) in self._toys.things.items()
                    if of_type == type_name
                },
            )
            for type_name in TYPES.values()
        }


class ToyWorld(World):
    """A world with the toy provider and its phases beside the simulated one."""

    def __init__(self) -> None:
        self.toys = Toys()
        super().__init__()
        self.plugins = Found(phases=toy_phases(self.toys))
        self.crash("the plugins were installed")

    def _providers(self, ops: OpSink, clock: Clock) -> list[Provider]:
        return [*super()._providers(ops, clock), ToyProvider(self, clock, ops)]


def toy(table: str, size: int = 1, name: str = "It") -> Declaration:
    """A resource of the type of a table."""
    return Declaration(logical_id=LogicalId(name), type=TYPES[table], properties={"Size": size})


def toy_phases(toys: Toys) -> tuple[PhasePlugin, ...]:
    """The phases of the toy provider."""
    return (_bringing(toys), *_removing(toys))


def _bringing(toys: Toys) -> PhasePlugin:
    """The phase that makes and changes the things of every type."""

    @phase(
        "toy.bring",
        states=("initial", "creating", "executing", "created", "complete"),
        types=tuple(TYPES.values()),
        provider="toy",
        heading="ready",
    )
    def bring(run: PhaseRun) -> None:
        if toys.mistake:
            raise ZeroDivisionError(toys.mistake)
        for one in run.resources:
            act = "make" if one.physical_id is None else "change"
            properties = one.object.desired
            if refusal := toys.refused.get((act, one.object.logical_id)):
                run.fail(one, refusal)
                continue
            if one.physical_id is None:
                one.physical_id = PhysicalId(f"toy-{len(toys.journal)}")
            if toys.things.get(one.physical_id) != (one.object.type, properties):
                toys.journal.append(f"{act} {one.object.lifecycle}")
            toys.things[one.physical_id] = (one.object.type, properties)
            run.complete(one)

    found: PhasePlugin = bring
    return found


def _removing(toys: Toys) -> tuple[PhasePlugin, ...]:
    """The phases that delete things and clean up, where each table has that."""
    slowly = tuple(TYPES[name] for name in TWO_STEPS)
    at_once = tuple(one for name, one in TYPES.items() if name not in TWO_STEPS)

    def remove(run: PhaseRun) -> None:
        for one in run.resources:
            if refusal := toys.refused.get(("delete", one.object.logical_id)):
                run.fail(one, refusal)
                continue
            if one.physical_id is not None and toys.things.pop(one.physical_id, None) is not None:
                toys.journal.append(f"delete {one.object.lifecycle}")
            run.complete(one)

    @phase(
        "toy.tear_down",
        states=("initial", "created", "complete", "error"),
        types=at_once,
        provider="toy",
        heading="gone",
    )
    def tear_down(run: PhaseRun) -> None:
        remove(run)

    @phase("toy.delete", states="delete-wait", types=slowly, provider="toy")
    def delete(run: PhaseRun) -> None:
        remove(run)

    @phase("toy.drop", states="error", types=TYPES["network"], provider="toy", heading="gone")
    def drop(run: PhaseRun) -> None:
        remove(run)

    @phase(
        "toy.clean",
        states=("initial-error", "creating-error", "created-error", "delete-wait-error"),
        types=TYPES["instance"],
        provider="toy",
    )
    def clean(run: PhaseRun) -> None:
        for one in run.resources:
            if refusal := toys.refused.get(("clean", one.object.logical_id)):
                run.fail(one, refusal)
                continue
            toys.journal.append(f"clean {one.object.lifecycle}")
            run.complete(one)

    return (tear_down, delete, drop, clean)


def tables_with_failures() -> Sequence[str]:
    """The tables of the nine that have an edge for a failure."""
    return tuple(name for name in NINE if CATALOGUE[name].failure)
