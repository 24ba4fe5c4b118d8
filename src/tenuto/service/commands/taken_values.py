"""Values that only one thing can have, and that a thing of another process has already: a plan tells it, since the
provider will refuse the creation.

Theory of operation. The same rules say within a process which of two resources goes first (`comparing.exclusive`). Of
another process nothing is certain: it may let the thing go before the plan is executed. So it is a warning and no
refusal. Values that follow from a resource that is not made yet cannot be compared. Of a thing in another region, and
of things outside of Tenuto, nothing is known here.

The message names properties, and no values: these may be secrets.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tenuto.core.language import resolve
from tenuto.core.planning.comparing.exclusive import Holders
from tenuto.model.ids import Fid, JsonMap, LogicalId, ObjectId, TypeName
from tenuto.model.plan import Plan, StepKind
from tenuto.model.resource import MAY_BE_ABSENT, ManagedObject, ResourceType
from tenuto.ports.store import Store
from tenuto.service.commands.told_by_reader import IsSeen


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenValue:
    """A resource that is to be made, and the thing of another process that has a value of it."""

    logical_id: LogicalId
    type: TypeName
    properties: tuple[str, ...]
    fid: Fid
    process: str
    holder: LogicalId

    def text(self, is_seen: IsSeen) -> str:
        """The sentence for a reader."""
        holder, process = "a resource of another process", "that process"
        if is_seen(self.fid):
            holder, process = f"{self.holder} of the process {self.process}", f"the process {self.process}"
        what = " and ".join(self.properties)
        told = f"has the same {what}" if what else f"is the one {self.type} that a region has"
        way = f"Give {self.logical_id} another {what}" if what else f"Leave {self.logical_id} out"
        return (
            f"{self.logical_id} ({self.type}) will be refused: {holder} {told}. {way}, or let {process} delete or "
            "release its own first."
        )


def taken_values(store: Store, plan: Plan, types: Mapping[TypeName, ResourceType]) -> tuple[TakenValue, ...]:
    """The values of resources to be made that things of other processes have. Reads the things of their types once."""
    made = [one for one in _made(store, plan, types) if one.groups]
    others = {
        found.object_id: found
        for name in sorted({one.type for one in made})
        for found in store.tracked(plan.partition, name)
        if found.fid not in (None, plan.fid)
    }
    holders = Holders(others.values(), types)
    return tuple(taken for one in made if (taken := _taken(store, one, holders, others)) is not None)


@dataclass(frozen=True, slots=True)
class _Made:
    """A resource that is to be made, with its properties, and the groups of them that two things cannot share and whose
    values are known."""

    logical_id: LogicalId
    type: TypeName
    properties: JsonMap
    groups: tuple[tuple[str, ...], ...]


def _made(store: Store, plan: Plan, types: Mapping[TypeName, ResourceType]) -> Iterator[_Made]:
    """The resources that a plan makes, also those whose creation is tried again."""
    for step in plan.steps:
        properties: JsonMap | None = None
        if step.kind is StepKind.MAKE:
            properties = step.properties
        elif step.kind is StepKind.RETRY:
            found = store.object(step.object_id)
            properties = found.desired if found is not None and found.physical_id is None else None
        if properties is not None and (facts := types.get(step.type)):
            groups = tuple(group for group in facts.exclusive if _is_known(properties, group))
            yield _Made(step.logical_id, step.type, properties, groups)


def _is_known(properties: JsonMap, group: tuple[str, ...]) -> bool:
    tops = {path.removesuffix(MAY_BE_ABSENT).partition(".")[0] for path in group}
    return all(resolve.is_resolved(properties[top]) for top in tops if top in properties)


def _taken(store: Store, made: _Made, holders: Holders, others: Mapping[ObjectId, ManagedObject]) -> TakenValue | None:
    """The first value of a resource that a thing of a process has."""
    for group, object_id in holders.shared(made.type, made.properties):
        holder = others[object_id]
        process = store.process(holder.fid) if holder.fid and group in made.groups else None
        if process is not None:
            return TakenValue(
                logical_id=made.logical_id,
                type=made.type,
                properties=tuple(path.removesuffix(MAY_BE_ABSENT) for path in group),
                fid=process.fid,
                process=process.alias or process.fid,
                holder=holder.logical_id,
            )
    return None
