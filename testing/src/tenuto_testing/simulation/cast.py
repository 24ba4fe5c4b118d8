"""The Conductors on stage: the one that leads, and those that stood still and may believe that they do.

Theory of operation. A Conductor that dies is followed by another. As long as no other is left, the next one leads at
once: the lock beside the file would let no other in. But one that only stands still is not dead. Then the next must
wait until the lease has run out, and is started again and again until then; and when the one before wakes up, it goes
on with the calls that it was about to make and with everything that it remembers. It is on stage until it notices that
it was deposed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tenuto.bootstrap.system import System
from tenuto.errors import NotLeadingError, StoreUnavailableError
from tenuto.model.ids import Instant
from tenuto.ports.clock import Clock
from tenuto_testing.mortality import Crash
from tenuto_testing.simulation.crew import Crew
from tenuto_testing.simulation.lives import Life

RETRY_S = 5.0
"""How soon a Conductor that was refused, or died at its start, is started again."""


@dataclass(slots=True, kw_only=True)
class Actor:
    """One Conductor with its crew. It does nothing before `wakes_at`."""

    name: str
    system: System
    crew: Crew
    life: Life
    wakes_at: Instant


Make = Callable[[str, bool], Actor]
"""Makes an actor of a name, that is alone or not."""


class Cast:
    """The Conductors of one run."""

    def __init__(self, clock: Clock, tell: Callable[[str], None], make: Make) -> None:
        self._clock = clock
        self._tell = tell
        self._make = make
        self._leader: Actor | None = None
        self._others: list[Actor] = []
        self._next_try = clock.now()
        self._number = 0
        self._rng = Random(0)
        self._is_calm = False

    @property
    def system(self) -> System:
        """The Conductor that people talk to. Raises StoreUnavailableError when there is none."""
        if self._leader is None:
            raise StoreUnavailableError("no Conductor answers")
        return self._leader.system

    def draw_from(self, rng: Random) -> None:
        """The source of chance from now on."""
        self._rng = rng
        for actor in self._all():
            actor.crew.rng = rng

    def calm(self) -> None:
        """End all pauses: no Conductor is slow or stands still any more."""
        self._is_calm = True
        for actor in self._all():
            actor.crew.is_calm = True
            actor.wakes_at = self._clock.now()

    def slow_until(self) -> Instant | None:
        """When the first of the leader's slow tasks goes on; None when there are none. No other task becomes slow."""
        if self._leader is None:
            return None
        wake = self._leader.crew.next_wake()
        self._leader.crew.is_calm = self._is_calm or wake is not None
        return wake

    def dismiss(self) -> None:
        """Remove all Conductors."""
        for actor in self._all():
            self._bury(actor)

    def replace(self) -> None:
        """Remove all Conductors, and start another."""
        self.dismiss()
        self._next_try = self._clock.now()
        self.start()

    def stall(self, seconds: float) -> None:
        """The leader stands still; another is started."""
        if self._leader is not None:
            self._leader.wakes_at = Instant(self._clock.now() + seconds)
            self._others.append(self._leader)
            self._leader = None
            self.start()

    def rival(self) -> None:
        """Another is started beside the leader. It is let in only if the leader could not renew its lease for long."""
        if self._leader is None:
            return
        usurper = self._start_one(is_alone=False)
        if usurper is not None:
            self._others.append(self._leader)
            self._leader = usurper

    def die(self, when: str) -> None:
        """The leader dies, and another is started."""
        if self._leader is not None:
            self._die(self._leader, when)

    def start(self) -> bool:
        """Have a Conductor lead when it is time to try. Returns whether anything happened."""
        if self._leader is not None or self._clock.now() < self._next_try:
            return False
        awake = [actor for actor in self._others if actor.wakes_at <= self._clock.now()]
        if awake:
            # It woke up before another took its place.
            self._leader = awake[0]
            self._others.remove(awake[0])
            return True
        self._next_try = Instant(self._clock.now() + RETRY_S)
        self._leader = self._start_one(is_alone=not self._others)
        return self._leader is not None

    def turn(self) -> bool:
        """Let each Conductor that is awake do its due work. Returns whether there was any."""
        now = self._clock.now()
        had_work = [self._act(actor) for actor in self._all() if actor.wakes_at <= now]
        return any(had_work)

    def next_wake(self) -> Instant | None:
        wakes: list[Instant | None] = [self._next_try] if self._leader is None else []
        for actor in self._all():
            if actor.wakes_at > self._clock.now():
                wakes.append(actor.wakes_at)
            else:
                wakes += [actor.system.conductor.next_wake(), actor.crew.next_wake()]
        return min((wake for wake in wakes if wake is not None), default=None)

    def _act(self, actor: Actor) -> bool:
        try:
            went_on = actor.crew.resume()
            tasks = actor.system.conductor.collect()
            actor.crew.perform(tasks)
        except Crash as crash:
            self._die(actor, str(crash))
            return True
        if actor.system.conductor.is_deposed:
            self._die(actor, "because it was deposed")
            return True
        return bool(tasks) or went_on

    def _die(self, actor: Actor, when: str) -> None:
        self._tell(f"      † {actor.name} died {when}")
        self._bury(actor)
        self._next_try = self._clock.now()
        self.start()

    def _bury(self, actor: Actor) -> None:
        actor.life.is_over = True
        actor.crew.dismiss()
        if actor is self._leader:
            self._leader = None
        elif actor in self._others:
            self._others.remove(actor)

    def _start_one(self, *, is_alone: bool) -> Actor | None:
        self._number += 1
        name = f"conductor-{self._number}"
        try:
            actor = self._make(name, is_alone)
        except StoreUnavailableError as death:
            # It reads which providers its processes belong to before it has a life to lose.
            self._tell(f"      † {name} died at its start: {death}")
            return None
        actor.crew.rng, actor.crew.is_calm = self._rng, self._is_calm
        try:
            actor.system.conductor.start()
        except NotLeadingError:
            pass  # it is started again every few seconds: more lines than a person wants to read
        except (Crash, StoreUnavailableError) as death:
            self._tell(f"      † {actor.name} died at its start: {death}")
        else:
            self._tell(f"      {actor.name} leads")
            return actor
        self._bury(actor)
        return None

    def _all(self) -> list[Actor]:
        return [*self._others, *([self._leader] if self._leader is not None else [])]
