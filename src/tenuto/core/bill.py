"""What a plan costs: calls per API, and the least time that they can take.

A plan that makes a hundred VPC endpoints takes five minutes whatever anybody does, because AWS gives out three calls in
ten seconds. Whoever reads the plan should know that before, and not wonder afterwards. The bill counts what the types
say of their calls; looks are not on it, since they are shared by all and would be made anyway. It is a lower bound: a
call that has to be repeated, or one that only turns out to be needed, is not on it either.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from tenuto.core import rates
from tenuto.model.ids import ObjectId, TypeName
from tenuto.model.plan import Plan, Step, StepKind
from tenuto.model.rate import ApiCall, Bill, BillLine, Calls, Rate
from tenuto.model.resource import ResourceType


def bill_of(plan: Plan, types: Mapping[TypeName, ResourceType]) -> Bill:
    """The bill of a plan. What is of a type that nobody knows, or that names no calls, is not on it."""
    changed = {one.object_id: tuple(change.path for change in one.changes) for one in plan.operations}
    resources: dict[ApiCall, int] = defaultdict(int)
    for step in plan.steps:
        known = types.get(step.type)
        if known is not None:
            for call in _calls_of(step, known.calls, changed):
                resources[call] += 1
    lines = (_line(call, count) for call, count in resources.items())
    return Bill(lines=tuple(sorted(lines, key=lambda line: (-line.least_s, -line.calls, line.api))))


def shared(calls: Calls, allow: Callable[[Rate], Rate]) -> Calls:
    """The same calls at the rates that somebody is allowed."""

    def each(some: tuple[ApiCall, ...]) -> tuple[ApiCall, ...]:
        return tuple(replace(call, rate=allow(call.rate)) for call in some)

    return Calls(
        create=each(calls.create),
        delete=each(calls.delete),
        modify=each(calls.modify),
        adopt=each(calls.adopt),
        release=each(calls.release),
        changes={name: each(some) for name, some in calls.changes.items()},
        members={name: each(some) for name, some in calls.members.items()},
    )


def _calls_of(step: Step, calls: Calls, changed: Mapping[ObjectId, tuple[str, ...]]) -> Iterable[ApiCall]:
    match step.kind:
        case StepKind.MAKE:
            yield from calls.create
            for name, each in calls.members.items():
                members = step.properties.get(name)
                yield from each * (len(members) if isinstance(members, list | tuple) else 0)
        case StepKind.CHANGE:
            names = tuple(dict.fromkeys(map(_property, changed.get(step.object_id, ()))))
            for name in names:
                yield from calls.changes.get(name, ())
            if any(name not in calls.changes for name in names):
                yield from calls.modify
        case StepKind.ADOPT:
            yield from calls.adopt
        case StepKind.REMOVE:
            yield from calls.delete
        case StepKind.RELEASE:
            yield from calls.release
        case StepKind.FORGET:
            pass


def _property(path: str) -> str:
    """The property that a path is in: `Tags` of `Tags[0].Value`."""
    return path.partition(".")[0].partition("[")[0]


def _line(call: ApiCall, resources: int) -> BillLine:
    count = -(-resources // call.serves)
    return BillLine(api=call.api, calls=count, least_s=rates.least_s(count, call.rate))
