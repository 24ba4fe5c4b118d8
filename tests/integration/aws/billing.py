"""The bill of one step of a plan beside the calls that were made, by the name of their API; and a change of properties
back to their defaults, held against its bill.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from tenuto.core.planning.bill import bill_of
from tenuto.model.delta import Change
from tenuto.model.ids import Fid, Instant, JsonMap, Partition, PhysicalId, PlanId, TypeName
from tenuto.model.outcome import Done, Op, Outcome, Request
from tenuto.model.plan import Operation, Plan, StepKind
from tenuto.model.resource import ResourceType
from tenuto.model.verb import Verb
from tenuto.providers.aws.rates.buckets import api_name
from tenuto_testing.provider_bench import Bench
from tenuto_testing.store_samples import a_step, an_object

_VERBS = {
    StepKind.MAKE: Verb.CREATE,
    StepKind.CHANGE: Verb.MODIFY,
    StepKind.REMOVE: Verb.DELETE,
    StepKind.ADOPT: Verb.ADOPT,
    StepKind.RELEASE: Verb.RELEASE,
}


def billed(bench: Bench, request: Request, kind: StepKind, changes: Iterable[Change] = ()) -> Counter[str]:
    """The calls that a plan of this step alone says."""
    step = a_step(
        kind, request.logical_id, object_id=request.object_id, type=request.type, properties=request.properties
    )
    operation = Operation(
        verb=_VERBS[kind],
        logical_id=request.logical_id,
        object_id=request.object_id,
        type=request.type,
        changes=tuple(changes),
    )
    plan = Plan(
        plan_id=PlanId("plan"), fid=Fid("process"), partition=bench.partition, command="run",
        observed_at=Instant(0.0), operations=(operation,), steps=(step,),
    )  # fmt: skip
    types: Mapping[TypeName, ResourceType] = bench.types
    standing = an_object(request.object_id, desired=request.properties, physical_id=PhysicalId("made"))
    return Counter({line.api: line.calls for line in bill_of(plan, types, [standing]).lines})


def called(ops: Iterable[Op]) -> Counter[str]:
    return Counter(api_name(op.service, op.operation) for op in ops)


def costs_what_its_bill_says(
    bench: Bench, request: Request, kind: StepKind, ops: Sequence[Op], changes: Sequence[Change] = ()
) -> Counter[str]:
    """The bill of a plan, which is a lower bound of what is called."""
    bill, calls = billed(bench, request, kind, changes), called(ops)
    assert bill or kind is not StepKind.MAKE, "it names no calls"
    assert not bill - calls, f"billed {bill}, called {calls}"
    return bill


def is_adopted_for_its_bill(bench: Bench, request: Request) -> None:
    """Adopt the thing, by exactly the calls on the bill."""
    _costs_exactly(bench, request, StepKind.ADOPT, bench.provider.claim)


def is_released_for_its_bill(bench: Bench, request: Request) -> None:
    """Release the thing, by exactly the calls on the bill."""
    _costs_exactly(bench, request, StepKind.RELEASE, bench.provider.disclaim)


def _costs_exactly(
    bench: Bench, request: Request, kind: StepKind, act: Callable[[Partition, Sequence[Request]], Sequence[Outcome]]
) -> None:
    before = len(bench.case.ops.all)
    assert isinstance(bench.until_done(act, request), Done)
    bill, calls = billed(bench, request, kind), called(bench.case.ops.all[before:])
    assert bill == calls, f"{kind} of {request.type}: billed {bill}, called {calls}"


def gives_back(bench: Bench, declared: Request, defaults: JsonMap) -> tuple[Request, Counter[str]]:
    """Take out the properties that have these defaults: each gets its own, by calls that the bill knows, and is shown
    so. The request as it is then, and the bill."""
    shown = bench.ready(declared)
    asked = replace(declared, properties={**declared.properties, **defaults}, observed=shown.properties)
    changes = [
        Change(path=path, before=shown.properties.get(path), after=value, has_after=value is not None)
        for path, value in defaults.items()
        if path in bench.differing(asked, shown)
    ]
    before = len(bench.case.ops.all)
    assert isinstance(bench.until_done(bench.provider.modify, asked), Done)
    bill = costs_what_its_bill_says(bench, declared, StepKind.CHANGE, bench.case.ops.all[before:], changes)
    item = bench.ready(asked)
    still = {path: item.properties.get(path) for path in bench.differing(asked, item)}
    assert not still.keys() & defaults.keys(), f"{defaults} was set, and {still} is shown"
    return replace(asked, observed=item.properties), bill
