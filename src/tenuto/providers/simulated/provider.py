"""The simulated cloud behind the provider port: bulk calls, ordered faults, and a journal of everything asked."""

import json
import threading
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import quote

from tenuto.core.access.accounts import DEFAULT_INTERVAL_S
from tenuto.core.access.masking import masker_of
from tenuto.errors import PermanentError, TransientError, UnconfirmedError
from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.ids import Instant, Json, Partition, TypeName
from tenuto.model.object_type import ObjectType
from tenuto.model.observation import ObservedItem, Sweep, Tracked, to_show
from tenuto.model.outcome import Context, Done, Op, Outcome, Pending, Refused, Request
from tenuto.model.phase_map import PhaseDefinition
from tenuto.model.resource import ResourceType
from tenuto.ports.clock import Clock
from tenuto.ports.objects import ObjectWork
from tenuto.ports.phase import Phase
from tenuto.ports.programs import Programs
from tenuto.ports.provider import NOT_CONFIRMED, OpSink
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.faults import Fault, FaultKind, Faults
from tenuto.providers.simulated.identity import Identities
from tenuto.providers.simulated.object_work import object_phases
from tenuto.providers.simulated.objects import OBJECT_TYPES
from tenuto.providers.simulated.programs import NoPrograms
from tenuto.providers.simulated.types import PROVIDER, TYPES

Act = Callable[[Partition, Request, float], tuple[Outcome, bool]]
"""The act of the cloud for one request, where the credentials lead: its answer, and whether that was a change."""
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
    """Implements `ports.provider.Provider`, `OffersObjects` and `RunsPrograms`. Thread-safe."""

    name = PROVIDER

    def __init__(
        self,
        cloud: Cloud,
        *,
        clock: Clock,
        ops: OpSink,
        faults: Faults | None = None,
        identity_interval_s: float = DEFAULT_INTERVAL_S,
        told: Callable[[Call], None] | None = None,
    ) -> None:
        """Each call is told to `told` and kept nowhere: a Conductor makes them for as long as it lives."""
        self.cloud = cloud
        self.faults = faults or Faults()
        self.identities = Identities(cloud, clock, identity_interval_s, self._meet_question)
        self._clock = clock
        self._ops = ops
        self._told = told
        self._requests = 0
        self._lock = threading.Lock()

    def types(self) -> Mapping[TypeName, ResourceType]:
        told = self.cloud.behaviour
        return {
            name: replace(kind.facts, makes_once=told.honours_tokens, consistency=told.consistency)
            for name, kind in TYPES.items()
        }

    def programs(self, work: ObjectWork) -> Programs:
        return NoPrograms()

    def object_types(self) -> Sequence[ObjectType]:
        return OBJECT_TYPES

    def object_phases(self) -> Sequence[tuple[PhaseDefinition, Phase]]:
        return object_phases()

    def context(self, partition: Partition) -> Context:
        self._enter(partition, "context", ())
        account_id = self.cloud.credentials(partition.account).account_id
        return Context(account_id=account_id, zones=self.cloud.behaviour.zones)

    def identify(self, account: Account) -> Identity:
        if account.name not in self.cloud.behaviour.accounts:
            raise PermanentError(f"account {account.name!r}: no credentials for it", code="AuthFailure")
        account_id = self.cloud.credentials(account.name).account_id
        return Identity(account_id=account_id, arn=f"arn:simulated:sts::{account_id}:user/{account.name}")

    def credentials(self, account: str) -> KnownCredentials:
        return self.identities.credentials(account)

    def lookup(self, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        self._enter(partition, "lookup", keys)
        known = self.cloud.behaviour.lookups
        return {key: known[key] for key in keys if key in known}

    def pointed_at(self, partition: Partition, names: Sequence[str], since: Instant) -> Mapping[str, str]:
        return {}

    def sweep(
        self, partition: Partition, source: str, tracked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> Mapping[TypeName, Sweep]:
        names = [name for name, kind in TYPES.items() if kind.facts.source == source]
        if not names:
            raise PermanentError(f"there is no source {source!r}", code="UnknownSource")
        shown = to_show(tracked)
        started_at = self._clock.now()
        place = self._enter(partition, "sweep", (source,), names)
        with self.cloud.session(is_changing=False):
            found = {name: self.cloud.items(place, name) for name in names}
        if any(one not in found[name] for name in names for one in shown.get(name, ())):
            # A thing that is absent may only stand in another account than the one that was just swept.
            self.identities.confirm_since(partition.account, started_at)
        if is_near:
            found = {
                name: {one: item for one, item in items.items() if one in shown.get(name, ())}
                for name, items in found.items()
            }
        return {
            name: Sweep(partition=partition, type=name, started_at=started_at, items=items, is_whole=not is_near)
            for name, items in found.items()
        }

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[ObservedItem | None]:
        asked_at = self._clock.now()
        place = self._enter(partition, "find", _subjects(requests), _types(requests))
        with self.cloud.session(is_changing=False):
            found = [self.cloud.find(place, request) for request in requests]
        if any(item is None for item in found):
            self.identities.confirm_since(partition.account, asked_at)
        return found

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._each(
            partition,
            "create",
            requests,
            lambda place, request, slow_s: (self.cloud.create(place, request, slow_s), True),
        )

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._each(
            partition,
            "modify",
            requests,
            self.cloud.modify,
        )

    def delete(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._each(
            partition,
            "delete",
            requests,
            self.cloud.delete,
        )

    def claim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._each(partition, "claim", requests, lambda place, request, _: self.cloud.claim(place, request))

    def disclaim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._each(
            partition, "disclaim", requests, lambda place, request, _: self.cloud.disclaim(place, request)
        )

    def _each(
        self,
        partition: Partition,
        operation: str,
        requests: Sequence[Request],
        act: Act,
    ) -> list[Outcome]:
        """One outcome per request, in their order; an op for each that reached the cloud as a change."""
        place = self._enter(partition, operation, _subjects(requests), _types(requests))
        outcomes: list[Outcome] = []
        with self.cloud.session():
            for request in requests:
                if held_back := self._held_back(request):
                    outcomes.append(held_back)
                    continue
                request_id = self._next_request_id()
                outcome, is_change = self._answer(operation, request, request_id, partial(act, place))
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
        """The answer of the cloud, or of a fault in its place, to a request; and whether it reached it as a change."""
        fault = self.faults.meet(operation, (request.logical_id, request.type), whole=False)
        if fault is not None and fault.kind not in (FaultKind.LOST, FaultKind.SLOW):
            if fault.kind is FaultKind.IGNORED and operation == "modify":
                return Done(physical_id=request.physical_id), True
            return _not_done(fault, operation, request, request_id), True
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
    ) -> Partition:
        """Tell of the call, and let it fail as a whole when it should. Where it arrives."""
        named = tuple(subjects)
        self.cloud.check(partition)
        if operation in _CHANGING:
            self.identities.confirm_to_change(partition.account)
            self._ops.permit(())
        else:
            self.identities.confirm_to_read(partition.account)
        if self._told is not None:
            self._told(Call(at=self._clock.now(), partition=partition, operation=operation, subjects=named))
        fault = self.faults.meet(operation, (*named, *types), whole=True)
        if fault is None:
            return self.cloud.entered(partition)
        request_id = self._next_request_id()
        if fault.kind is FaultKind.FORBIDDEN:
            raise PermanentError(f"{operation} is not permitted", code="AccessDenied", request_id=request_id)
        raise TransientError(f"{operation} got no answer", code="ServiceUnavailable", request_id=request_id)

    def _meet_question(self, account: str) -> None:
        """Let the question whose credentials these are fail when it should."""
        fault = self.faults.meet("identify", (account,), whole=True)
        if fault is None:
            return
        request_id = self._next_request_id()
        if fault.kind is FaultKind.FORBIDDEN:
            raise UnconfirmedError(
                f"account {account}: identify is not permitted", code="AccessDenied", request_id=request_id
            )
        raise TransientError(f"account {account}: identify got no answer", code=NOT_CONFIRMED, request_id=request_id)

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
                message=masker_of([request]).mask(outcome.message)
                if code and isinstance(outcome, Pending | Refused)
                else "",
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


def _not_done(fault: Fault, operation: str, request: Request, request_id: str) -> Outcome:
    match fault.kind:
        case FaultKind.THROTTLED:
            return Pending(
                message="too many requests",
                code="Throttling",
                request_id=request_id,
                is_undone=True,
                is_throttled=True,
            )
        case FaultKind.DENIED:
            return Refused(
                message=f"{operation} was denied",
                code="AccessDenied",
                request_id=request_id,
                hint="Permit it.",
            )
        case FaultKind.ECHOED:
            values = json.dumps({"now": request.observed, "wanted": request.properties})
            encoded = b64encode(values.encode()).decode()
            return Refused(
                message=f"{operation} cannot take {values}, or {quote(values)}, or {encoded}",
                code="InvalidValue",
                request_id=request_id,
                hint=f"Declare other values than {request.properties}.",
            )
        case _:
            return Pending(message="try again later", code="ServiceUnavailable", request_id=request_id)
