"""A store that cannot be read for a while: the Conductor's loop goes on, and takes up its work when it can be read."""

from typing import Any

from tenuto.conductor.cleaner import ROUND_S
from tenuto.errors import StoreUnavailableError
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.world import World


class UnreadableStore(MemoryStore):
    """Cannot tell what is ready while `is_away`."""

    is_away = False

    def ready(self, *given: Any) -> Any:
        if self.is_away:
            raise StoreUnavailableError("the disk cannot be read")
        return super().ready(*given)


def test_the_conductor_wakes_soon_while_the_store_cannot_tell_when() -> None:
    store = UnreadableStore()
    world = World(store=store)
    store.is_away = True
    wake = world.system.conductor.next_wake()
    assert wake is not None
    assert world.clock.now() < wake <= world.clock.now() + 1.0
    store.is_away = False
    wake = world.system.conductor.next_wake()
    assert wake == world.clock.now() + ROUND_S, "nothing but the next round of the cleaner"
