"""Whether the world is as a composition declares it, judged by the things in the cloud and not by Tenuto's sweeps."""

from collections.abc import Mapping
from dataclasses import replace

from tenuto.core.language import resolve
from tenuto.core.planning.comparing.ignores import as_found
from tenuto.core.planning.equality.values import means_same
from tenuto.lifecycles.cloud_node import CloudNodeState
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.cloud_node import TARGET_STATE
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, LogicalId, PhysicalId, TypeName
from tenuto.model.observation import Condition
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto_testing.simulation.compositions import exports_of
from tenuto_testing.simulation.ground import Ground, Real

_ENDED = frozenset({ResourceState.TERMINATED, ResourceState.RELEASED})
_Things = Mapping[tuple[TypeName, PhysicalId], Real]


def reality_problems(process: Process, store: Store, ground: Ground) -> tuple[str, ...]:
    """Tell how reality differs: missing, twice, surplus, broken, with another value, or a machine at rest."""
    composition = store.composition(process.composition_digest)
    declared = {one.logical_id: one for one in composition.resources} if composition is not None else {}
    live = [found for found in store.objects(process.fid) if found.state not in _ENDED]
    problems = [f"{found.logical_id} is live and not declared" for found in live if found.logical_id not in declared]
    things = ground.read(_tracked(live))
    real: dict[LogicalId, Real] = {}
    resting = {name for name, one in declared.items() if one.properties.get(TARGET_STATE) == CloudNodeState.DEALLOCATED}
    for found in live:
        if found.logical_id in resting:
            if found.state != CloudNodeState.DEALLOCATED or found.physical_id is not None:
                problems.append(f"{found.logical_id} is declared to rest, and is {found.state} as {found.physical_id}")
            continue
        thing = things.get((found.type, found.physical_id)) if found.physical_id is not None else None
        if thing is None:
            problems.append(f"{found.logical_id} is live and does not exist")
        elif found.logical_id in real:
            problems.append(f"{found.logical_id} exists twice")
        else:
            real[found.logical_id] = thing
    problems += [
        f"{name} is declared and there is none" for name in declared if name not in real and name not in resting
    ]
    environment = replace(_environment(real), exports=_exports(process, store, things))
    for name, declaration in declared.items():
        if name in real:
            problems += _differences(declaration, real[name], environment)
    problems += _strays(things, live, process)
    return tuple(problems)


def _tracked(live: list[ManagedObject]) -> dict[TypeName, frozenset[PhysicalId]]:
    return {
        name: frozenset(one.physical_id for one in live if one.type == name and one.physical_id is not None)
        for name in dict.fromkeys(one.type for one in live)
    }


def _environment(real: Mapping[LogicalId, Real]) -> resolve.Environment:
    references: dict[str, Json] = {
        name: thing.item.attributes.get("Ref", thing.item.physical_id) for name, thing in real.items()
    }
    attributes: dict[tuple[str, str], Json] = {
        (name, key): value for name, thing in real.items() for key, value in thing.item.attributes.items()
    }
    return resolve.Environment(references=references, attributes=attributes)


def _exports(process: Process, store: Store, things: _Things) -> dict[str, Json]:
    """The exports of the other processes, from the real things."""
    found: dict[str, Json] = {}
    for other in store.processes():
        composition = store.composition(other.composition_digest)
        if other.fid != process.fid and composition is not None:
            real = {
                one.logical_id: things[one.type, one.physical_id]
                for one in store.objects(other.fid)
                if one.state not in _ENDED and one.physical_id and (one.type, one.physical_id) in things
            }
            environment = _environment(real)
            found |= {name: resolve.resolve(value, environment) for name, value in exports_of(composition).items()}
    return found


def _differences(declaration: Declaration, thing: Real, environment: resolve.Environment) -> list[str]:
    facts, item = thing.facts, thing.item
    if facts.name != declaration.type:
        return [f"{declaration.logical_id} is a {facts.name}"]
    problems: list[str] = []
    if item.condition is not Condition.READY:
        problems.append(f"{declaration.logical_id} is {item.condition}")
    for path, value in {**facts.when_absent, **declaration.properties}.items():
        wanted = resolve.resolve(value, environment)
        # A member that no sweep shows is as it was sent, as far as a reader can see.
        hidden = [one for one in facts.hidden if one.startswith(f"{path}.")]
        found = as_found(item.properties, {path: wanted}, hidden).get(path)
        is_hidden = path in facts.write_only and found is None
        if not is_hidden and not means_same(wanted, found, facts.compare_as, path):
            problems.append(f"{declaration.logical_id}.{path} is {found!r}, not {wanted!r}")
    return problems


def _strays(things: _Things, live: list[ManagedObject], process: Process) -> list[str]:
    """The things that carry the mark of a live object and are not its own thing, in words: seen by the laws unless it
    is final."""
    known = {found.physical_id for found in live}
    claimed = {found.object_id for found in live}
    owned = [(thing.item, thing.item.owner) for thing in things.values() if thing.item.owner is not None]
    return [
        f"{item.physical_id} carries the name of {owner.logical_id} beside it"
        for item, owner in owned
        if owner.fid == process.fid and owner.object_id in claimed and item.physical_id not in known
    ]
