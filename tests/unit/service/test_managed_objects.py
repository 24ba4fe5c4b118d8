"""Requests for objects: two at one moment, other writers, pages, and types that are gone."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import pytest
from front import Front

from tenuto.errors import NotAllowedError, NotFoundError, UserError
from tenuto.model.ids import ObjectId, TypeName
from tenuto.model.node import NODE_PLACE, NODE_TYPE
from tenuto.model.resource import Move
from tenuto.ports.store_changes import CreateObject, SaveObject, StoreChange
from tenuto.ports.store_claims import ObjectQuery
from tenuto.service.objects.managed_objects import ManagedObjects
from tenuto_testing.store_samples import an_object


class Meddler:
    """Object work in whose commits another request comes first, once."""

    def __init__(self, front: Front) -> None:
        self.inner = front.objects._work
        self.begin, self.head = self.inner.begin, self.inner.head
        self.first = lambda: None

    def commit(self, changes: Sequence[StoreChange]) -> None:
        first, self.first = self.first, lambda: None
        first()
        self.inner.commit(changes)


@pytest.fixture
def front() -> Front:
    return Front()


def meddled(front: Front) -> tuple[ManagedObjects, Meddler]:
    meddler = Meddler(front)
    types = front.objects.types()
    return (
        ManagedObjects(store=front.store, clock=front.clock, ids=front.ids, types=types, judges={}, work=meddler),
        meddler,
    )


def test_of_two_requests_for_one_name_the_second_is_refused(front: Front) -> None:
    objects, meddler = meddled(front)
    meddler.first = lambda: front.objects.create("artifact", "base") and None
    with pytest.raises(NotAllowedError, match="belongs to Simulated::Artifact base"):
        objects.create("artifact", "base")
    assert len(front.objects.page(ObjectQuery()).items) == 1


def test_a_short_name_of_a_type_finds_the_objects_of_each_provider_that_offers_it(front: Front) -> None:
    (kind,) = (one for one in front.objects.types() if one.name == "Simulated::Namespace")
    other = replace(kind, name=TypeName("Acme::Namespace"))
    objects = ManagedObjects(
        store=front.store, clock=front.clock, ids=front.ids, types=(kind, other), judges={}, work=front.objects._work
    )
    with pytest.raises(UserError, match="'tenuto object create Simulated::Namespace'"):
        objects.create("namespace", "red")
    made = [objects.create(name, called) for name, called in ((kind.name, "red"), (other.name, "blue"))]
    assert {one.object_id for one in objects.page(ObjectQuery(types=(TypeName("namespace"),))).items} == {
        one.item.object_id for one in made
    }
    assert objects.find("blue", "namespace").type == other.name
    with pytest.raises(NotFoundError, match="of the type Acme::Namespace or Simulated::Namespace"):
        objects.find("green", "namespace")


def test_many_threads_want_one_name_and_one_gets_it(front: Front) -> None:
    made: list[str] = []

    def ask() -> None:
        with suppress(NotAllowedError):
            made.append(front.objects.create("namespace", "red").item.object_id)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert [one.object_id for one in front.objects.page(ObjectQuery(live=True)).items] == made


def test_an_object_that_is_needed_since_it_was_looked_up_stays(front: Front) -> None:
    objects, meddler = meddled(front)
    objects.create("namespace", "red")
    meddler.first = lambda: front.objects.create("artifact", "base", fields={"Namespace": "red"}) and None
    with pytest.raises(NotAllowedError, match="still needed by Simulated::Artifact base"):
        objects.delete("red")
    assert front.objects.show("red").item.state == "created"


def test_a_deletion_that_lost_against_another_writer_is_tried_again(front: Front) -> None:
    objects, meddler = meddled(front)
    objects.create("namespace", "red")
    meddler.first = lambda: front.objects.tag("red", {"a": "b"}) and None
    assert objects.delete("red").item.state == "deleted"


def test_a_tag_that_another_writer_set_is_kept(front: Front) -> None:
    objects, meddler = meddled(front)
    objects.create("namespace", "red")
    meddler.first = lambda: front.objects.tag("red", {"a": "1"}) and None
    assert objects.tag("red", {"b": "2"}).item.desired["Tags"] == {"a": "1", "b": "2"}


def test_a_deletion_twice_is_one(front: Front) -> None:
    made = front.objects.create("namespace", "red").item
    first = front.objects.delete("red").item
    assert front.objects.delete(made.object_id).item == first


def test_pages_go_on_where_they_end(front: Front) -> None:
    made = sorted(front.objects.create("blob").item.object_id for _ in range(5))
    first = front.objects.page(ObjectQuery(limit=3))
    assert first.next == made[2]
    rest = front.objects.page(ObjectQuery(limit=3, after=first.next or ""))
    assert [one.object_id for one in (*first.items, *rest.items)] == made
    assert rest.next is None


def test_conductor_nodes_are_no_objects_of_requests(front: Front) -> None:
    states = {"state": "created", "target": "created"}
    node = an_object("node:a", None, lifecycle="node", type=NODE_TYPE, partition=NODE_PLACE, **states)
    front.store.commit([CreateObject(object=node, actor="a")])
    assert front.objects.page(ObjectQuery()).items == ()
    for reference in ("node:a", "Lnode:a"):
        with pytest.raises(NotFoundError):
            front.objects.show(reference)


def test_an_object_outlives_its_type_and_is_not_deleted_without_what_takes_it_down(front: Front) -> None:
    front.objects.create("namespace", "red")
    objects = ManagedObjects(
        store=front.store, clock=front.clock, ids=front.ids, types=(), judges={}, work=front.objects._work
    )
    assert objects.show("red").type is None
    with pytest.raises(NotAllowedError, match="Start the Conductor with '--provider simulated'"):
        objects.delete("red")
    assert front.objects.show("red").item.target == "created"
    with pytest.raises(UserError, match="no provider of this Conductor offers any"):
        objects.create("namespace", "blue")


def test_a_field_names_an_object_of_its_own_account_first(front: Front) -> None:
    front.objects.create("namespace", "red")
    with pytest.raises(UserError, match="no live Simulated::Blob"):
        front.objects.create("artifact", "base", fields={"Blob": "red"})
    blob = front.objects.create("blob").item
    made = front.objects.create("artifact", "base", fields={"Blob": blob.object_id})
    assert [one.to_id for one, _ in made.needs] == [blob.object_id]
    assert front.store.users_of(ObjectId(blob.object_id), 5)[0].object_id == made.item.object_id


def test_the_beginning_of_an_id_is_enough_where_one_live_object_has_it(front: Front) -> None:
    ids = ("0b1d5f3a-6c1e-4b5e-9f53-0a8d3f6f2c01", "0b1d5f3a-7c1e-4b5e-9f53-0a8d3f6f2c02", "0b1d5f3b-0000")
    for number, name in enumerate(ids):
        front.store.commit([CreateObject(object=an_object(name, fid=None, logical_id=f"n{number}"), actor="ann")])
    assert front.objects.find("0b1d5f3a-6").object_id == ids[0]
    with pytest.raises(UserError, match=f"Several ids begin with '0b1d5f3a': {ids[0]}, {ids[1]}"):
        front.objects.find("0b1d5f3a")
    for wrong in ("0b1d5f3", "0b1d5f3c", "0b1d5f3a-6c1e-4b5e-9f53-0a8d3f6f2c01x"):
        with pytest.raises(NotFoundError):
            front.objects.find(wrong)
    with pytest.raises(NotFoundError):
        front.objects.find("0b1d5f3a-6", is_seen=lambda _: False)


def test_the_beginning_of_an_id_finds_an_object_that_ended_unless_a_live_one_has_it_too(front: Front) -> None:
    old, live = "0b1d5f3a-6c1e-4b5e-9f53-0a8d3f6f2c01", "0b1d5f3a-7c1e-4b5e-9f53-0a8d3f6f2c02"
    ended = an_object(old, fid=None, logical_id="old")
    front.store.commit([CreateObject(object=ended, actor="ann")])
    front.store.commit(
        [
            SaveObject(
                object=replace(ended, state="Terminated", target="Terminated"),
                expected_generation=ended.generation,
                moves=(Move(before=ended.state, after="Terminated", at=ended.moved_at, actor="ann"),),
            )
        ]
    )
    assert front.objects.find("0b1d5f3a").object_id == old
    assert [one.text for one in front.store.find("0b1d5f3a", 9)] == [old]
    assert front.store.find("0b1d5f3", 9) == ()
    front.store.commit([CreateObject(object=an_object(live, fid=None, logical_id="new"), actor="ann")])
    assert front.objects.find("0b1d5f3a").object_id == live
