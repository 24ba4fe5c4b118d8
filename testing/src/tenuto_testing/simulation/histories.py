"""The way from a seed to one history: the behaviour of the cloud, and the steps of a Tenuto on it."""

from dataclasses import dataclass, replace
from random import Random

from tenuto.model.composition import Composition
from tenuto.model.ids import LogicalId
from tenuto_testing.mortality import Blow
from tenuto_testing.simulation.compositions import draw, exporting, importing, redraw
from tenuto_testing.simulation.sceneries import scenery_of
from tenuto_testing.simulation.scenery import Scenery, Traits
from tenuto_testing.simulation.steps import (
    EVERYTHING,
    Death,
    Enter,
    Execute,
    Order,
    Pass,
    Rehearse,
    Rival,
    SetProperty,
    SetTempo,
    Stall,
    Step,
    StoreDown,
    Strike,
    Submit,
    Swap,
    Together,
)

MOMENTS = (0.0, 0.3, 1.0, 2.9, 5.0, 14.9, 16.0, 29.9, 31.0, 64.0, 200.0, 611.0)
"""Seconds between steps: around every time that the Conductor itself keeps, and long enough to come to rest."""
_HOURS = (3600.0, 6 * 3600.0)
_REST = (64.0, 611.0, *_HOURS, 24 * 3600.0, 3 * 24 * 3600.0)
"""For how long a process is left suspended: until people have looked into it, over the night, over the weekend."""
_ACTS = ("vanish", "terminate", "break", "disown", "fill")
_SWAPPING = 1 / 6
"""The share of histories in which credentials lead elsewhere for a while."""
_RIVALRY = 1 / 3
"""The share of histories in which Conductors stand still, or find another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Everything that is decided before a run begins. `steps` keep their numbers when some are dropped.

    The chance in a step (the order of tasks, which are slow) follows from the seed and the step's number.
    """

    seed: int
    cloud: str
    traits: Traits
    steps: tuple[tuple[int, Step], ...]

    def only(self, numbers: frozenset[int]) -> "History":
        """The same history with these steps alone."""
        return replace(self, steps=tuple((number, step) for number, step in self.steps if number in numbers))


def history(seed: int, cloud: str) -> History:
    """The history of a seed on a cloud: always the same."""
    scenery = scenery_of(cloud)
    rng = Random(f"history {seed}")
    traits = scenery.draw_traits(rng)
    author = _Author(rng, scenery)
    steps: list[Step] = []
    for _ in range(rng.choice((5, 10, 20))):
        steps += author.next()
    _add_holders_of_names(seed, steps)
    _add_swaps(seed, steps)
    return History(seed=seed, cloud=cloud, traits=traits, steps=tuple(enumerate(steps)))


def _add_holders_of_names(seed: int, steps: list[Step]) -> None:
    """In a third of the histories there is more than one Conductor. They draw from a source of their own."""
    rng = Random(f"rivals {seed}")
    if rng.random() < _RIVALRY:
        for _ in range(rng.choice((1, 1, 2, 4))):
            stall = Stall(seconds=rng.choice((20.0, 60.0, 100.0, 150.0, 400.0)))
            place = rng.randint(1, len(steps))
            events: tuple[list[Step], ...] = ([Rival()], [stall], [stall, Pass(seconds=rng.choice(MOMENTS))])
            steps[place:place] = rng.choice(events)


def _add_swaps(seed: int, steps: list[Step]) -> None:
    """In some histories the credentials are swapped under Conductors that live. Drawn from a source of their own."""
    rng = Random(f"swaps {seed}")
    if rng.random() < _SWAPPING:
        for _ in range(rng.choice((1, 1, 2))):
            begin = rng.randint(1, len(steps))
            end = min(len(steps), begin + rng.choice((0, 1, 2, 4)))
            away: list[Step] = [Swap(account="other"), Pass(seconds=rng.choice(MOMENTS))]
            steps[begin:end] = [*away, *steps[begin:end], Swap(account="own")]


class _Author:
    """The author of one history. It knows only its steps, not their outcome."""

    def __init__(self, rng: Random, scenery: Scenery) -> None:
        self._rng = rng
        self._scenery = scenery
        self._aliases = ("p", "q") if rng.random() < 0.35 else ("p",)
        self._is_shared = rng.random() < 0.5
        self._last: dict[str, Composition] = {}
        # Some histories are about people, some about the cloud, some about crashes; most are about all of it.
        self._weights = [rng.choice((1, 1, 2, 5)) * weight for weight in (3, 3, 1, 4, 4, 1, 2, 1, 0.5)]

    def next(self) -> list[Step]:
        """One event, and most of the time some time after it."""
        rng = self._rng
        alias = rng.choice(self._aliases)
        if alias not in self._last:
            self._last[alias] = self._connected(alias, draw(rng, self._scenery.repertoire, alias))
            steps: list[Step] = [Submit(verb="run", alias=alias, composition=self._last[alias])]
        else:
            chosen = rng.choices(
                (
                    self._update,
                    self._order,
                    self._set,
                    self._strike,
                    self._fault,
                    self._store,
                    self._death,
                    self._rehearse,
                    self._fight,
                ),
                self._weights,
            )[0]
            steps = chosen(alias)
            if rng.random() < 0.05:
                steps.append(Submit(verb="run", alias=alias, composition=self._last[alias]))
        if rng.random() < 0.8:
            steps.append(self._pause(steps[-1]))
        return steps

    def _pause(self, after: Step) -> Pass:
        """Some time: seconds or minutes most of the time, hours or days where nothing is at work."""
        rng = self._rng
        is_at_rest = isinstance(after, Order) and after.verb == "suspend"
        if rng.random() < (0.5 if is_at_rest else 0.02):
            return Pass(seconds=rng.choice(_REST if is_at_rest else _HOURS))
        return Pass(seconds=rng.choice(MOMENTS))

    def _redrawn(self, alias: str) -> Composition:
        return self._connected(alias, redraw(self._rng, self._scenery.repertoire, alias, self._last[alias]))

    def _connected(self, alias: str, composition: Composition) -> Composition:
        """In some histories with two processes, the second one imports from the first."""
        if not self._is_shared or len(self._aliases) == 1:
            return composition
        connect = exporting if alias == self._aliases[0] else importing
        return connect(composition, self._scenery.repertoire)

    def _update(self, alias: str) -> list[Step]:
        self._last[alias] = self._redrawn(alias)
        return [Submit(verb="update", alias=alias, composition=self._last[alias])]

    def _order(self, alias: str) -> list[Step]:
        """A command; sometimes twice in a row, or by two people at once, or with a change of mind."""
        rng = self._rng
        verbs = ("suspend", "resume", "resume", "kill", "retry", "release")
        if rng.random() < 0.1:
            return [Together(first=rng.choice(verbs), second=rng.choice(verbs), alias=alias)]
        if rng.random() < 0.25:
            return self._change_of_mind(alias)
        verb = rng.choice(verbs)
        given = Order(verb=verb, alias=alias, keeps_tags=verb == "release" and rng.random() < 0.3)
        return [given, given] if rng.random() < 0.1 else [given]

    def _change_of_mind(self, alias: str) -> list[Step]:
        """Something is begun, stopped in its middle, left alone, and then taken back or gone on with."""
        rng = self._rng
        begun: list[Step] = [Order(verb="kill", alias=alias)] if rng.random() < 0.6 else self._update(alias)
        stopped: list[Step] = [Pass(seconds=rng.choice(MOMENTS[:7])), Order(verb="suspend", alias=alias)]
        paused: list[Step] = [Pass(seconds=rng.choice((*MOMENTS[:8], *_REST)))]
        back = rng.choice(("resume", "resume", "release", "kill", "update"))
        if back == "update":
            return [*begun, *stopped, *paused, *self._update(alias), Order(verb="resume", alias=alias)]
        return [*begun, *stopped, *paused, *self._rehearsed(back, alias)]

    def _rehearsed(self, verb: str, alias: str) -> list[Step]:
        """A command after its dry run: given, executed as a saved plan, or given without a dry run."""
        rng = self._rng
        dry_run, pause = Rehearse(verb=verb, alias=alias), Pass(seconds=rng.choice((*MOMENTS[:8], *_REST)))
        given: Step = Execute(alias=alias) if rng.random() < 0.3 else Order(verb=verb, alias=alias)
        ways: tuple[list[Step], ...] = ([dry_run, given], [dry_run, pause, given], [given])
        return rng.choice(ways)

    def _rehearse(self, alias: str) -> list[Step]:
        """A dry run; most of the time its plan is executed, or the command is given, sooner or later."""
        rng = self._rng
        verb, composition = rng.choice(("update", "update", "resume", "kill", "release")), None
        is_executed = rng.random() < 0.7
        if verb == "update":
            composition = self._redrawn(alias)
            self._last[alias] = composition if is_executed else self._last[alias]
        steps: list[Step] = [Rehearse(verb=verb, alias=alias, composition=composition)]
        if rng.random() < 0.3:
            steps.append(Pass(seconds=rng.choice(MOMENTS)))
        if not is_executed:
            return steps
        if rng.random() < 0.5:
            return [*steps, Execute(alias=alias)]
        if composition is not None:
            return [*steps, Submit(verb="update", alias=alias, composition=composition)]
        return [*steps, Order(verb=verb, alias=alias)]

    def _set(self, alias: str) -> list[Step]:
        rng = self._rng
        if rng.random() < 0.2:
            return [SetTempo(period_s=rng.choice((5.0, 15.0, 120.0)), patience_s=rng.choice((0.0, 60.0, 3600.0)))]
        key, value = rng.choice(("enforcement", "enforcement", "lock")), rng.choice(("on", "off"))
        until_s = rng.choice((2.9, 61.0)) if (key, value) == ("enforcement", "off") and rng.random() < 0.3 else None
        return [SetProperty(alias=alias, key=key, value=value, until_s=until_s)]

    def _strike(self, alias: str) -> list[Step]:
        rng, scenery = self._rng, self._scenery
        if rng.random() < 0.15:
            return [scenery.draw_add(rng)]
        act = rng.choice(("tamper", "tamper", "tamper", *(act for act in _ACTS if act in scenery.acts)))
        if act == "tamper":
            return [self._tamper(alias)]
        slot = rng.choice(scenery.filled if act == "fill" else sorted(scenery.repertoire.slots))
        if act == "vanish" and rng.random() < 0.15:
            slot = EVERYTHING
        return [Strike(act=act, alias=alias, logical_id=LogicalId(slot))]

    def _tamper(self, alias: str) -> Strike:
        slot, path, values = self._rng.choice(self._scenery.tampered)
        return Strike(act="tamper", alias=alias, logical_id=LogicalId(slot), path=path, value=self._rng.choice(values))

    def _fight(self, alias: str) -> list[Step]:
        """A fight: another user sets the same property back again and again."""
        turn: list[Step] = [self._tamper(alias), Pass(seconds=self._rng.choice((31.0, 64.0)))]
        return turn * self._rng.choice((3, 8, 15))

    def _fault(self, alias: str) -> list[Step]:
        return [self._scenery.draw_fault(self._rng)]

    def _store(self, alias: str) -> list[Step]:
        how = self._rng.choice(("down", "down", "unsure", "unreadable"))
        return [StoreDown(how=how, times=self._rng.choice((1, 2, 5, 20)))]

    def _death(self, alias: str) -> list[Step]:
        rng = self._rng
        if self._scenery.accounts and rng.random() < 0.1:
            wrong: list[Step] = [Enter(account="other"), Death(), Pass(seconds=rng.choice(MOMENTS))]
            return [*wrong, Enter(account="own"), Death()]
        operation = rng.choice(self._scenery.deaths)
        if operation == "now":
            return [Death()]
        most = {"commit": 40, "call": 12}.get(operation, 3)
        return [Death(blow=Blow(operation=operation, is_after=rng.random() < 0.5, count=rng.randint(1, most)))]
