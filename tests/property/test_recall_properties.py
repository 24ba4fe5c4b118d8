"""A comparison that remembers the last one finds what one without any memory finds."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from planning_world import CountingIds, World, compositions

from tenuto.core.planning.planner import plan
from tenuto.model.composition import Composition
from tenuto.model.delta import Memory
from tenuto.model.ids import PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.plan import Planning
from tenuto.model.snapshot import Snapshot

HAPPENINGS = ("nothing", "drift", "mend", "vanish", "answer", "move", "update", "rename", "execute")


class Watcher:
    """Plans one world again and again, with the memory of the last plan and without any, like a manager would."""

    def __init__(self) -> None:
        self.world = World()
        self.memory: Memory | None = None
        self.items: dict[PhysicalId, ObservedItem] = {}
        self.recalled = 0

    def snapshot(self, wanted: Composition, name: str) -> Snapshot:
        """What is equal to what was seen before is the very same value, as the reflector has it."""
        fresh = self.world.snapshot(wanted, name=name)
        observations = {}
        for object_id, seen in fresh.observations.items():
            item = seen.item
            if item is not None:
                known = self.items.get(item.physical_id)
                item = known if known == item else replace(item, properties=dict(item.properties))
                self.items[item.physical_id] = item
            observations[object_id] = replace(seen, item=item)
        return replace(fresh, observations=observations)

    def plan(self, wanted: Composition, name: str) -> Planning:
        snapshot = self.snapshot(wanted, name)
        plain = plan(snapshot, CountingIds())
        remembering = plan(replace(snapshot, memory=self.memory), CountingIds())
        assert replace(remembering, memory=None) == replace(plain, memory=None)
        if self.memory is not None and remembering.memory is not None:
            before = self.memory.same
            self.recalled += sum(before.get(key) is known for key, known in remembering.memory.same.items())
        self.memory = remembering.memory
        return remembering


def happen(watcher: Watcher, data: st.DataObject, what: str) -> None:
    world = watcher.world
    real = sorted(world.real)
    live = sorted((found.object_id for found in world.live()), key=str)
    if what in ("drift", "mend", "vanish") and real:
        physical_id = data.draw(st.sampled_from(real))
        if what == "vanish":
            del world.real[physical_id]
        else:
            world.real[physical_id] = world.real[physical_id] | {"Soft": "1" if what == "mend" else "strange"}
    if what in ("answer", "move") and live:
        object_id = data.draw(st.sampled_from(live))
        found = world.objects[object_id]
        changed = {"attributes": {"Ref": "other"}} if what == "answer" else {"state": "Configuration"}
        world.objects[object_id] = replace(found, **changed)  # type: ignore[arg-type]


@settings(max_examples=200)
@given(compositions(), compositions(), st.lists(st.sampled_from(HAPPENINGS), max_size=8), st.data())
def test_what_is_remembered_changes_no_plan(
    first: Composition, second: Composition, happenings: list[str], data: st.DataObject
) -> None:
    watcher, wanted, name = Watcher(), first, "web"
    watcher.world.execute(watcher.world.plan(first).plan, first)
    for what in happenings:
        happen(watcher, data, what)
        if what == "update":
            wanted = replace(second if wanted is first else first)
        if what == "rename":
            name = "db" if name == "web" else "web"
        watcher.plan(wanted, name)
        if what == "execute" and all(found.is_settled for found in watcher.world.live()):
            watcher.world.execute(watcher.world.plan(wanted).plan, wanted)


@given(compositions())
def test_of_what_did_not_change_everything_is_remembered(wanted: Composition) -> None:
    watcher = Watcher()
    watcher.world.execute(watcher.world.plan(wanted).plan, wanted)
    watcher.plan(wanted, "web")
    assert watcher.plan(wanted, "web").is_converged
    assert watcher.recalled == len(wanted.resources)
