"""A Conductor that dies around any commit of an object's life leaves all of it or nothing."""

import pytest

from tenuto.ports.store_claims import Dangling, ObjectQuery
from tenuto_testing.mortality import Blow, Crash
from tenuto_testing.world import World

MINUTE_S = 60.0


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("count", range(1, 8))
def test_an_object_is_made_once_or_not_at_all(count: int, is_after: bool) -> None:
    world = World()
    world.fate.arm(Blow(operation="commit", count=count, is_after=is_after))
    try:
        world.system.objects.create("artifact", "base")
    except Crash as crash:
        world.crash(str(crash))
    world.advance(MINUTE_S)
    world.fate.disarm()
    live = world.store.object_page(ObjectQuery(name="base", live=True))
    if not live:
        assert (count, is_after) == (1, False), "only a death before the first commit leaves nothing"
        world.system.objects.create("artifact", "base")
        world.advance(MINUTE_S)
        live = world.store.object_page(ObjectQuery(name="base", live=True))
    [made] = live
    assert made.state == made.target
    assert [one.object_id for one in world.store.claims_of(made.object_id)] == [made.object_id]


@pytest.mark.parametrize("is_after", [False, True])
def test_a_deletion_happens_with_all_that_it_frees_or_not_at_all(is_after: bool) -> None:
    world = World()
    world.system.objects.create("namespace", "red")
    world.system.objects.create("artifact", "base", fields={"Namespace": "red"})
    world.advance(MINUTE_S)
    world.fate.arm(Blow(operation="commit", is_after=is_after))
    with pytest.raises(Crash):
        world.system.objects.delete("base")
    world.fate.disarm()
    world.crash()
    item = world.system.objects.find("base")
    assert (item.target == "deleted") is is_after
    world.advance(MINUTE_S)
    is_deleted = world.system.objects.find(item.object_id).state == "deleted"
    assert is_deleted is is_after
    assert (world.store.relations_of(item.object_id) == ()) is is_deleted
    assert world.store.dangling(10) == Dangling()
    if not is_deleted:
        world.system.objects.delete("base")
        world.advance(MINUTE_S)
    world.system.objects.delete("red")
    world.advance(MINUTE_S)
    assert world.store.object_page(ObjectQuery(live=True, name="red")) == ()
