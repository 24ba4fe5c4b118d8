"""A bench for trying a provider: makes examples in order, waits like the Conductor does, and always cleans up."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType

from tenuto.core.language import resolve
from tenuto.core.planning.comparing.ignores import as_found
from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Fid, IdSource, Instant, JsonMap, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Condition, Interest, ObservedItem, Owner
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.model.resource import Comparison, ResourceType
from tenuto.ports.provider import Provider
from tenuto_testing.ops import RecordedOps

_AT_THIS_SWEEP = Instant(math.inf)
PATIENCE = 40
"""How often the bench asks again. With a `wait` of the wished length that is minutes of a slow cloud's time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A resource to try a provider with.

    `properties` may refer to earlier examples by `Ref` and `Fn::GetAtt`. `drift` holds other legal values for some
    properties that can be changed in place. `copies` says whether two of them can exist side by side.
    """

    name: LogicalId
    type: TypeName
    properties: JsonMap
    drift: JsonMap = field(default_factory=dict)
    copies: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderCase:
    """One provider, with the examples that it can be tried with.

    `examples` come in the order of dependency. `impossible` is one that must be refused. `wait` lets seconds pass.
    `ops` is the sink that was given to the provider. `is_strict` is false for emulators that delete a thing that is
    still used.
    """

    provider: Provider
    partition: Partition
    examples: tuple[Example, ...]
    ids: IdSource
    ops: RecordedOps
    wait: Callable[[float], object]
    impossible: Example | None = None
    unknown_partition: Partition | None = None
    is_strict: bool = True
    free: frozenset[str] = frozenset()
    """Examples that can be deleted although others refer to them."""


class Bench:
    """Everything that one check makes, under one process id of its own. Leaving the context deletes it."""

    def __init__(self, case: ProviderCase) -> None:
        self.case = case
        self.provider = case.provider
        self.partition = case.partition
        self.fid = Fid(case.ids.new("process"))
        self.types: Mapping[TypeName, ResourceType] = case.provider.types()
        self.context = case.provider.context(case.partition)
        self.requests: dict[LogicalId, Request] = {}
        self.unsure: Mapping[PhysicalId, str] = {}
        """The things that the last sweep could not read, and why."""

    def __enter__(self) -> "Bench":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove_all()

    def request(self, example: Example, name: LogicalId | None = None, properties: JsonMap | None = None) -> Request:
        """A request for an example, its references resolved against the things that were made before."""
        object_id = ObjectId(self.case.ids.new("object"))
        return Request(
            object_id=object_id,
            fid=self.fid,
            process_name=f"bench-{self.fid[:8]}",
            logical_id=name or example.name,
            type=example.type,
            token=object_id,
            properties=self.resolved(example.properties if properties is None else properties),
        )

    def resolved(self, properties: JsonMap) -> JsonMap:
        """Properties with their references resolved. An example that refers to nothing that was made is wrong."""
        environment = resolve.Environment(
            references={"AWS::AccountId": self.context.account_id, "AWS::StackName": f"bench-{self.fid[:8]}"}
            | {name: made.attributes.get("Ref", made.physical_id) for name, made in self.requests.items()},
            attributes={
                (name, key): value for name, made in self.requests.items() for key, value in made.attributes.items()
            },
            zones=self.context.zones,
            exports={},
            region=self.partition.region,
        )
        found: JsonMap = resolve.resolve(properties, environment)
        assert resolve.is_resolved(found), f"an example refers to something that is not there: {found}"
        return found

    def make(self, request: Request) -> Request:
        """Create one, as often as it is not possible yet, and wait until it is ready and as declared."""
        outcome = self.until_done(self.provider.create, request)
        assert isinstance(outcome, Done)
        assert outcome.physical_id is not None, f"{request.type} was created without a physical id"
        made = replace(request, physical_id=outcome.physical_id, attributes={**outcome.attributes})
        self.requests[request.logical_id] = made
        return self.configure(made)

    def make_all(self) -> tuple[Request, ...]:
        return tuple(self.make(self.request(example)) for example in self.case.examples)

    def configure(self, request: Request) -> Request:
        """Bring one to its properties, and remember the properties that it shows then."""
        item = self.ready(request)
        outcome = self.until_done(self.provider.modify, replace(request, observed=item.properties))
        told = outcome.attributes if isinstance(outcome, Done) else {}
        item = self.settled(request)
        attributes = {**request.attributes, **told, **item.attributes}
        made = replace(request, observed=item.properties, attributes=attributes)
        self.requests[request.logical_id] = made
        return made

    def until_done(
        self, call: Callable[[Partition, Sequence[Request]], Sequence[Outcome]], request: Request
    ) -> Outcome:
        """Ask until it is done. A refusal is an error of the example or of the provider."""
        for _ in range(PATIENCE):
            (outcome,) = call(self.partition, [request])
            if not isinstance(outcome, Pending):
                assert isinstance(outcome, Done), f"{request.logical_id} ({request.type}): {outcome}"
                return outcome
            self.case.wait(outcome.delay_s if outcome.delay_s is not None else 1.0)
            request = replace(request, progress=outcome.progress or request.progress)
        raise AssertionError(f"{request.logical_id} ({request.type}) was not done after {PATIENCE} tries: {outcome}")

    def sweep(self, type: TypeName, tracked: Sequence[Request] = ()) -> Mapping[PhysicalId, ObservedItem]:  # noqa: A002
        """Everything of a type that can be seen. The sweep is told of the same things as by a Conductor."""
        known: dict[TypeName, dict[PhysicalId, Interest]] = {}
        source = self.types[type].source
        told = {type, *(name for name, one in self.types.items() if one.source == source)}
        told |= {other for name in told for other in self.types[name].heeds}
        for request in (*self.requests.values(), *tracked):
            if request.physical_id is not None and request.type in told:
                facts = self.types[request.type]
                known.setdefault(request.type, {})[request.physical_id] = Interest(
                    names=facts.costly | facts.costly_among(request.properties), since=_AT_THIS_SWEEP
                )
        swept = self.provider.sweep(self.partition, source, known)[type]
        self.unsure = swept.unsure
        return swept.items

    def ready(self, request: Request) -> ObservedItem:
        """The thing of a request, as soon as it can be seen and works."""
        assert request.physical_id is not None
        for _ in range(PATIENCE):
            item = self.sweep(request.type, [request]).get(request.physical_id)
            if item is not None and item.condition is Condition.READY:
                return item
            assert item is None or item.condition is Condition.PENDING, f"{request.logical_id}: {item}"
            self.case.wait(2.0)
        unsure = "".join(f"\n{one} is left out: {why}" for one, why in sorted(self.unsure.items()))
        raise AssertionError(
            f"{request.logical_id} ({request.type}) was not ready after {PATIENCE} looks. No sweep shows "
            f"{request.physical_id} as ready.{unsure}"
        )

    def settled(self, request: Request) -> ObservedItem:
        """The thing of a request as soon as it is seen as declared; as it is when it never is."""
        for _ in range(PATIENCE):
            item = self.ready(request)
            if not self.differing(request, item):
                return item
            self.case.wait(2.0)
        return item

    def remove(self, request: Request) -> None:
        self.until_done(self.provider.delete, request)
        self.requests.pop(request.logical_id, None)

    def remove_all(self) -> None:
        """Delete everything, in the reverse order of its making."""
        for request in reversed(list(self.requests.values())):
            self.remove(request)

    def owner(self, request: Request) -> Owner:
        return Owner(fid=self.fid, logical_id=request.logical_id, object_id=request.object_id)

    def check_marked(self, request: Request) -> None:
        """Fail unless the thing of a request, whose type can be marked, shows the mark of that request."""
        owner, wanted = self.ready(request).owner, self.owner(request)
        where = f"{request.logical_id} ({request.type})"
        assert owner is not None, (
            f"{where}: its tags show no mark, which should be {wanted}. Either none is written, or the answer with its "
            "tags is read in other words than the service has: compare the names that the calls for its tags take and "
            "give (for a block of AWS, the fields of TagCalls)."
        )
        assert owner == wanted, f"{where}: its tags show the mark of {owner}, which should be {wanted}."

    def differing(self, request: Request, item: ObservedItem) -> tuple[str, ...]:
        """The declared properties that an observed item does not show as declared. Of a list that others add to, each
        declared member must be there."""
        facts = self.types[request.type]
        shown = as_found(item.seen_by(request.properties), request.properties, facts.hidden)
        shared = {path: Comparison.MEMBERS for path, rule in facts.compare_as.items() if rule is Comparison.SHARED}
        rules = {**facts.compare_as, **shared}
        return tuple(
            path
            for path, value in sorted({**facts.when_absent, **request.properties}.items())
            if path not in facts.write_only and not means_same(value, shown.get(path), rules, path)
        )
