"""A database that is older than the cloud: what was made since carries our marks, and is not known."""

import pytest
from web_world import WebWorld, composed, declare, web

from tenuto.storage.memory import MemoryStore


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


def with_third() -> object:
    """The web with a third subnet."""
    third = declare("Third", "Subnet", ("Net",), NetworkId={"Ref": "Net"}, CidrBlock="10.0.3.0/24")
    return composed(*web().resources, third)


def moved() -> object:
    """The web whose right subnet has another range, so that it is replaced."""
    right = declare("Right", "Subnet", ("Net",), NetworkId={"Ref": "Net"}, CidrBlock="10.0.9.0/24")
    return composed(*(right if one.logical_id == "Right" else one for one in web().resources))


@pytest.fixture
def world() -> RestoredWorld:
    world = RestoredWorld()
    world.run()
    world.settled()
    world.advance(120)
    world.back_up()
    return world


def test_what_was_made_after_the_backup_is_told(world: RestoredWorld) -> None:
    world.update(with_third())  # type: ignore[arg-type]
    world.settled()
    third = world.physical("Third")
    world.restore()
    world.advance(60)
    [thing] = world.system.marks.things(world.process().fid)
    assert (thing.physical_id, thing.owner.logical_id, thing.why) == (third, "Third", "no object")


def test_a_replaced_resource_is_held_and_not_made_a_second_time(world: RestoredWorld) -> None:
    world.update(moved())  # type: ignore[arg-type]
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
