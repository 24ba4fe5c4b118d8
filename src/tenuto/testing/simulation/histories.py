"""From a seed to one history: how the cloud behaves, and what happens to a Tenuto on it, step by step."""

from dataclasses import dataclass
from random import Random

from tenuto.core.visibility import VISIBILITY_S
from tenuto.model.composition import Composition
from tenuto.model.ids import Json, LogicalId
from tenuto.providers.simulated.cloud import Behaviour
from tenuto.providers.simulated.faults import WHOLE, Fault, FaultKind
from tenuto.providers.simulated.types import BUCKET, NETWORK
from tenuto.testing.mortality import Blow
from tenuto.testing.simulation.compositions import SLOTS, draw, redraw
from tenuto.testing.simulation.steps import (
    Add,
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
    Trouble,
)

MOMENTS = (0.0, 0.3, 1.0, 2.9, 5.0, 14.9, 16.0, 29.9, 31.0, 64.0, 200.0, 611.0)
"""Seconds between steps: around every time that the Conductor itself keeps, and long enough to come to rest."""
_VISIBLE_AFTER = (0.0, 0.0, 1.0, 5.0, 12.0, 31.0, VISIBILITY_S - 0.5)
"""A thing without a token that stays invisible for longer than `VISIBILITY_S` may exist twice when the answer to its
creation was lost (decision 6 of the kernel); nobody can know better."""
_TAMPERED: tuple[tuple[str, str, tuple[Json, ...]], ...] = (
    ("Net1", "Label", ("a stranger's", None)),
    ("Net1", "CidrBlock", ("10.1.0.0/17",)),
    ("Net2", "Tags", ([], [{"Key": "x", "Value": "y"}])),
    ("Sub1", "IsPublic", (True, False)),
    ("Sub2", "Tags", ([{"Key": "x", "Value": "y"}],)),
    ("Sub3", "Label", ("x",)),
    ("Grp1", "Ingress", ([{"Protocol": "all", "Cidr": "0.0.0.0/0"}], [])),
    ("Grp2", "Egress", ([],)),
    ("Grp3", "GuardId", (None,)),
    ("Srv1", "Size", ("small", "large", "huge")),
    ("Srv2", "GroupIds", ([],)),
    ("Srv3", "Image", ("img-9",)),
    ("Rul1", "Note", ("graffiti", None)),
    ("Adr1", "ServerId", (None,)),
    ("Adr2", "Tags", ([{"Key": "x", "Value": "y"}],)),
    ("Bkt1", "Versioning", (True, False)),
    ("Bkt2", "Name", ("renamed-by-a-stranger",)),
)
_RIVALRY = 1 / 3
"""The share of histories in which Conductors stand still, or find another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Everything that is decided before a run begins. `steps` keep their numbers when some are dropped."""

    seed: int
    behaviour: Behaviour
    steps: tuple[tuple[int, Step], ...]

    def only(self, numbers: frozenset[int]) -> "History":
        """The same history with these steps alone."""
        kept = tuple((number, step) for number, step in self.steps if number in numbers)
        return History(seed=self.seed, behaviour=self.behaviour, steps=kept)


def history(seed: int) -> History:
    """The history of a seed: always the same."""
    rng = Random(f"history {seed}")
    behaviour = Behaviour(honours_tokens=rng.random() < 0.5, visible_after_s=rng.choice(_VISIBLE_AFTER))
    author = _Author(rng)
    steps: list[Step] = []
    for _ in range(rng.choice((5, 10, 20))):
        steps += author.next()
    _add_rivals(seed, steps)
    return History(seed=seed, behaviour=behaviour, steps=tuple(enumerate(steps)))


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

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._aliases = ("p", "q") if rng.random() < 0.35 else ("p",)
        self._last: dict[str, Composition] = {}
        # Some histories are about people, some about the cloud, some about crashes; most are about all of it.
        self._weights = [rng.choice((1, 1, 2, 5)) * weight for weight in (3, 3, 1, 4, 4, 1, 2)]

    def next(self) -> list[Step]:
        """One event, and most of the time some time after it."""
        rng = self._rng
        alias = rng.choice(self._aliases)
        if alias not in self._last:
            self._last[alias] = draw(rng, alias)
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
        self._last[alias] = redraw(self._rng, alias, self._last[alias])
        return Submit(verb="update", alias=alias, composition=self._last[alias])

    def _order(self, alias: str) -> Step:
        return Order(verb=self._rng.choice(("suspend", "resume", "resume", "kill", "retry", "release")), alias=alias)

    def _set(self, alias: str) -> Step:
        key = self._rng.choice(("enforcement", "enforcement", "lock"))
        return SetProperty(alias=alias, key=key, value=self._rng.choice(("on", "off")))

    def _strike(self, alias: str) -> Step:
        rng = self._rng
        if rng.random() < 0.15:
            number = rng.randrange(100, 200)
            if rng.random() < 0.5:
                return Add(type=NETWORK, properties=(("CidrBlock", f"10.{number}.0.0/16"), ("Label", "not yours")))
            return Add(type=BUCKET, properties=(("Name", f"not-yours-{number}"),))
        act = rng.choice(("tamper", "tamper", "tamper", "vanish", "terminate", "break", "fill"))
        if act == "tamper":
            slot, path, values = rng.choice(_TAMPERED)
            return Strike(act=act, alias=alias, logical_id=LogicalId(slot), path=path, value=rng.choice(values))
        slot = rng.choice(("Bkt1", "Bkt2")) if act == "fill" else rng.choice(sorted(SLOTS))
        return Strike(act=act, alias=alias, logical_id=LogicalId(slot))

    def _fault(self, alias: str) -> Step:
        rng = self._rng
        kind = rng.choice(sorted(FaultKind))
        operations = ["create", "create", "modify", "delete"]
        if kind in WHOLE:
            operations += ["find", "sweep", "context"]
        operation = rng.choice(operations)
        kinds = sorted({name.rpartition("::")[2] for names in SLOTS.values() for name in names})
        subjects = ["*"] if operation in ("sweep", "context") else ["*", rng.choice(sorted(SLOTS)), rng.choice(kinds)]
        return Trouble(
            fault=Fault(
                kind=kind,
                operation=operation,
                subject=rng.choice(subjects),
                times=rng.choice((1, 1, 2, 5)),
                seconds=rng.choice((3.0, 30.0, 150.0)),
            )
        )

    def _store(self, alias: str) -> Step:
        return StoreDown(commits=self._rng.choice((1, 2, 5, 20)))

    def _death(self, alias: str) -> Step:
        rng = self._rng
        operation = rng.choice(("now", "commit", "commit", "commit", "create", "modify", "delete", "find"))
        if operation == "now":
            return Death()
        most = 40 if operation == "commit" else 3
        return Death(blow=Blow(operation=operation, is_after=rng.random() < 0.5, count=rng.randint(1, most)))
