"""The duties of every store towards claims, relations and objects without a process."""

from dataclasses import replace
from typing import Any

from tenuto.errors import BugError, ConflictError
from tenuto.model.claim import Claim, HeldClaim, Relation
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, LogicalId, ObjectId, Partition, TypeName
from tenuto.model.resource import ManagedObject
from tenuto.model.retention import Remnant
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append, CreateObject, CreateProcess, SaveObject
from tenuto.ports.store_claims import Dangling, ExpectUnused, ObjectQuery, SaveClaims, SaveRelations
from tenuto.ports.store_reads import EventQuery
from tenuto.ports.store_retention import RemoveExpired
from tenuto_testing.store_bench import raises, unchanged
from tenuto_testing.store_samples import a_move, a_process, an_object

NAME = Claim(space="artifact name in red", key="base")
HELD = Claim(space="address", key="10.0.0.5", halo_s=60.0)
NOW = Instant(200.0)


def a_claim_has_one_holder_and_names_it(store: Store) -> None:
    store.commit([_born("a"), _taken("a", NAME), _born("b")])
    with unchanged(store):
        error = raises((ConflictError,), store, [_born("c"), _taken("b", NAME)])
    assert "La" in str(error)
    assert "(a)" in str(error)
    assert store.claim(NAME.space, NAME.key) == HeldClaim(claim=NAME, object_id=ObjectId("a"))
    store.commit([_taken("a", NAME), _taken("b", replace(NAME, key="other"))])
    assert [one.claim for one in store.claims_of(ObjectId("b"))] == [replace(NAME, key="other")]


def a_claim_that_is_dropped_is_free_at_once_without_a_halo(store: Store) -> None:
    store.commit([_born("a"), _taken("a", NAME), _born("b")])
    store.commit([SaveClaims(object_id=ObjectId("a"), at=NOW, dropped=(NAME,)), _taken("b", NAME)])
    held = store.claim(NAME.space, NAME.key)
    assert held is not None
    assert held.object_id == "b"
    store.commit([SaveClaims(object_id=ObjectId("a"), at=NOW, dropped=(NAME,))])
    assert store.claim(NAME.space, NAME.key) == held


def a_claim_with_a_halo_is_reserved_until_it_is_over(store: Store) -> None:
    store.commit([_born("a"), _taken("a", HELD), _born("b")])
    store.commit([SaveClaims(object_id=ObjectId("a"), at=NOW, dropped=(HELD,))])
    assert store.claim(HELD.space, HELD.key) == HeldClaim(
        claim=HELD, object_id=ObjectId("a"), free_at=Instant(NOW + 60.0)
    )
    raises((ConflictError,), store, [_taken("b", HELD, at=NOW + 59.0)])
    store.commit([_taken("b", HELD, at=NOW + 60.0)])
    assert store.claims_of(ObjectId("a")) == ()


def the_end_of_an_object_frees_what_it_holds(store: Store) -> None:
    store.commit([_born("a"), _taken("a", NAME, HELD), _born("b"), _related("a", "uses", "b")])
    store.commit([_ended("a")])
    assert store.claim(NAME.space, NAME.key) is None
    assert [one.free_at for one in store.claims_of(ObjectId("a"))] == [Instant(NOW + 60.0)]
    assert store.relations_of(ObjectId("a")) == ()
    store.commit([_born("c"), _taken("c", NAME)])
    raises((BugError,), store, [_taken("a", NAME)])


def a_second_holder_in_the_commit_of_the_end_of_the_first_is_fine(store: Store) -> None:
    store.commit([_born("a"), _taken("a", NAME), _born("b")])
    store.commit([_ended("a"), _taken("b", NAME)])
    assert [one.claim for one in store.claims_of(ObjectId("b"))] == [NAME]


def what_others_need_is_not_deleted(store: Store) -> None:
    store.commit([_born("a"), _born("b"), _related("a", "parent", "b"), _related("a", "uses", "b")])
    store.commit([_related("a", "uses", "b")])
    relations = tuple(Relation(from_id=ObjectId("a"), role=role, to_id=ObjectId("b")) for role in ("parent", "uses"))
    assert store.relations_of(ObjectId("a")) == relations
    assert [one.object_id for one in store.users_of(ObjectId("b"), 10)] == ["a"]
    error = raises((ConflictError,), store, [ExpectUnused(object_id=ObjectId("b")), _ended("b")])
    assert "La" in str(error)
    store.commit([SaveRelations(object_id=ObjectId("a"), dropped=relations)])
    store.commit([ExpectUnused(object_id=ObjectId("b")), _ended("b")])


def nothing_new_needs_what_is_gone_or_on_its_way(store: Store) -> None:
    leaving = an_object("b", None, target="Terminated")
    store.commit([_born("a"), CreateObject(object=leaving, actor="tester"), _born("c")])
    for target in ("b", "nothing"):
        raises((ConflictError,), store, [_related("a", "uses", target)])
    store.commit([_ended("c")])
    raises((ConflictError,), store, [_related("a", "uses", "c")])
    raises((BugError,), store, [_taken("nobody", NAME)])
    raises((BugError,), store, [_related("c", "uses", "a")])


def an_audit_finds_what_nothing_lives_for(store: Store) -> None:
    store.commit([_born("a"), _taken("a", NAME, HELD), _born("b"), _related("a", "uses", "b")])
    assert store.dangling(10) == Dangling()
    store.commit([_ended("b")])
    relation = Relation(from_id=ObjectId("a"), role="uses", to_id=ObjectId("b"))
    assert store.dangling(10) == Dangling(relations=(relation,))
    assert store.dangling(0) == Dangling()
    store.commit([_ended("a")])
    assert store.dangling(10) == Dangling()


def objects_without_a_process_come_in_pages(store: Store) -> None:
    blob, here = TypeName("Simulated::Blob"), Partition(account="red", region="a")
    store.commit([_born("a"), _born("b", type=blob), _born("c", partition=here), _born("d", logical_id="La")])
    store.commit([_ended("c", partition=here)])
    assert _ids(store, ObjectQuery()) == ["a", "b", "c", "d"]
    assert _ids(store, ObjectQuery(after="b", limit=1)) == ["c"]
    assert _ids(store, ObjectQuery(types=(blob,))) == ["b"]
    assert _ids(store, ObjectQuery(live=True)) == ["a", "b", "d"]
    assert _ids(store, ObjectQuery(states=("Terminated",))) == ["c"]
    assert _ids(store, ObjectQuery(account="red")) == ["c"]
    assert _ids(store, ObjectQuery(name="La")) == ["a", "d"]
    assert _ids(store, ObjectQuery(name="La", after="a")) == ["d"]


def events_are_found_by_object(store: Store) -> None:
    store.commit([_born("a"), _born("b")])
    store.commit([_ended("a")])
    found = store.events(EventQuery(object_id=ObjectId("a")))
    assert [(one.before, one.after) for one in found] == [("nothing", "Validation"), ("Validation", "Terminated")]


def events_are_found_by_an_object_of_a_process(store: Store) -> None:
    """Also those that a provider or a phase told of it, and none of another object of the process."""
    process, item, other = a_process(), an_object(), an_object("obj-2", logical_id=LogicalId("Other"))
    born = [CreateObject(object=one, actor="tester") for one in (item, other)]
    store.commit([CreateProcess(process=process, actor="tester"), *born])
    told = Event(at=NOW, type=EventType.DRIFT_FOUND, fid=process.fid, object_id=item.object_id, subject="Net")
    store.commit([Append(events=(told,))])
    found = store.events(EventQuery(object_id=item.object_id))
    assert [(one.fid, one.type, one.after) for one in found] == [
        (process.fid, EventType.OBJECT_STATE, item.state),
        (process.fid, EventType.DRIFT_FOUND, ""),
    ]
    assert store.events(EventQuery(object_id=item.object_id, types=(EventType.DRIFT_FOUND.value,))) == found[1:]


def reservations_that_are_over_go_with_removed_objects(store: Store) -> None:
    store.commit([_born("a"), _taken("a", HELD), _born("b"), _taken("b", replace(HELD, key="10.0.0.6", halo_s=9e9))])
    store.commit([_ended("a"), _ended("b")])
    before, later = Instant(NOW + 100.0), Instant(NOW + 200.0)
    expired = store.expired(Remnant.OBJECT, before, 10)
    store.commit([RemoveExpired(kind=Remnant.OBJECT, before=before, expired=expired, at=later)])
    assert store.claim(HELD.space, "10.0.0.5") is None
    assert store.claim(HELD.space, "10.0.0.6") is not None
    assert store.dangling(10) == Dangling()


def _born(name: str, **changes: Any) -> CreateObject:
    return CreateObject(object=_object(name, **changes), actor="tester")


def _object(name: str, **changes: Any) -> ManagedObject:
    return an_object(name, None, **({"logical_id": LogicalId(f"L{name}")} | changes))


def _ended(name: str, **changes: Any) -> SaveObject:
    item = _object(name, **changes)
    ended = replace(item, state="Terminated", target="Terminated", moved_at=NOW)
    return SaveObject(object=ended, expected_generation=1, moves=(a_move("Validation", "Terminated"),))


def _taken(name: str, *claims: Claim, at: float = NOW) -> SaveClaims:
    return SaveClaims(object_id=ObjectId(name), at=Instant(at), claimed=claims)


def _related(name: str, role: str, to: str) -> SaveRelations:
    relation = Relation(from_id=ObjectId(name), role=role, to_id=ObjectId(to))
    return SaveRelations(object_id=ObjectId(name), saved=(relation,))


def _ids(store: Store, query: ObjectQuery) -> list[str]:
    return [one.object_id for one in store.object_page(query)]
