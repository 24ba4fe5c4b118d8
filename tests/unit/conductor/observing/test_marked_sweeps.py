"""What is remembered of marks from sweep to sweep."""

from collections.abc import Sequence
from dataclasses import replace

from tenuto.conductor.observing.marked import MOST, ConductorMarks, Marked
from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.errors import PermanentError, StoreUnavailableError
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem, Owner, Sweep
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ids import SeededIds

HOME = Partition(account="1", region="here")
KIND = TypeName("T::A")
MARK = Owner(fid=Fid("f"), logical_id=LogicalId("a"), object_id=ObjectId("o"))


class Shelf:
    """A store that counts how often it is asked."""

    def __init__(self, *objects: ManagedObject, is_down: bool = False) -> None:
        self.objects = objects
        self.asked = 0
        self.is_down = is_down

    def selected(self, object_ids: Sequence[ObjectId]) -> tuple[ManagedObject, ...]:
        self.asked += 1
        if self.is_down:
            raise StoreUnavailableError("the disk cannot be read")
        return tuple(one for one in self.objects if one.object_id in object_ids)


def recorded(name: str) -> dict[TypeName, dict[PhysicalId, ManagedObject]]:
    found = ManagedObject(
        object_id=ObjectId("recorded"),
        lifecycle="resource",
        type=KIND,
        provider="p",
        partition=HOME,
        fid=Fid("f"),
        logical_id=LogicalId("a"),
        state="Started",
        target="Started",
        created_at=Instant(0.0),
        moved_at=Instant(0.0),
        touched_at=Instant(0.0),
        physical_id=PhysicalId(name),
    )
    return {KIND: {PhysicalId(name): found}}


def swept(*names: str, is_whole: bool = True) -> dict[TypeName, Sweep]:
    items = {PhysicalId(name): ObservedItem(physical_id=PhysicalId(name), properties={}, owner=MARK) for name in names}
    return {KIND: Sweep(partition=HOME, type=KIND, started_at=Instant(9.0), items=items, is_whole=is_whole)}


def names(marked: Marked, fid: str | None = None) -> list[str]:
    return [one.physical_id for one in marked.things(Fid(fid) if fid else None)]


def test_a_whole_sweep_says_what_is_there_and_what_is_not() -> None:
    marked = Marked(Shelf())  # type: ignore[arg-type]
    marked.note("p", swept("y", "x"), {})
    assert (names(marked), names(marked, "f"), names(marked, "g")) == (["x", "y"], ["x", "y"], [])
    marked.note("p", swept("y"), {})
    assert names(marked) == ["y"]


def test_a_sweep_by_id_takes_away_only_what_is_recorded_by_now() -> None:
    marked = Marked(Shelf())  # type: ignore[arg-type]
    marked.note("p", swept("x", "y"), {})
    marked.note("p", swept("x", is_whole=False), recorded("x"))
    assert names(marked) == ["y"]


def test_the_store_is_not_asked_while_everything_marked_is_recorded() -> None:
    shelf = Shelf()
    Marked(shelf).note("p", swept("x"), recorded("x"))  # type: ignore[arg-type]
    assert shelf.asked == 0


def test_a_store_that_cannot_be_read_changes_nothing_that_is_remembered() -> None:
    shelf = Shelf()
    marked = Marked(shelf)  # type: ignore[arg-type]
    marked.note("p", swept("x"), {})
    shelf.is_down = True
    marked.note("p", swept("y"), {})
    assert names(marked) == ["x"]


def test_what_is_forgotten_is_gone_until_it_is_seen_again() -> None:
    marked = Marked(Shelf())  # type: ignore[arg-type]
    marked.note("p", swept("x"), {})
    [thing] = marked.things()
    marked.forget(thing)
    marked.forget(replace(thing, type=TypeName("T::B")))
    assert names(marked) == []


def test_a_bounded_number_is_remembered() -> None:
    marked = Marked(Shelf())  # type: ignore[arg-type]
    marked.note("p", swept(*(f"x-{number:05d}" for number in range(MOST + 5))), {})
    assert len(names(marked)) == MOST


class Unreadable:
    """Sweeps that all fail. Counts them."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def refresh(self, provider: str, partition: Partition, types: Sequence[TypeName], *_: object, **__: object) -> None:
        [name] = types
        self.asked.append(name)
        raise PermanentError(f"cannot observe {name}", code="NotImplemented")


SOURCES = {"T::A": "both", "T::B": "both", "T::C": "alone"}
"""Of three types, two are swept together."""
TYPES = {
    TypeName(name): ResourceType(name=TypeName(name), provider="p", source=source) for name, source in SOURCES.items()
}


def test_a_source_that_cannot_be_read_is_asked_once_for_all_its_types() -> None:
    sweeps = Unreadable()
    marks = ConductorMarks(
        marked=Marked(Shelf()),  # type: ignore[arg-type]
        reflector=sweeps,  # type: ignore[arg-type]
        providers={},
        types=ProviderTypes({"p": TYPES}),
        clock=VirtualClock(),
        ids=SeededIds("marks"),
    )
    assert marks.sweep(HOME) == ("cannot observe T::A", "cannot observe T::C")
    assert sweeps.asked == ["T::A", "T::C"]
