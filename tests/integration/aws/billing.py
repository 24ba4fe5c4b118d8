"""The bill of one step of a plan, and the calls that were made, by the name of their API."""

from collections import Counter
from collections.abc import Iterable, Mapping

from tenuto.core.planning.bill import bill_of
from tenuto.model.delta import Change
from tenuto.model.ids import Fid, Instant, PhysicalId, PlanId, TypeName
from tenuto.model.outcome import Op, Request
from tenuto.model.plan import Operation, Plan, StepKind, Verb
from tenuto.model.resource import ResourceType
from tenuto.providers.aws.rates.buckets import api_name
from tenuto_testing.provider_bench import Bench
from tenuto_testing.store_samples import a_step, an_object

_VERBS = {StepKind.MAKE: Verb.CREATE, StepKind.CHANGE: Verb.MODIFY, StepKind.REMOVE: Verb.DELETE}


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
