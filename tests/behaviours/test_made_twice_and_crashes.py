"""A thing that a creation made beside its own, and a Conductor that begins after it was seen."""

from web_world import HOME, WebWorld

from tenuto.model.ids import PhysicalId, TypeName


def made_beside(world: WebWorld) -> PhysicalId:
    """The server once more, with the mark of the first, as a creation leaves it that was carried out twice."""
    first = next(thing for thing in world.cloud.things() if thing.physical_id == world.physical("Server"))
    second = world.cloud.add(HOME, TypeName("Simulated::Server"), dict(first.properties))
    next(thing for thing in world.cloud.things() if thing.physical_id == second).owner = first.owner
    return second


def stands(world: WebWorld, physical_id: PhysicalId) -> bool:
    return any(thing.physical_id == physical_id for thing in world.cloud.things())


def duplicates(world: WebWorld) -> list[PhysicalId]:
    found = world.system.marks.duplicates(world.store.objects(world.process().fid))
    return [one for those in found.values() for one in those]


def ran() -> WebWorld:
    world = WebWorld()
    world.run()
    world.settled()
    return world


def test_a_duplicate_that_was_seen_in_time_is_known_to_the_next_conductor() -> None:
    world = ran()
    second = made_beside(world)
    world.advance(40.0)
    assert duplicates(world) == [second]
    world.advance(86_400.0)
    world.crash()
    world.advance(60.0)
    assert duplicates(world) == [second]
    assert stands(world, second), "beside a process that runs, nothing is deleted"
    world.kill()
    world.settled()
    assert not stands(world, second)


def test_a_mark_that_comes_later_is_a_copy_for_every_conductor() -> None:
    world = ran()
    world.advance(86_400.0)
    copy = made_beside(world)
    world.advance(60.0)
    world.crash()
    world.advance(60.0)
    assert duplicates(world) == []
    world.kill()
    world.settled()
    assert stands(world, copy)
