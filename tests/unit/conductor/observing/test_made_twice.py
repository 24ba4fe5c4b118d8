"""Requests that arrive twice: what was refused because of itself, and what was made two times."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from tenuto.conductor.observing.sightings import Thing, are_told, duplicates_of
from tenuto.conductor.provider_phases.calls import ProviderCalls
from tenuto.conductor.provider_phases.create_conflicts import TAKEN, Standing, creating
from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.conductor.providing.requests import MaskedProvider, Requests
from tenuto.core.pacing.visibility import AWAIT, CREATE
from tenuto.errors import PermanentError, TransientError
from tenuto.model.attempt import UNREAD, UNTRIED, Attempt, AttemptState
from tenuto.model.composition import DeletionPolicy
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Condition, ObservedItem, Owner, Sweep
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.ports.observations import Observations
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto_testing.store_samples import an_object

HOME = Partition(account="1", region="here")
KIND = TypeName("T::A")
OURS, OTHER = ObjectId("ours"), ObjectId("other")


def item(physical_id: str, owner: str = "", condition: Condition = Condition.READY) -> ObservedItem:
    mark = Owner(fid=Fid("f"), logical_id=LogicalId("a"), object_id=ObjectId(owner)) if owner else None
    return ObservedItem(
        physical_id=PhysicalId(physical_id),
        properties={},
        attributes={"Id": physical_id},
        owner=mark,
        condition=condition,
    )


class Looked:
    """One sweep, or none."""

    def __init__(self, *items: ObservedItem, is_done: bool = True, known: str = "") -> None:
        found = {one.physical_id: one for one in items}
        duplicates = frozenset({PhysicalId(known)} if known else ())
        sweep = Sweep(partition=HOME, type=KIND, started_at=Instant(0), items=found, duplicates=duplicates)
        self.sweep = sweep if is_done else None

    def latest(self, provider: str, partition: Partition, type: TypeName) -> Sweep | None:  # noqa: A002
        return self.sweep


class Refusing:
    """A provider that refuses every creation, and finds what it is told to."""

    name = "p"

    def __init__(self, found: ObservedItem | Exception | None, code: str = TAKEN, *, is_unsent: bool = False) -> None:
        self.found = found
        self.code = code
        self.is_unsent = is_unsent
        self.claimed: list[str] = []
        self.calls = 0

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        self.calls += 1
        refused = Refused(message="no", code=self.code, is_unsent=self.is_unsent, request_id=f"r{self.calls}")
        return [refused for _ in requests]

    def claim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        self.claimed += [one.physical_id or "" for one in requests]
        return [Done(physical_id=one.physical_id) for one in requests]

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[ObservedItem | None]:
        if isinstance(self.found, Exception):
            raise self.found
        return [self.found for _ in requests]


def create(
    provider: Refusing,
    act: Attempt = UNTRIED,
    held: Mapping[Thing, ManagedObject] | None = None,
    *,
    before: Attempt = UNTRIED,
) -> Outcome:
    """The outcome of a creation with this attempt, which was as `before` when the run began."""
    request = Request(
        object_id=OURS,
        fid=Fid("f"),
        process_name="web",
        logical_id=LogicalId("a"),
        type=KIND,
        token=OURS,
        properties={},
    )
    asking = [cast("PhaseResource", Resource(None, act, before))]
    call = creating(cast("MaskedProvider", provider), asking, lambda _: held or {})
    [outcome] = call(HOME, [request])
    return outcome


def read_before(ended: ManagedObject) -> tuple[list[str], list[str]]:
    """The things that count as another's, and the waits, where a thing stands at the place of one that has ended."""
    slept: list[str] = []
    one = cast("PhaseResource", SimpleNamespace(object=an_object("b", type=KIND), act=UNTRIED))
    calls = SimpleNamespace(
        store=SimpleNamespace(objects=lambda fid: (ended,)),
        by_provider=lambda resources: [(Refusing(item("a-1")), resources)] if resources else [],
    )
    facts = ResourceType(name=KIND, provider="p", source="s", is_read_first=True)
    run = SimpleNamespace(partition=HOME, now=Instant(1000.0), sleep=lambda one, s, text, **more: slept.append(text))
    standing = Standing(cast("ProviderCalls", calls), cast("ProviderTypes", SimpleNamespace(facts=lambda found: facts)))
    found = standing.before(cast("PhaseRun", run), [one], cast("Requests", SimpleNamespace(of=lambda found: found)))
    return list(found.values()), slept


@pytest.mark.parametrize(
    ("ended_s", "had", "stood"),
    [(10.0, "a-1", None), (61.0, "a-1", "a-1"), (10.0, "a-2", "a-1")],
    ids=["ours a moment ago", "ours long ago", "never ours"],
)
def test_what_the_process_has_just_deleted_is_waited_for_and_is_not_taken_for_that_of_another(
    ended_s: float, had: str, stood: str | None
) -> None:
    ended = Instant(1000.0 - ended_s)
    gone = an_object(
        "o", type=KIND, physical_id=PhysicalId(had), state="Terminated", target="Terminated", moved_at=ended
    )
    found, slept = read_before(gone)
    assert found == ([] if stood is None else [stood])
    assert slept == (["a-1 is still shown, which this process has just deleted"] if stood is None else [])


@pytest.mark.parametrize(
    ("policy", "others"), [(DeletionPolicy.DELETE, [""]), (DeletionPolicy.RETAIN, ["a-1"])], ids=["taken back", "kept"]
)
def test_a_thing_that_a_release_let_go_of_is_taken_up_again_unless_its_policy_gave_it_away(
    policy: DeletionPolicy, others: list[str]
) -> None:
    let_go = an_object(
        "o",
        type=KIND,
        physical_id=PhysicalId("a-1"),
        state="Released",
        target="Released",
        moved_at=Instant(0.0),
        deletion_policy=policy,
    )
    assert read_before(let_go) == (others, [])


def test_what_exists_already_with_our_mark_was_made_by_this_creation() -> None:
    assert create(Refusing(item("a-1", OURS))) == Done(physical_id=PhysicalId("a-1"), attributes={"Id": "a-1"})


@pytest.mark.parametrize(
    ("found", "stood"),
    [
        (item("a-1", OTHER), ""),
        (item("a-1"), "a-1"),
        (item("a-1"), UNREAD),
        (None, ""),
        (PermanentError("no"), ""),
    ],
    ids=["marked by another", "stood before", "not read", "not found", "not answered"],
)
def test_what_exists_already_is_not_ours_without_a_sign_of_it(
    found: ObservedItem | Exception | None, stood: str
) -> None:
    assert isinstance(create(Refusing(found), Attempt(stood=stood)), Refused)


def test_what_carries_no_marks_is_ours_when_it_did_not_stand_before_the_call() -> None:
    provider = Refusing(item("a-1"))
    assert isinstance(create(provider), Done)
    assert provider.claimed == ["a-1"], "it gets a mark where it can carry one"


def test_a_refusal_before_anything_was_sent_is_never_our_own_doing() -> None:
    provider = Refusing(item("a-1"), is_unsent=True)
    assert isinstance(create(provider), Refused)
    assert provider.claimed == []


def test_what_an_earlier_attempt_may_have_made_is_ours_although_nothing_was_sent_now() -> None:
    doubted = Attempt(state=AttemptState.IN_DOUBT, sent_at=Instant(1), doubted_at=Instant(2))
    assert isinstance(create(Refusing(item("a-1"), is_unsent=True), doubted, before=doubted), Done)


@pytest.mark.parametrize(("fid", "whose"), [("f", "no: it is twin, which declares the same"), ("g", "process")])
def test_what_another_resource_has_is_not_ours(fid: str, whose: str) -> None:
    has = replace(Resource(None).object, object_id=OTHER, fid=Fid(fid), logical_id=LogicalId("twin"))
    refused = create(Refusing(item("a-1")), held={(KIND, PhysicalId("a-1")): has})
    assert isinstance(refused, Refused)
    assert (refused.code, whose in refused.message) == (TAKEN, True)
    assert ("twin" in refused.message, "Declare it once" in refused.hint) == (fid == "f", fid == "f")


def test_what_the_incarnation_before_has_is_not_called_declared_twice() -> None:
    before = replace(Resource(None).object, object_id=OTHER)
    refused = create(Refusing(item("a-1")), held={(KIND, PhysicalId("a-1")): before})
    assert refused == Refused(message="no", code=TAKEN, request_id="r1")


def test_a_look_up_that_fails_leaves_the_creation_in_doubt() -> None:
    outcome = create(Refusing(TransientError("no answer", code="NoAnswer")))
    assert isinstance(outcome, Pending)
    assert not outcome.is_undone


@pytest.mark.parametrize(("refusals", "kind"), [(1, Done), (3, Done), (4, Refused)])
def test_what_was_half_made_is_made_again_even_when_that_arrives_twice_too(refusals: int, kind: type[Outcome]) -> None:
    """A look-up that finds something useless takes it away, and finds nothing."""

    class HalfMade(Refusing):
        def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
            refused = super().create(partition, requests)
            return refused if self.calls <= refusals else [Done(physical_id=PhysicalId("a-9"))]

    assert isinstance(create(HalfMade(None)), kind)


def test_the_end_of_a_request_that_is_told_again_is_asked_for_once_more_only() -> None:
    """A request that goes on by itself is not sent again: its end is read again, and stays the same."""

    class Ended(Refusing):
        def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
            self.calls += 1
            return [Refused(message="no", code=self.code) for _ in requests]

    provider = Ended(None)
    assert isinstance(create(provider), Refused)
    assert provider.calls == 2


def test_another_refusal_is_not_looked_into() -> None:
    assert isinstance(create(Refusing(item("a-1", OURS), code="Other")), Refused)


class Run:
    """Of a run, what the search for duplicates reads."""

    partition = HOME

    def __init__(self, now: float) -> None:
        self.now = Instant(now)


class Resource:
    """A recorded incarnation, made at 0."""

    physical_id = PhysicalId("a-1")

    def __init__(self, awaited: PhaseEntry | None, act: Attempt = UNTRIED, before: Attempt = UNTRIED) -> None:
        self.act = act
        created = PhaseEntry(phase=CREATE, state="Allocation", status=PhaseStatus.SLEEPING, act=before)
        entries = {CREATE: created} | ({AWAIT: awaited} if awaited else {})
        self.object = replace(self._born, phases=entries)

    _born = ManagedObject(
        object_id=OURS,
        lifecycle="resource",
        type=KIND,
        provider="p",
        partition=HOME,
        fid=Fid("f"),
        logical_id=LogicalId("a"),
        state="Configuration",
        target="Started",
        created_at=Instant(0),
        moved_at=Instant(0),
        touched_at=Instant(0),
        physical_id=physical_id,
    )


def duplicates(
    *items: ObservedItem, now: float = 1.0, known: str = "", awaited: PhaseEntry | None = None
) -> Mapping[ObjectId, Sequence[str]]:
    resources = [cast("PhaseResource", Resource(awaited))]
    found = duplicates_of(cast("PhaseRun", Run(now)), resources, cast("Observations", Looked(*items, known=known)))
    return {object_id: [one.physical_id for one in those] for object_id, those in found.items()}


def test_a_twin_is_what_carries_the_mark_of_one_that_is_recorded_with_another_id() -> None:
    assert duplicates(item("a-1", OURS), item("a-2", OURS), item("a-3", OTHER), item("a-4")) == {OURS: ["a-2"]}


def test_a_twin_that_goes_already_is_left_to_go() -> None:
    assert duplicates(item("a-1", OURS), item("a-2", OURS, Condition.GOING)) == {}


def test_a_mark_that_turns_up_later_may_be_a_copy_and_is_left_alone() -> None:
    assert duplicates(item("a-1", OURS), item("a-2", OURS), now=3600.0) == {}


def test_a_twin_that_was_seen_in_time_is_known_as_one_for_ever() -> None:
    assert duplicates(item("a-1", OURS), item("a-2", OURS), item("a-3", OURS), now=3600.0, known="a-2") == {
        OURS: ["a-2"]
    }


@pytest.mark.parametrize(
    ("seen_at", "found"), [(None, {OURS: ["a-2"]}), (3599.0, {OURS: ["a-2"]}), (3500.0, {})], ids=str
)
def test_a_thing_is_young_until_a_minute_after_it_was_seen_for_the_first_time(
    seen_at: float | None, found: Mapping[ObjectId, Sequence[str]]
) -> None:
    """A sweep may take a minute by itself, or the Conductor stand still."""
    ended_at = None if seen_at is None else Instant(seen_at)
    entry = PhaseEntry(phase=AWAIT, state="Initialization", status=PhaseStatus.WAITING, ended_at=ended_at)
    assert duplicates(item("a-1", OURS), item("a-2", OURS), now=3600.0, awaited=entry) == found


@pytest.mark.parametrize(
    ("items", "is_whole", "now", "told"),
    [
        ((item("a-1", OURS), item("a-2", OURS)), True, 1.0, True),
        ((item("a-1", OURS),), False, 1.0, False),
        ((item("a-9"),), True, 1.0, False),
        ((), True, 3600.0, True),
    ],
    ids=["shown with all else", "shown by its id", "not shown", "not young"],
)
def test_only_a_sweep_of_everything_tells_that_a_young_thing_stands_alone(
    items: Sequence[ObservedItem], is_whole: bool, now: float, told: bool
) -> None:
    looked = Looked(*items)
    assert looked.sweep is not None
    looked.sweep = replace(looked.sweep, is_whole=is_whole)
    one = cast("PhaseResource", Resource(None))
    assert are_told(cast("PhaseRun", Run(now)), one, cast("Observations", looked)) is told
