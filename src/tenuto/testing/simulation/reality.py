"""Whether the world is as a composition declares it, judged from the cloud's own books and not from what Tenuto saw."""

from collections.abc import Mapping

from tenuto.core import resolve
from tenuto.core.equality import means_same
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.composition import Declaration
from tenuto.model.ids import Instant, Json, LogicalId, PhysicalId
from tenuto.model.observation import Condition
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.things import Thing, attributes_of

_ENDED = frozenset({ResourceState.TERMINATED, ResourceState.RELEASED})


def reality_problems(process: Process, store: Store, cloud: Cloud, now: Instant) -> tuple[str, ...]:
    """What is not as declared: missing, twice, surplus, broken, or with another value."""
    composition = store.composition(process.composition_digest)
    declared = {one.logical_id: one for one in composition.resources} if composition is not None else {}
    live = [found for found in store.objects(process.fid) if found.state not in _ENDED]
    problems = [f"{found.logical_id} is live and not declared" for found in live if found.logical_id not in declared]
    things = {thing.physical_id: thing for thing in cloud.things() if thing.is_standing(now)}
    real: dict[LogicalId, Thing] = {}
    for found in live:
        thing = things.get(found.physical_id) if found.physical_id is not None else None
        if thing is None:
            problems.append(f"{found.logical_id} is live and does not exist")
        elif found.logical_id in real:
            problems.append(f"{found.logical_id} exists twice")
        else:
            real[found.logical_id] = thing
    problems += [f"{name} is declared and there is none" for name in declared if name not in real]
    environment = _environment(real)
    for name, declaration in declared.items():
        if name in real:
            problems += _differences(declaration, real[name], environment, now)
    problems += _strays(things, live, process)
    return tuple(problems)


def _environment(real: Mapping[LogicalId, Thing]) -> resolve.Environment:
    references: dict[str, Json] = {
        name: attributes_of(thing).get("Ref", thing.physical_id) for name, thing in real.items()
    }
    attributes: dict[tuple[str, str], Json] = {
        (name, key): value for name, thing in real.items() for key, value in attributes_of(thing).items()
    }
    return resolve.Environment(references=references, attributes=attributes)


def _differences(declaration: Declaration, thing: Thing, environment: resolve.Environment, now: Instant) -> list[str]:
    facts = thing.type.facts
    if facts.name != declaration.type:
        return [f"{declaration.logical_id} is a {facts.name}"]
    problems: list[str] = []
    if thing.condition(now)[0] is not Condition.READY:
        problems.append(f"{declaration.logical_id} is {thing.condition(now)[0]}")
    for path, value in {**facts.when_absent, **declaration.properties}.items():
        wanted = resolve.resolve(value, environment)
        if not means_same(wanted, thing.properties.get(path), facts.compare_as, path):
            problems.append(f"{declaration.logical_id}.{path} is {thing.properties.get(path)!r}, not {wanted!r}")
    return problems


def _strays(things: Mapping[PhysicalId, Thing], live: list[ManagedObject], process: Process) -> list[str]:
    """What carries our name and is not one of the live objects, nor given back: seen by the laws unless it is final."""
    known = {found.physical_id for found in live}
    claimed = {found.object_id for found in live}
    return [
        f"{thing.physical_id} carries the name of {thing.owner.logical_id} beside it"
        for thing in things.values()
        if thing.owner is not None
        and thing.owner.fid == process.fid
        and thing.owner.object_id in claimed
        and thing.physical_id not in known
    ]
