"""The existing things, in one set of tables for each account and region, as they are and as they were a moment ago.

Theory of operation. A thing *is* its answer: its data has the shape in which AWS shows it, and each change of the data
goes through `edit`, which drops the text that was rendered from it. Facts that no answer shows are beside it, in
`hidden`.

AWS shows its world late. So a table can be read as of an earlier moment (a horizon): a thing that was made since is
missing, one that was changed since looks as before, one that was deleted since is still there. Old data is kept only as
long as some horizon can reach it; where there is no lag, nothing is copied at all.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

Data = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of thing: EC2's word for it, the prefix of its ids, and how AWS says that there is no such one."""

    name: str
    prefix: str
    id_name: str
    not_found: str
    malformed: str = ""
    noun: str = ""
    tags_name: str = "Tags"
    """Where its data has the tags: network interfaces alone call them otherwise."""


class Thing:
    """One thing. `parents` are the ids of the things that it lies in or hangs on."""

    __slots__ = ("data", "gone_at", "hidden", "id", "kind", "made_at", "parents", "past", "serial", "texts")

    def __init__(self, kind: Kind, thing_id: str, data: Data, hidden: Data, made_at: float, serial: int) -> None:
        self.kind = kind
        self.id = thing_id
        self.data = data
        self.hidden = hidden
        self.made_at = made_at
        self.serial = serial
        self.parents: tuple[str, ...] = ()
        self.gone_at: float | None = None
        self.past: list[tuple[float, Data]] = []
        self.texts: dict[str, str] = {}

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def get(self, name: str) -> Any:
        return self.data.get(name)

    def tags(self) -> list[Data]:
        found: list[Data] = self.data.get(self.kind.tags_name) or []
        return found


@dataclass(frozen=True, slots=True)
class View:
    """A thing as it looked at a horizon. Renders like the thing did then."""

    thing: Thing
    data: Data

    @property
    def texts(self) -> dict[str, str]:
        return self.thing.texts if self.data is self.thing.data else {}


@dataclass(frozen=True, slots=True)
class Horizon:
    """The moments up to which a caller sees: things made until `new`, and changes and deletions until `changed`."""

    new: float
    changed: float


class Table:
    """All things of one kind in one place, in the order of their making."""

    def __init__(self) -> None:
        self.things: dict[str, Thing] = {}
        self.ghosts: list[Thing] = []
        self._within: dict[str, dict[str, Thing]] = {}

    def add(self, thing: Thing, parents: tuple[str, ...]) -> None:
        self.things[thing.id] = thing
        self.move(thing, parents)

    def move(self, thing: Thing, parents: tuple[str, ...]) -> None:
        for parent in thing.parents:
            self._within[parent].pop(thing.id, None)
        thing.parents = parents
        for parent in parents:
            self._within.setdefault(parent, {})[thing.id] = thing

    def drop(self, thing: Thing) -> None:
        self.move(thing, ())
        del self.things[thing.id]

    def within(self, parent: str) -> list[Thing]:
        return list(self._within.get(parent, {}).values())


class Place:
    """One account in one region. `memory_s` is how late changes can be seen."""

    def __init__(self, account: str, region: str, memory_s: float) -> None:
        self.account = account
        self.region = region
        self.memory_s = memory_s
        self.requests: dict[str, Data] = {}
        """The last event of each request of Cloud Control, by token."""
        self._tables: dict[str, Table] = {}
        self._serial = 0

    def table(self, kind: Kind) -> Table:
        found = self._tables.get(kind.name)
        if found is None:
            found = self._tables[kind.name] = Table()
        return found

    def tables(self) -> Iterator[Table]:
        yield from self._tables.values()

    def add(self, thing: Thing, parents: tuple[str, ...]) -> Thing:
        self._serial += 1
        thing.serial = self._serial
        self.table(thing.kind).add(thing, parents)
        return thing

    def edit(self, thing: Thing, now: float) -> Data:
        """The data of a thing, to be changed; how it looked until now is kept as long as it can be seen."""
        if self.memory_s:
            thing.past = [(until, data) for until, data in thing.past if until > now - self.memory_s]
            thing.past.append((now, deepcopy(thing.data)))
        thing.texts.clear()
        return thing.data

    def remove(self, thing: Thing, now: float) -> None:
        table = self.table(thing.kind)
        table.drop(thing)
        if self.memory_s:
            thing.gone_at = now
            table.ghosts = [one for one in table.ghosts if (one.gone_at or 0.0) > now - self.memory_s]
            table.ghosts.append(thing)

    def seen(self, kind: Kind, horizon: Horizon) -> Iterator[View]:
        """The things of a kind as they can be seen."""
        table = self.table(kind)
        for thing in (*table.things.values(), *table.ghosts):
            if _is_seen(thing, horizon):
                yield View(thing, _as_of(thing, horizon))

    def sight(self, kind: Kind, thing_id: str, horizon: Horizon) -> View | None:
        """One thing as it can be seen; None when it cannot."""
        table = self.table(kind)
        thing = table.things.get(thing_id) or next((one for one in table.ghosts if one.id == thing_id), None)
        return View(thing, _as_of(thing, horizon)) if thing is not None and _is_seen(thing, horizon) else None


def _is_seen(thing: Thing, horizon: Horizon) -> bool:
    return thing.made_at <= horizon.new and (thing.gone_at is None or thing.gone_at > horizon.changed)


def _as_of(thing: Thing, horizon: Horizon) -> Data:
    return next((data for until, data in thing.past if until > horizon.changed), thing.data)
