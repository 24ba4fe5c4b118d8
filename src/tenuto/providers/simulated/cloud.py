"""The simulated cloud itself: it makes, changes and deletes one thing at a time, and lets outsiders do so too.

Theory of operation. A thing's life is a row of moments (visible, ready, deleted, gone, forgotten) that are set when
something is done to it; its present state follows from the clock alone. So nothing runs in the background, time may
pass in any steps, and the same calls at the same moments always give the same world.

An outsider's act (`tamper`, `vanish`, `add`, …) stands for those of people and other programs behind our back: it is
checked less, and it is not in the journal of our own calls.
"""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tenuto.errors import PermanentError
from tenuto.model.ids import Instant, Json, JsonMap, Partition, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem, Owner
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.ports.clock import Clock
from tenuto.providers.simulated import checks
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.register import Register
from tenuto.providers.simulated.things import Thing
from tenuto.providers.simulated.types import TYPES, SimulatedType


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """The key that a caller signs with, and the account that it leads to."""

    key: str
    account_id: str


class Cloud:
    """The things of every account and region. Thread-safe."""

    def __init__(self, clock: Clock, behaviour: Behaviour | None = None) -> None:
        self.behaviour = behaviour or Behaviour()
        self._clock = clock
        self._things = Register()
        self._given: set[PhysicalId] = set()
        self._swapped: dict[str, Credentials] = {}
        self._numbers: Counter[str] = Counter()
        self._lock = threading.RLock()

    @contextmanager
    def session(self, *, is_changing: bool = True) -> Iterator[None]:
        """Keep together everything that is changed within the context. A cloud in memory has nothing to keep."""
        yield

    def check(self, partition: Partition) -> None:
        """Raise PermanentError when there is no such account or region."""
        if partition.account not in self.behaviour.accounts:
            raise PermanentError(f"account {partition.account!r}: no credentials for it", code="AuthFailure")
        if partition.region not in self.behaviour.zones:
            known = ", ".join(sorted(self.behaviour.zones))
            raise PermanentError(f"there is no region {partition.region!r}; there are: {known}", code="UnknownRegion")

    def lead(self, account: str, account_id: str | None = None, *, is_renewed: bool = True) -> None:
        """Let the credentials of an account, by its name, lead to another one from now on; by default to its own.

        They are new ones then, unless the cloud itself has changed its mind about the same key.
        """
        with self._lock:
            before = self.credentials(account)
            self._numbers["key"] += 1
            key = f"key-{self._numbers['key']}" if is_renewed else before.key
            self._swapped[account] = Credentials(key=key, account_id=account_id or self.behaviour.accounts[account])

    def credentials(self, account: str) -> Credentials:
        """Return the credentials that the Conductor signs with now, for an account by its name. Raises KeyError when
        there is none.
        """
        with self._lock:
            return self._swapped.get(account) or Credentials(key="key", account_id=self.behaviour.accounts[account])

    def entered(self, partition: Partition) -> Partition:
        """Return the partition where calls arrive with the credentials of now: the one that is asked for, or one in an
        account named by its mere id.
        """
        account_id = self.credentials(partition.account).account_id
        is_own = account_id == self.behaviour.accounts[partition.account]
        return partition if is_own else Partition(account=account_id, region=partition.region)

    def items(self, partition: Partition, name: TypeName) -> dict[PhysicalId, ObservedItem]:
        """Return the things of a type that can be seen now, by id."""
        now = self._clock.now()
        with self._lock:
            return {
                thing.physical_id: thing.item(now)
                for thing in self._things.of(partition, TYPES[name])
                if thing.is_visible(now)
            }

    def find(self, partition: Partition, request: Request) -> ObservedItem | None:
        """The thing that a request has made before, by its natural key or by the ownership that was written on it."""
        now = self._clock.now()
        kind = TYPES[request.type]
        with self._lock:
            for thing in self._things.of(partition, kind):
                if not thing.is_standing(now) or not thing.is_visible(now):
                    continue
                if kind.natural_key:
                    is_it = thing.physical_id == _natural_id(kind, request.properties)
                else:
                    is_it = thing.owner is not None and thing.owner.object_id == request.object_id
                if is_it:
                    return thing.item(now)
        return None

    def create(self, partition: Partition, request: Request, slow_s: float = 0.0) -> Outcome:
        """Make a thing. Checks everything first; nothing is made in part."""
        kind = TYPES[request.type]
        now = self._clock.now()
        with self._lock:
            if self.behaviour.honours_tokens and (known := self._by_token(partition, request, now)):
                return Done(physical_id=known.physical_id, attributes=known.item(now).attributes)
            zones = self.behaviour.zones[partition.region]
            properties = self._with_defaults(kind, request, zones)
            problem = (
                checks.words(kind, request.properties, zones)
                or checks.references(kind, properties, self._things.within(partition), self._given, now)
                or checks.rivals(request, kind, properties, self._things, now)
            )
            if problem is not None:
                return problem
            made = self._make(partition, kind, properties, now, slow_s, _token_of(request))
            made.owner = _owner_of(request)
            return Done(physical_id=made.physical_id, attributes=made.item(now).attributes)

    def modify(self, partition: Partition, request: Request, slow_s: float = 0.0) -> tuple[Outcome, bool]:
        """Bring a thing to the properties that are asked for, and say whether anything had to be changed for that."""
        kind = TYPES[request.type]
        now = self._clock.now()
        with self._lock:
            thing = self._seen(partition, request.physical_id, now)
            if thing is None:
                return Pending(code="NotFound", message=f"{request.physical_id} is not there (yet)"), False
            if now < thing.ready_at:
                delay = thing.ready_at - now
                return Pending(code="", message=f"{thing.physical_id} is pending", delay_s=delay, is_undone=True), False
            wished = checks.normal({**kind.facts.when_absent, **request.properties})
            changed = {path: value for path, value in wished.items() if thing.properties.get(path) != value}
            problem = (
                checks.words(kind, request.properties, self.behaviour.zones[partition.region])
                or checks.fixed(kind, changed)
                or checks.references(kind, changed, self._things.within(partition), self._given, now)
            )
            if problem is not None:
                return problem, False
            if not changed:
                return Done(physical_id=thing.physical_id, attributes=thing.item(now).attributes), False
            thing.properties.update(changed)
            self._things.note_references(thing)
            takes_s = max((kind.slow.get(path, 0.0) for path in changed), default=0.0) + slow_s
            thing.ready_at = Instant(now + takes_s)
            if takes_s:
                return Pending(message=f"{thing.physical_id} is being changed", delay_s=takes_s), True
            return Done(physical_id=thing.physical_id, attributes=thing.item(now).attributes), True

    def claim(self, partition: Partition, request: Request) -> tuple[Outcome, bool]:
        """Write the owner on a thing, and say whether that had to be done."""
        with self._lock:
            thing = self._seen(partition, request.physical_id, self._clock.now())
            if thing is None:
                return Pending(code="NotFound", message=f"{request.physical_id} is not there (yet)"), False
            owner = _owner_of(request)
            done = Done(physical_id=thing.physical_id)
            if thing.type.natural_key or thing.owner == owner:
                return done, False
            thing.owner = owner
            return done, True

    def disclaim(self, partition: Partition, request: Request) -> tuple[Outcome, bool]:
        """Take the owner off a thing where it is this one, and say whether that had to be done."""
        with self._lock:
            thing = self._things.get(request.physical_id) if request.physical_id else None
            done = Done(physical_id=request.physical_id)
            if thing is None or not thing.is_visible(self._clock.now()):
                return replace(done, was_absent=True), False
            if thing.owner is None or thing.owner.object_id != request.object_id:
                return done, False
            thing.owner = None
            return done, True

    def delete(self, partition: Partition, request: Request, slow_s: float = 0.0) -> tuple[Outcome, bool]:
        """Delete a thing, and say whether it had to be told to. A thing that is not there was deleted before."""
        now = self._clock.now()
        with self._lock:
            thing = self._things.get(request.physical_id) if request.physical_id else None
            if thing is None or thing.partition != partition or not thing.is_visible(now):
                return Done(physical_id=request.physical_id, was_absent=True), False
            if not thing.exists(now):
                return Done(physical_id=request.physical_id), False
            if not thing.is_standing(now):
                left = thing.gone_at - now
                return Pending(message=f"{thing.physical_id} is being deleted", delay_s=left), False
            problem = checks.dependants(thing, self._things.users(thing.physical_id), now)
            if problem is not None:
                return problem, False
            self._end(thing, now, slow_s)
            if thing.exists(now):
                left = thing.gone_at - now
                return Pending(message=f"{thing.physical_id} is being deleted", delay_s=left), True
            return Done(physical_id=thing.physical_id), True

    # The acts of an outsider.

    def tamper(self, physical_id: str, path: str, value: Json) -> None:
        """Change one property, declared by us or not; None takes it away."""
        with self._lock:
            thing = self._standing(physical_id)
            if value is None:
                thing.properties.pop(path, None)
            else:
                thing.properties[path] = value
            self._things.note_references(thing)

    def vanish(self, physical_id: str) -> None:
        """Delete a thing at once, even if it is in use, without a trace."""
        with self._lock:
            self._things.remove(self._standing(physical_id).physical_id)

    def terminate(self, physical_id: str) -> None:
        """Delete a thing the regular way, even one in use: slowly, and with a tombstone where its type leaves one."""
        with self._lock:
            self._end(self._standing(physical_id), self._clock.now(), 0.0)

    def break_down(self, physical_id: str, message: str) -> None:
        """Make a thing useless: only another one helps."""
        with self._lock:
            self._standing(physical_id).broken = message

    def fill(self, physical_id: str, count: int) -> None:
        """Put so many objects into a bucket."""
        with self._lock:
            self._standing(physical_id).holds = count

    def add(self, partition: Partition, name: TypeName, properties: JsonMap) -> PhysicalId:
        """Make a thing without an owner."""
        self.check(partition)
        kind = TYPES[name]
        zone = {"Zone": self.behaviour.zones[partition.region][0]} if "Zone" in kind.properties else {}
        made = {**kind.facts.when_absent, **kind.defaults, **zone, **properties}
        with self._lock:
            return self._make(partition, kind, made, self._clock.now()).physical_id

    def mark(self, physical_id: str, owner: Owner) -> None:
        """Write marks on a thing, as an earlier life of a Conductor did, or a person who copied tags."""
        with self._lock:
            self._standing(physical_id).owner = owner

    def things(self) -> tuple[Thing, ...]:
        """Return everything that exists now, seen or not, in the order of its making."""
        now = self._clock.now()
        with self._lock:
            return tuple(thing for thing in self._things.values() if thing.exists(now))

    def _by_token(self, partition: Partition, request: Request, now: Instant) -> Thing | None:
        found = self._things.by_token(_token_of(request))
        return found if found is not None and found.partition == partition and found.is_standing(now) else None

    def _seen(self, partition: Partition, physical_id: PhysicalId | None, now: Instant) -> Thing | None:
        thing = self._things.get(physical_id) if physical_id else None
        is_there = thing is not None and thing.partition == partition and thing.is_standing(now)
        return thing if is_there and thing is not None and thing.is_visible(now) else None

    def _standing(self, physical_id: str) -> Thing:
        thing = self._things.get(PhysicalId(physical_id))
        if thing is None or not thing.is_standing(self._clock.now()):
            raise PermanentError(f"there is no {physical_id!r}", code="NotFound")
        return thing

    def _with_defaults(self, kind: SimulatedType, request: Request, zones: tuple[str, ...]) -> dict[str, Json]:
        found: dict[str, Json] = {**kind.facts.when_absent, **kind.defaults, **request.properties}
        if "Zone" in kind.properties:
            found.setdefault("Zone", zones[0])
        if "Name" in kind.properties:
            found.setdefault("Name", f"{request.process_name}-{request.logical_id}-{request.token[:12]}".lower())
        return checks.normal(found)

    def _make(
        self,
        partition: Partition,
        kind: SimulatedType,
        properties: JsonMap,
        now: Instant,
        slow_s: float = 0.0,
        token: str = "",
    ) -> Thing:
        self._numbers[kind.prefix] += 1
        number = self._numbers[kind.prefix]
        name = _natural_id(kind, properties) or f"{kind.prefix}-{number}"
        thing = Thing(
            type=kind,
            partition=partition,
            physical_id=PhysicalId(name),
            number=number,
            properties=dict(properties),
            owner=None,
            token=token,
            visible_at=Instant(now + self.behaviour.visible_after_s),
            ready_at=Instant(now + kind.pending_s + slow_s),
        )
        # A tombstone of the same natural key makes way.
        self._things.remove(thing.physical_id)
        self._things.add(thing)
        self._given.add(thing.physical_id)
        return thing

    def _end(self, thing: Thing, now: Instant, slow_s: float) -> None:
        thing.deleted_at = now
        thing.gone_at = Instant(now + thing.type.deleting_s + slow_s)
        thing.forgotten_at = Instant(thing.gone_at + thing.type.tombstone_s)


def _natural_id(kind: SimulatedType, properties: JsonMap) -> str:
    """The id that the properties make; empty for types that are given ids."""
    return "|".join(str(properties.get(path)) for path in kind.natural_key)


def _token_of(request: Request) -> str:
    """Return the token of a creation. Another wish is another creation, as where the properties are part
    of the token.
    """
    return f"{request.token} {json.dumps(request.properties, sort_keys=True, default=str)}"


def _owner_of(request: Request) -> Owner | None:
    if request.fid is None:
        return None
    return Owner(fid=request.fid, logical_id=request.logical_id, object_id=request.object_id)
