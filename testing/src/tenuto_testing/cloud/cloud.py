"""The strict cloud: a request in, a reply out, and all the difficulties of AWS in between.

Theory of operation. Every request walks the same way: its origin (the credential scope of its signature names account,
region and service), its reading by the service's model, the faults, the buckets (whether it may be asked now), the
model again (whether it is well formed), the client tokens (whether it was asked before), and only then the handler of
its action, which knows nothing of all this. Timed changes that became due are done before anything is looked at, each
at its own moment, so that the cloud needs no thread and the same calls at the same times always give the same answers.

One call at a time: `handle` holds a lock, for callers with several threads.
"""

import heapq
import random
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace

from tenuto.ports.clock import Clock
from tenuto_testing.cloud.buckets import Buckets
from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.deafness import Deafness
from tenuto_testing.cloud.families.cloud_control import Manner, Stumble
from tenuto_testing.cloud.families.ec2_default import furnish
from tenuto_testing.cloud.faults import Failure, Fault, Faults
from tenuto_testing.cloud.ids import Ids
from tenuto_testing.cloud.pace import AT_ONCE, CONSISTENT, Lag, Pace
from tenuto_testing.cloud.quotas import REAL, Quotas
from tenuto_testing.cloud.services import Service, services
from tenuto_testing.cloud.tokens import Tokens, asked_for
from tenuto_testing.cloud.wire.messages import HttpAnswer, HttpRequest, Refusal
from tenuto_testing.cloud.wire.unserved import unserved
from tenuto_testing.cloud.world import Data, Horizon, Place

IMAGES = ("ami-0abcdef1234567890", "ami-12c6146b", "ami-0fedcba0987654321")
"""The machine images that there are, unless others are given."""
HOME_ACCOUNT = "123456789012"
"""The account of every access key that is not said to be another one's."""
_SCOPE = re.compile(r"Credential=([^/]+)/\d+/([^/]+)/([^/]+)/aws4_request")
_GLOBAL_SERVICES = {"iam": "global", "s3": "global"}
"""Services whose things are in no region. (A bucket has one, and its name is taken everywhere.)"""
_NOT_LAGGING = frozenset({"s3", "sts"})
_LOGGED = 200_000
"""The calls that are remembered for readers of the log: more than any test makes, and no server grows beyond it."""
_CHANGES_IN_PLACE = ("Modify", "Put", "Set", "Update", "Tag", "Untag", "CreateTags", "DeleteTags")
"""The beginnings of the actions that can be accepted and ignored: they make nothing that a caller waits for."""
_LONG_AGO_S = 7 * 24 * 3600.0
_BAD_GATEWAY = HttpAnswer(
    status=502, headers={"content-type": "text/html"}, body=b"<html><body>502 Bad Gateway</body></html>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply to one request. Without an answer, the connection just ends; `is_cut`, it ends halfway."""

    answer: HttpAnswer | None
    is_cut: bool = False
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One line of the log: the call, and its outcome (a code, a failure, or nothing)."""

    at: float
    service: str
    action: str
    outcome: str = ""
    parameters: Data


class Cloud:
    """AWS as far as Tenuto needs it. `accounts` tells which access keys belong to which account."""

    def __init__(
        self,
        clock: Clock,
        *,
        seed: int = 0,
        pace: Pace = AT_ONCE,
        lag: Lag = CONSISTENT,
        buckets: Buckets | None = None,
        quotas: Quotas = REAL,
        accounts: Mapping[str, str] | None = None,
        images: Sequence[str] = IMAGES,
    ) -> None:
        self.clock = clock
        self.pace = pace
        self.lag = lag
        self.buckets = buckets
        self.quotas = quotas
        self.images = tuple(images)
        self.faults = Faults()
        self.deafness = Deafness()
        self.stumbles: list[Stumble] = []
        self.manners: list[Manner] = []
        """The requests of Cloud Control that will fail."""
        self.accounts: dict[str, str] = dict(accounts or {})
        self.sessions: dict[str, str] = {}
        """The ARN of each assumed role, by access key."""
        self.ids = Ids(seed)
        self.log: deque[Asked] = deque(maxlen=_LOGGED)
        """The last calls, in their order."""
        self._chance = random.Random(seed)
        self._tokens = Tokens()
        self._places: dict[tuple[str, str], Place] = {}
        self._due: list[tuple[float, int, Call, Callable[[Call], object]]] = []
        self._planned = 0
        self._services = services()
        self._lock = threading.Lock()

    def handle(self, request: HttpRequest) -> Reply:
        """Answer one request."""
        with self._lock:
            self.catch_up()
            return self._handle(request)

    def place(self, account: str, region: str) -> Place:
        """Everything of one account in one region, with the things that AWS puts there by itself."""
        found = self._places.get((account, region))
        if found is None:
            found = self._places[account, region] = Place(account, region, self.lag.changed_s)
            if region not in _GLOBAL_SERVICES.values():
                furnish(self._own_call(found))
                self.catch_up()
        return found

    def places(self, region: str) -> list[Place]:
        """The places of all accounts in a region, as far as a call has needed them."""
        return [place for (_, where), place in self._places.items() if where == region]

    def _own_call(self, place: Place) -> Call:
        """The call by which AWS furnishes a place by itself when it is first needed: its moment is long ago."""
        return Call(
            cloud=self,
            place=place,
            region=place.region,
            service="ec2",
            action="",
            parameters={},
            now=self.clock.now() - _LONG_AGO_S,
            request_id="",
        )

    def at(self, moment: float, call: Call, act: Callable[[Call], object]) -> None:
        """Do something later, in the place of a call."""
        self._planned += 1
        heapq.heappush(self._due, (moment, self._planned, replace(call, parameters={}), act))

    def catch_up(self) -> None:
        """Carry out the timed changes that have become due."""
        now = self.clock.now()
        while self._due and self._due[0][0] <= now:
            moment, _, call, act = heapq.heappop(self._due)
            act(replace(call, now=moment))

    def horizon_of(self, call: Call) -> Horizon:
        """Up to which moments the caller sees the world."""
        if call.service in _NOT_LAGGING:
            return Horizon(new=call.now, changed=call.now)
        share = self._chance.random() if self.lag.is_flickering else 1.0
        return Horizon(new=call.now - share * self.lag.new_s, changed=call.now - share * self.lag.changed_s)

    def _handle(self, request: HttpRequest) -> Reply:
        request_id = self.ids.request_id()
        scope = _SCOPE.search(request.headers.get("authorization", ""))
        service = self._services.get(scope[3]) if scope else None
        if scope is None:
            return Reply(answer=_unsigned(request_id))
        if service is None:
            return Reply(answer=unserved(request, scope[3], request_id))
        key, region = scope[1], scope[2]
        call = Call(
            cloud=self,
            place=self.place(self.accounts.get(key, HOME_ACCOUNT), _GLOBAL_SERVICES.get(service.name, region)),
            region=region,
            service=service.name,
            action="",
            parameters={},
            now=self.clock.now(),
            request_id=request_id,
            caller=key,
        )
        try:
            operation, call.parameters = service.read(request)
            call.action = operation.name
            call.parameters = self.deafness.heard(service.name, call.action, call.parameters)
        except Refusal as refusal:
            return Reply(answer=self._refused(service, call, refusal))
        fault = self.faults.next(service.name, call.action, call.parameters)
        if fault is not None and not fault.failure.is_carried_out:
            return self._prevented(service, call, fault)
        is_twice = fault is not None and fault.failure is Failure.TWICE
        arriving = (call, self._again(call)) if is_twice else (call,)
        if fault is not None and fault.failure is Failure.IGNORED and call.action.startswith(_CHANGES_IN_PLACE):
            with self._as_if(call) as imagined:
                answer = self._answered(service, imagined)
        else:
            answer, *_ = [self._answered(service, one) for one in arriving]
        return self._delivered(service, call, answer, fault)

    @contextmanager
    def _as_if(self, call: Call) -> Iterator[Call]:
        """The call in a copy of everything that there is, which is thrown away afterwards."""
        kept = self._places, self._due
        self._places, self._due = deepcopy(self._places), list(self._due)
        try:
            yield replace(call, place=self._places[call.place.account, call.place.region])
        finally:
            self._places, self._due = kept

    def _again(self, call: Call) -> Call:
        """The same request, as a network may bring it a second time."""
        return replace(call, parameters=deepcopy(call.parameters), request_id=self.ids.request_id())

    def _answered(self, service: Service, call: Call) -> HttpAnswer:
        try:
            self._admit(service, call)
            found = self._carried_out(service, call)
        except Refusal as refusal:
            return self._refused(service, call, refusal)
        self.deafness.note(service.name, call.action, call.parameters)
        self._note(call, "")
        return service.write(call.action, found, call.request_id)

    def _admit(self, service: Service, call: Call) -> None:
        owner, words = (call.account, call.region), service.words
        if self.buckets and not self.buckets.take(owner, service.name, call.action, call.parameters, call.now):
            raise Refusal(words.throttled, words.throttled_message, words.throttled_status)
        service.check(call.action, call.parameters)
        if call.parameters.get("DryRun"):
            raise Refusal("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412)

    def _carried_out(self, service: Service, call: Call) -> Data:
        call.token = str(call.parameters.pop("ClientToken", None) or "")
        if not call.token:
            return service.handlers[call.action](call)
        key, asked = (call.account, call.region, service.name, call.action, call.token), asked_for(call.parameters)
        known = self._tokens.recall(key, asked, call.now)
        if known is None:
            known = service.handlers[call.action](call)
            self._tokens.keep(key, asked, known, call.now)
        return known

    def _prevented(self, service: Service, call: Call, fault: Fault) -> Reply:
        failure, words = fault.failure, service.words
        if failure is Failure.REFUSED:
            self._note(call, failure.name)
            return Reply(answer=None)
        if failure is Failure.BROKEN:
            self._note(call, failure.name)
            return Reply(answer=_BAD_GATEWAY)
        refusals = {
            Failure.THROTTLED: Refusal(words.throttled, words.throttled_message, words.throttled_status),
            Failure.BUSY: _busy(service),
            Failure.DENIED: Refusal(
                words.denied, "You are not authorized to perform this operation.", words.denied_status
            ),
        }
        return Reply(answer=self._refused(service, call, refusals[failure]))

    def _delivered(self, service: Service, call: Call, answer: HttpAnswer, fault: Fault | None) -> Reply:
        """The reply that arrives after a request was carried out, with the damage of a fault."""
        if fault is None:
            return Reply(answer=answer)
        if fault.failure is Failure.LOST:
            return Reply(answer=None)
        if fault.failure is Failure.DONE_BUT_BUSY:
            return Reply(answer=service.refuse(_busy(service), call.request_id))
        return Reply(
            answer=answer,
            is_cut=fault.failure is Failure.CUT,
            delay_s=fault.seconds if fault.failure is Failure.SLOW else 0.0,
        )

    def _refused(self, service: Service, call: Call, refusal: Refusal) -> HttpAnswer:
        self._note(call, refusal.code)
        return service.refuse(refusal, call.request_id)

    def _note(self, call: Call, outcome: str) -> None:
        self.log.append(
            Asked(at=call.now, service=call.service, action=call.action, outcome=outcome, parameters=call.parameters)
        )


def _busy(service: Service) -> Refusal:
    return Refusal(service.words.busy, "An internal error has occurred", 500)


def _unsigned(request_id: str) -> HttpAnswer:
    body = (
        "<Response><Errors><Error><Code>AuthFailure</Code><Message>AWS was not able to validate the provided access "
        f"credentials</Message></Error></Errors><RequestID>{request_id}</RequestID></Response>"
    )
    return HttpAnswer(status=401, headers={"content-type": "text/xml"}, body=body.encode())
