"""From a seed to one history: how the cloud behaves, and what happens to a Tenuto on it, step by step."""

from dataclasses import dataclass, replace
from random import Random

from tenuto.model.composition import Composition
from tenuto.model.ids import LogicalId
from tenuto.testing.mortality import Blow
from tenuto.testing.simulation.compositions import draw, redraw
from tenuto.testing.simulation.sceneries import scenery_of
from tenuto.testing.simulation.scenery import Scenery, Traits
from tenuto.testing.simulation.steps import (
    Death,
    Order,
    Pass,
    Rival,
    SetProperty,
    Stall,
    Step,
    StoreDown,
    Strike,
    Submit,
)

MOMENTS = (0.0, 0.3, 1.0, 2.9, 5.0, 14.9, 16.0, 29.9, 31.0, 64.0, 200.0, 611.0)
"""Seconds between steps: around every time that the Conductor itself keeps, and long enough to come to rest."""
_ACTS = ("vanish", "terminate", "break", "fill")
_RIVALRY = 1 / 3
"""The share of histories in which Conductors stand still, or find another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Everything that is decided before a run begins. `steps` keep their numbers when some are dropped.

    What is left to chance in a step (the order of tasks, which are slow) follows from the seed and the step's number.
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
    _add_rivals(seed, steps)
    return History(seed=seed, cloud=cloud, traits=traits, steps=tuple(enumerate(steps)))


def _add_rivals(seed: int, steps: list[Step]) -> None:
    """In a third of the histories there is more than one Conductor. They draw from a source of their own."""
    rng = Random(f"rivals {seed}")
    if rng.random() < _RIVALRY:
        for _ in range(rng.choice((1, 1, 2, 4))):
            stall = Stall(seconds=rng.choice((20.0, 60.0, 100.0, 150.0, 400.0)))
            place = rng.randint(1, len(steps))
            events: tuple[list[Step], ...] = ([Rival()], [stall], [stall, Pass(seconds=rng.choice(MOMENTS))])
            steps[place:place] = rng.choice(events)


class _Author:
    """Writes one history. Knows only what it wrote, not what came of it."""

    def __init__(self, rng: Random, scenery: Scenery) -> None:
        self._rng = rng
        self._scenery = scenery
        self._aliases = ("p", "q") if rng.random() < 0.35 else ("p",)
        self._last: dict[str, Composition] = {}
        # Some histories are about people, some about the cloud, some about crashes; most are about all of it.
        self._weights = [rng.choice((1, 1, 2, 5)) * weight for weight in (3, 3, 1, 4, 4, 1, 2)]

    def next(self) -> list[Step]:
        """One event, and most of the time some time after it."""
        rng = self._rng
        alias = rng.choice(self._aliases)
        if alias not in self._last:
            self._last[alias] = draw(rng, self._scenery.repertoire, alias)
            steps: list[Step] = [Submit(verb="run", alias=alias, composition=self._last[alias])]
        else:
            chosen = rng.choices(
                (self._update, self._order, self._set, self._strike, self._fault, self._store, self._death),
                self._weights,
            )[0]
            steps = [chosen(alias)]
            if rng.random() < 0.05:
                steps.append(Submit(verb="run", alias=alias, composition=self._last[alias]))
        if rng.random() < 0.8:
            steps.append(Pass(seconds=rng.choice(MOMENTS)))
        return steps

    def _update(self, alias: str) -> Step:
        self._last[alias] = redraw(self._rng, self._scenery.repertoire, alias, self._last[alias])
        return Submit(verb="update", alias=alias, composition=self._last[alias])

    def _order(self, alias: str) -> Step:
        return Order(verb=self._rng.choice(("suspend", "resume", "resume", "kill", "retry", "release")), alias=alias)

    def _set(self, alias: str) -> Step:
        key = self._rng.choice(("enforcement", "enforcement", "lock"))
        return SetProperty(alias=alias, key=key, value=self._rng.choice(("on", "off")))

    def _strike(self, alias: str) -> Step:
        rng, scenery = self._rng, self._scenery
        if rng.random() < 0.15:
            return scenery.draw_add(rng)
        act = rng.choice(("tamper", "tamper", "tamper", *(act for act in _ACTS if act in scenery.acts)))
        if act == "tamper":
            slot, path, values = rng.choice(scenery.tampered)
            return Strike(act=act, alias=alias, logical_id=LogicalId(slot), path=path, value=rng.choice(values))
        slot = rng.choice(scenery.filled if act == "fill" else sorted(scenery.repertoire.slots))
        return Strike(act=act, alias=alias, logical_id=LogicalId(slot))

    def _fault(self, alias: str) -> Step:
        return self._scenery.draw_fault(self._rng)

    def _store(self, alias: str) -> Step:
        return StoreDown(commits=self._rng.choice((1, 2, 5, 20)))

    def _death(self, alias: str) -> Step:
        rng = self._rng
        operation = rng.choice(self._scenery.deaths)
        if operation == "now":
            return Death()
        most = {"commit": 40, "call": 12}.get(operation, 3)
        return Death(blow=Blow(operation=operation, is_after=rng.random() < 0.5, count=rng.randint(1, most)))
