"""A store stays as large as what it runs: months with a drift each day leave neither more rows nor a larger file."""

from pathlib import Path

import pytest
from night import by_day
from web_world import ALIAS, WebWorld

from tenuto.errors import NotFoundError
from tenuto.model.event import EventType
from tenuto.model.ids import Fid, Instant
from tenuto.model.retention import Remnant
from tenuto.ports.store import Store
from tenuto.ports.store_reads import EventQuery
from tenuto.service.views.history_view import history_document, ops_document
from tenuto.storage.file.database import Database
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto.storage.sqlite.store import SqliteStore

DAY_S = 86_400.0


def days(world: WebWorld, count: int) -> None:
    """Days of four jobs each, with something that another writer has done every morning."""
    for day in range(count):
        if day % 10:
            world.cloud.tamper(world.physical("Net"), "Label", f"theirs {day}")
        else:
            world.cloud.vanish(world.physical("Server"))
        world.advance(DAY_S)


def rows(store: Store) -> dict[str, int]:
    return {kind.value: tally.rows for kind, tally in store.tallies().items()}


def doctor_finds(world: WebWorld) -> list[str]:
    return [one.diagnostic.summary for one in world.system.doctor.examine(ALIAS).problems]


@pytest.mark.parametrize("kind", by_day(1, ["memory", "sqlite"]))
def test_a_year_with_a_drift_each_day_leaves_a_store_of_a_quarter(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "tenuto.db"
    store = MemoryStore() if kind == "memory" else SqliteStore(Database(path))
    world = WebWorld(store=store)
    world.run()
    world.settled()
    world.system.tempo.period_s = DAY_S / 4
    sizes = []
    counts = []
    for _ in range(3):
        days(world, 100)
        counts.append(rows(store))
        sizes.append(path.stat().st_size if kind == "sqlite" else 0)
    _, before, after = counts
    for name, count in after.items():
        assert abs(count - before[name]) <= max(3, before[name] // 20), (name, counts)
    assert after["jobs"] > 80, "a quarter of a year is kept"
    assert sizes[2] <= sizes[1] * 1.02
    assert doctor_finds(world) == []
    told = store.events(EventQuery(types=(EventType.RETENTION.value,), limit=10**6))
    assert {"jobs", "plans", "events", "ops", "objects"} <= {event.subject for event in told}
    store.close()


def test_a_process_that_was_killed_is_gone_for_good_when_its_history_is_over() -> None:
    world = WebWorld()
    world.run()
    world.settled()
    fid: Fid = world.process().fid
    world.kill()
    world.settled()
    world.advance(3 * 3600.0)
    assert rows(world.store)[Remnant.OBJECT] == 0
    named = {name for op in ops_document(world.system.queries.history(fid))["ops"] for name in op["resources"]}
    assert named == {"Net", "Left", "Right", "Server", "Store"}, "the history outlives the objects"
    world.advance(100 * DAY_S)
    assert world.store.process(fid) is not None, "its commands are kept for 400 days"
    assert world.store.history(fid).jobs == ()
    assert rows(world.store)[Remnant.OBJECT] == 0
    world.advance(310 * DAY_S)
    assert world.store.process(fid) is None
    assert rows(world.store)[Remnant.COMPOSITION] == 0


def test_who_asks_further_back_than_what_is_kept_is_told_so() -> None:
    world = WebWorld()
    world.run()
    world.settled()
    assert world.system.queries.history(ALIAS).complete_since is None
    world.system.tempo.period_s = DAY_S
    world.cloud.tamper(world.physical("Net"), "Label", "theirs")
    world.advance(2 * DAY_S)
    plan_id = world.store.history(world.process().fid).jobs[-1].plan_id
    assert plan_id is not None
    world.cloud.tamper(world.physical("Net"), "Label", "theirs again")
    world.advance(120 * DAY_S)
    view = world.system.queries.history(ALIAS)
    assert view.complete_since is not None
    assert world.system.queries.history(ALIAS, start=Instant(view.complete_since + 1)).complete_since is None
    assert world.system.queries.events_complete_since(None) is not None
    assert "complete_since" in history_document(view)
    with pytest.raises(NotFoundError, match=r"Plans of 2025-06-\S+ and before may have been removed"):
        world.system.queries.stored_plan(plan_id)
