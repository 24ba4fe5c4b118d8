"""A database that is older than the cloud: what was made since carries our marks, and is not known."""

from dataclasses import replace

import pytest
from web_world import HOME, WebWorld, composed, declare, web

from tenuto.compositions.documents.document import to_document
from tenuto.core.reports.unconverged import Why
from tenuto.errors import NotAdoptableError, NotAllowedError, NotFoundError, NotThereError, UserError
from tenuto.model.composition import Composition
from tenuto.model.event import EventType
from tenuto.model.ids import TypeName
from tenuto.ports.store_reads import EventQuery
from tenuto.service.intake.composition import Submission
from tenuto.service.views.process_view import process_detail_document
from tenuto.storage.sqlite.memory import MemoryStore


def copy_of(store: MemoryStore) -> MemoryStore:
    """A backup of the database as it is now."""
    copied = MemoryStore()
    pages = store._database._connection.serialize()  # type: ignore[attr-defined]
    copied._database._connection.deserialize(pages)  # type: ignore[attr-defined]
    return copied


class RestoredWorld(WebWorld):
    """A world whose database can be put back to an earlier moment, while the cloud stays as it is."""

    backup: MemoryStore

    def back_up(self) -> None:
        assert isinstance(self.store, MemoryStore)
        self.backup = copy_of(self.store)

    def restore(self) -> None:
        """The Conductor is stopped, the backup takes the place of the database, and another Conductor starts."""
        self.store = self.backup
        self.crash("restored")

    def owned(self) -> dict[str, list[str]]:
        """The things with marks in the cloud, by logical id."""
        found: dict[str, list[str]] = {}
        now = self.clock.now()
        for thing in self.cloud.things():
            if thing.owner is not None and thing.is_standing(now):
                found.setdefault(thing.owner.logical_id, []).append(thing.physical_id)
        return found


def with_third() -> Composition:
    """The web with a third subnet."""
    third = declare("Third", "Subnet", ("Net",), NetworkId={"Ref": "Net"}, CidrBlock="10.0.3.0/24")
    return composed(*web().resources, third)


def moved() -> Composition:
    """The web whose right subnet has another range, so that it is replaced."""
    right = declare("Right", "Subnet", ("Net",), NetworkId={"Ref": "Net"}, CidrBlock="10.0.9.0/24")
    return composed(*(right if one.logical_id == "Right" else one for one in web().resources))


def only_net() -> Composition:
    return composed(declare("Net", "Network", CidrBlock="10.8.0.0/16"))


def submission_of(composition: Composition) -> Submission:
    return Submission(document=to_document(composition), secrets={})


@pytest.fixture
def world() -> RestoredWorld:
    world = RestoredWorld()
    world.run()
    world.settled()
    world.advance(120)
    world.back_up()
    return world


def test_what_was_made_after_the_backup_is_told(world: RestoredWorld) -> None:
    world.update(with_third())
    world.settled()
    third = world.physical("Third")
    world.restore()
    world.advance(60)
    [thing] = world.system.marks.things(world.process().fid)
    assert (thing.physical_id, thing.owner.logical_id, thing.why) == (third, "Third", "no object")


def test_a_replaced_resource_is_held_and_not_made_a_second_time(world: RestoredWorld) -> None:
    world.update(moved())
    world.settled()
    new = world.physical("Right")
    world.restore()
    old = world.physical("Right")
    writes = world.writes()
    world.advance(300)
    assert world.writes() == writes
    assert world.owned()["Right"] == [new]
    process = world.process()
    assert (process.state, process.converged_at) == ("Running", None)
    message = process.last_message
    for text in (new, old, f"'tenuto doctor web --adopt {new}'", f"'tenuto doctor web --delete {new}'"):
        assert text in message
    jobs = world.store.history(process.fid).jobs
    world.advance(300)
    assert world.store.history(process.fid).jobs == jobs, "told once"


def test_an_adopted_thing_is_managed_again_in_place_of_the_one_that_is_gone(world: RestoredWorld) -> None:
    world.update(moved())
    world.settled()
    new = world.physical("Right")
    world.restore()
    world.advance(300)
    world.update(moved())
    world.advance(60)
    assert new in world.process().last_message
    made = len(world.cloud.things())
    world.system.unknown_things.adopt("web", new)
    assert world.settled().converged_at is not None
    assert world.physical("Right") == new
    assert (len(world.cloud.things()), world.system.marks.things()) == (made, ())
    right = world.live()["Right"]
    owner = next(thing.owner for thing in world.cloud.things() if thing.physical_id == new)
    assert owner is not None
    assert (owner.object_id, right.incarnation, world.process().adopting) == (right.object_id, 2, {})
    assert world.store.history(world.process().fid).commands[-1].detail == f"adopt Simulated::Subnet {new} as Right"
    world.kill()
    assert world.settle()
    assert not [thing for thing in world.cloud.things() if thing.is_standing(world.clock.now())]


def test_an_adopted_thing_that_is_declared_otherwise_is_replaced_by_the_next_plan(world: RestoredWorld) -> None:
    world.update(moved())
    world.settled()
    new = world.physical("Right")
    world.restore()
    world.advance(60)
    world.system.unknown_things.adopt("web", new)
    assert world.settled().converged_at is not None
    assert new not in world.owned()["Right"]
    assert len(world.owned()["Right"]) == 1


def test_a_resource_of_a_later_composition_is_held_until_it_is_adopted(world: RestoredWorld) -> None:
    world.update(with_third())
    world.settled()
    third = world.physical("Third")
    world.restore()
    world.update(with_third())
    world.advance(60)
    assert world.owned()["Third"] == [third]
    assert f"the database knows none there. 'tenuto doctor web --adopt {third}'" in world.process().last_message
    world.system.unknown_things.adopt("web", third)
    assert world.settled().converged_at is not None
    assert world.owned()["Third"] == [third]


def test_a_type_that_was_not_observed_yet_is_observed_before_anything_is_made(world: RestoredWorld) -> None:
    group = declare("Guard", "Group", ("Net",), NetworkId={"Ref": "Net"})
    world.update(composed(*web().resources, group))
    world.settled()
    guard = world.physical("Guard")
    world.restore()
    world.update(composed(*web().resources, group))
    world.advance(60)
    assert world.owned()["Guard"] == [guard]
    assert guard in world.process().last_message


def test_what_is_not_declared_cannot_be_adopted_and_can_be_deleted(world: RestoredWorld) -> None:
    world.update(with_third())
    world.settled()
    third = world.physical("Third")
    world.restore()
    world.advance(60)
    things = world.system.unknown_things
    with pytest.raises(NotAdoptableError, match=r"declares no Third.*'tenuto update web FILE'"):
        things.adopt("web", third)
    thing, message = things.delete("web", third)
    assert (thing.physical_id, message) == (third, "")
    assert third not in {one.physical_id for one in world.cloud.things()}
    assert world.system.marks.things() == ()
    with pytest.raises(NotThereError, match="'tenuto doctor web' lists"):
        things.delete("web", third)
    [event] = [one for one in world.store.events(EventQuery()) if one.type is EventType.UNKNOWN_DELETED]
    assert (event.subject, event.fid, event.data["id"]) == ("Third", world.process().fid, third)


def test_nothing_is_deleted_whose_marks_are_others_than_were_shown(world: RestoredWorld) -> None:
    world.update(with_third())
    world.settled()
    third = world.physical("Third")
    world.restore()
    world.advance(60)
    with pytest.raises(UserError, match="Nothing was deleted"):
        world.system.unknown_things.delete("web", third, shown="another object")
    assert world.owned()["Third"] == [third]


def test_what_the_database_knows_is_never_deleted_or_adopted(world: RestoredWorld) -> None:
    for name in ("Left", "Net"):
        with pytest.raises(NotThereError):
            world.system.unknown_things.delete("web", world.physical(name))
        with pytest.raises(NotThereError):
            world.system.unknown_things.adopt("web", world.physical(name))


def test_things_of_a_process_that_the_database_does_not_know_can_only_be_deleted(world: RestoredWorld) -> None:
    world.system.commands.run(submission_of(only_net()), alias="later")
    assert world.settle()
    later = world.store.process("later")
    assert later is not None
    [net] = world.store.objects(later.fid)
    world.restore()
    world.advance(60)
    things = world.system.unknown_things
    [(thing, process)] = things.listed().things
    assert (thing.physical_id, thing.owner.fid, process) == (net.physical_id, later.fid, None)
    assert net.physical_id is not None
    with pytest.raises(NotAdoptableError, match="which this Conductor does not know"):
        things.adopt(later.fid, net.physical_id)
    with pytest.raises(NotFoundError, match="not in the account other"):
        things.delete(later.fid, net.physical_id, account="other")
    things.delete(later.fid, net.physical_id, account="default")
    assert things.listed(place=HOME).things == ()


def test_a_kill_tells_what_keeps_it_from_its_end(world: RestoredWorld) -> None:
    world.update(with_third())
    world.settled()
    third = world.physical("Third")
    world.restore()
    world.kill()
    world.advance(90)
    process = world.process()
    assert process.state == "Killing"
    assert process.last_message.startswith(f"Simulated::Subnet {third} carries the marks of this process (Third, ")
    assert f"'tenuto doctor web --delete {third}'" in process.last_message
    world.system.unknown_things.delete("web", third)
    assert world.settle()
    assert world.store.processes() == ()


def test_status_and_explain_count_what_is_not_known(world: RestoredWorld) -> None:
    world.update(with_third())
    world.settled()
    world.restore()
    world.advance(60)
    queries = world.system.queries
    assert process_detail_document(queries.process("web"))["unknown_things"] == 1
    line = "1 real thing carries the marks of this process and the database does not know it."
    assert any(one.startswith(line) for one in queries.explain("web")[1].process)


def test_a_held_creation_is_an_event_once_and_told_as_held(world: RestoredWorld) -> None:
    world.update(moved())
    world.settled()
    world.restore()
    world.advance(300)
    held = [one for one in world.store.events(EventQuery()) if one.type is EventType.RESOURCE_HELD]
    assert [one.subject for one in held] == ["Right"]
    told = world.system.queries.unconverged([world.process()])
    assert [why.why for why in told.values()] == [Why.HELD]


def test_a_locked_process_keeps_what_carries_its_marks(world: RestoredWorld) -> None:
    world.update(with_third())
    world.settled()
    third = world.physical("Third")
    world.restore()
    world.advance(60)
    world.system.commands.set_property("web", "lock", "on")
    with pytest.raises(NotAllowedError, match="is locked"):
        world.system.unknown_things.delete("web", third)
    with pytest.raises(NotAllowedError, match="is locked"):
        world.system.unknown_things.adopt("web", third)


def test_what_was_released_with_its_tags_is_not_told(world: RestoredWorld) -> None:
    world.system.commands.release("web", keep_tags=True)
    assert world.settle()
    world.run(only_net())
    assert world.settle()
    world.advance(300)
    assert world.system.unknown_things.listed(place=HOME).things == ()


def test_what_was_deleted_just_now_and_is_still_listed_is_not_told(world: RestoredWorld) -> None:
    """A list may be out of date for a while; a thing that is still there after that is told."""
    store = next(one for one in world.cloud.things() if one.physical_id == world.physical("Store"))
    mark = store.owner
    world.update(composed(*(one for one in web().resources if one.logical_id != "Store")))
    world.settled()
    name = TypeName("Simulated::Network")
    shown = world.cloud.add(HOME, name, {"CidrBlock": "10.7.0.0/16"})
    next(one for one in world.cloud.things() if one.physical_id == shown).owner = mark
    world.next_job()
    assert world.system.marks.things() == ()
    world.advance(120)
    assert [one.why for one in world.system.marks.things()] == ["ended object"]


@pytest.mark.parametrize("honours_tokens", [True, False])
@pytest.mark.parametrize("after_s", [0.15, 0.25, 0.5, 5.0])
def test_a_backup_from_the_middle_of_a_build_goes_on_with_what_stands(after_s: float, honours_tokens: bool) -> None:
    world = RestoredWorld()
    world.behave(replace(world.cloud.behaviour, honours_tokens=honours_tokens))
    world.run()
    world.advance(after_s)
    world.back_up()
    world.settled()
    world.advance(120)
    built = {name: one.physical_id for name, one in world.live().items()}
    world.restore()
    assert world.settled().converged_at is not None
    world.advance(300)
    assert {name: one.physical_id for name, one in world.live().items()} == built
    assert all(len(names) == 1 for names in world.owned().values())
    assert "delete" not in {call.operation for call in world.calls}
