"""The simulated cloud behind the provider port: bulk calls, ordered faults, and a journal of everything asked."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tenuto.errors import PermanentError, TransientError
from tenuto.model.account import Account, Identity
from tenuto.model.ids import Instant, Json, Partition, TypeName
from tenuto.model.observation import ObservedItem, Sweep, Tracked
from tenuto.model.outcome import Context, Done, Op, Outcome, Pending, Refused, Request
from tenuto.model.resource import ResourceType
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.faults import Fault, FaultKind, Faults
from tenuto.providers.simulated.types import PROVIDER, TYPES

_CHANGING = frozenset({"create", "modify", "delete", "claim", "disclaim"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a method of the port. `subjects` are logical ids, or the source of a sweep."""

    at: Instant
    partition: Partition
    operation: str
    subjects: tuple[str, ...]

    @property
    def is_changing(self) -> bool:
        return self.operation in _CHANGING


class SimulatedProvider:
    """Implements `ports.provider.Provider`. Thread-safe."""

    name = PROVIDER

    def __init__(self, cloud: Cloud, *, clock: Clock, ops: OpSink, faults: Faults | None = None) -> None:
        self.cloud = cloud
        self.faults = faults or Faults()
        self._clock = clock
        self._ops = ops
        self._calls: list[Call] = []
        self._requests = 0
        self._lock = threading.Lock()

    @property
    def calls(self) -> tuple[Call, ...]:
        """Everything that was asked, in order."""
        with self._lock:
            return tuple(self._calls)

    def types(self) -> Mapping[TypeName, ResourceType]:
        once = self.cloud.behaviour.honours_tokens
        return {name: replace(kind.facts, makes_once=once) for name, kind in TYPES.items()}

    def context(self, partition: Partition) -> Context:
        self._enter(partition, "context", ())
        behaviour = self.cloud.behaviour
        return Context(account_id=behaviour.accounts[partition.account], zones=behaviour.zones)

    def identify(self, account: Account) -> Identity:
        account_id = self.cloud.behaviour.accounts.get(account.name)
        if account_id is None:
            raise PermanentError(f"account {account.name!r}: no credentials for it", code="AuthFailure")
        return Identity(account_id=account_id, arn=f"arn:simulated:sts::{account_id}:user/{account.name}")

    def lookup(self, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        self._enter(partition, "lookup", keys)
        known = self.cloud.behaviour.lookups
        return {key: known[key] for key in keys if key in known}

    def pointed_at(self, partition: Partition, names: Sequence[str], since: Instant) -> Mapping[str, str]:
        return {}

    def sweep(self, partition: Partition, source: str, tracked: Tracked) -> Mapping[TypeName, Sweep]:
        names = [name for name, kind in TYPES.items() if kind.facts.source == source]
        if not names:
            raise PermanentError(f"there is no source {source!r}", code="UnknownSource")
        started_at = self._clock.now()
        self._enter(partition, "sweep", (source,), names)
        return {
            name: Sweep(partition=partition, type=name, started_at=started_at, items=self.cloud.items(partition, name))
            for name in names
        }

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[ObservedItem | None]:
        self._enter(partition, "find", _subjects(requests), _types(requests))
        return [self.cloud.find(partition, request) for request in requests]

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._each(
            partition, "create", requests, lambda request, slow_s: (self.cloud.create(partition, request, slow_s), True)
        )

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._each(
            partition, "modify", requests, lambda request, slow_s: self.cloud.modify(partition, request, slow_s)
        )

    def delete(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._each(
            partition, "delete", requests, lambda request, slow_s: self.cloud.delete(partition, request, slow_s)
        )

    def claim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._each(partition, "claim", requests, lambda request, _: self.cloud.claim(partition, request))

    def disclaim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._each(partition, "disclaim", requests, lambda request, _: self.cloud.disclaim(partition, request))

    def _each(
        self,
        partition: Partition,
        operation: str,
        requests: Sequence[Request],
        act: Callable[[Request, float], tuple[Outcome, bool]],
    ) -> list[Outcome]:
        """One outcome per request, in their order; an op for each that reached the cloud as a change."""
        self._enter(partition, operation, _subjects(requests), _types(requests))
        outcomes: list[Outcome] = []
        for request in requests:
            if held_back := self._held_back(request):
                outcomes.append(held_back)
                continue
            request_id = self._next_request_id()
            outcome, is_change = self._answer(operation, request, request_id, act)
            outcomes.append(outcome)
            if is_change:
                self._report(partition, operation, request, outcome, request_id)
        return outcomes

    def _answer(
        self,
        operation: str,
        request: Request,
        request_id: str,
        act: Callable[[Request, float], tuple[Outcome, bool]],
    ) -> tuple[Outcome, bool]:
        """What the cloud, or a fault in its place, answers to one request; and whether it reached it as a change."""
        fault = self.faults.meet(operation, (request.logical_id, request.type), whole=False)
        if fault is not None and fault.kind not in (FaultKind.LOST, FaultKind.SLOW):
            if fault.kind is FaultKind.IGNORED and operation == "modify":
                return Done(physical_id=request.physical_id), True
            return _not_done(fault, operation, request_id), True
        slow_s = fault.seconds if fault is not None and fault.kind is FaultKind.SLOW else 0.0
        outcome, is_change = act(request, slow_s)
        if fault is not None and fault.kind is FaultKind.LOST:
            message = f"no answer to {operation} came within 30 s"
            return Pending(message=message, code="RequestTimeout", request_id=request_id), is_change
        return _with_request_id(outcome, request_id), is_change

    def _held_back(self, request: Request) -> Outcome | None:
        """The answer to a request that must not be made any more."""
        try:
            self._ops.permit((request.object_id,))
        except TransientError as error:
            return Pending(message=str(error), code=error.code, is_undone=True)
        return None

    def _enter(
        self, partition: Partition, operation: str, subjects: Iterable[str], types: Iterable[TypeName] = ()
    ) -> None:
        """Write the call down, and let it fail as a whole when it should."""
        named = tuple(subjects)
        if operation in _CHANGING:
            self._ops.permit(())
        with self._lock:
            self._calls.append(Call(at=self._clock.now(), partition=partition, operation=operation, subjects=named))
        self.cloud.check(partition)
        fault = self.faults.meet(operation, (*named, *types), whole=True)
        if fault is None:
            return
        request_id = self._next_request_id()
        if fault.kind is FaultKind.FORBIDDEN:
            raise PermanentError(f"{operation} is not permitted", code="AccessDenied", request_id=request_id)
        raise TransientError(f"{operation} got no answer", code="ServiceUnavailable", request_id=request_id)

    def _report(
        self, partition: Partition, operation: str, request: Request, outcome: Outcome, request_id: str
    ) -> None:
        code = outcome.code if isinstance(outcome, Pending | Refused) else ""
        self._ops.record(
            Op(
                at=self._clock.now(),
                partition=partition,
                service=PROVIDER,
                operation=f"{operation.capitalize()}{request.type.rpartition('::')[2]}",
                object_ids=(request.object_id,),
                request_id=request_id,
                duration_s=0.0,
                code=code,
                message=outcome.message if code and isinstance(outcome, Pending | Refused) else "",
            )
        )

    def _next_request_id(self) -> str:
        with self._lock:
            self._requests += 1
            return f"req-{self._requests}"


def _subjects(requests: Sequence[Request]) -> tuple[str, ...]:
    return tuple(request.logical_id for request in requests)


def _types(requests: Sequence[Request]) -> tuple[TypeName, ...]:
    return tuple(request.type for request in requests)


def _with_request_id(outcome: Outcome, request_id: str) -> Outcome:
    """Faults carry the id of the request that met them; so can people find it in the provider's own records."""
    if isinstance(outcome, Refused) or (isinstance(outcome, Pending) and outcome.code):
        return replace(outcome, request_id=request_id)
    return outcome


def _not_done(fault: Fault, operation: str, request_id: str) -> Outcome:
    match fault.kind:
        case FaultKind.THROTTLED:
            return Pending(message="too many requests", code="Throttling", request_id=request_id, is_undone=True)
        case FaultKind.DENIED:
            return Refused(
                message=f"{operation} was denied",
                code="AccessDenied",
                request_id=request_id,
                hint="Permit it.",
            )
        case _:
            return Pending(message="try again later", code="ServiceUnavailable", request_id=request_id)
