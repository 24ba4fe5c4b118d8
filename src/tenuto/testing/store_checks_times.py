"""What every store must answer about when something was written."""

from dataclasses import replace
from typing import Any

from tenuto.model.ids import Instant
from tenuto.model.phase_map import PhaseStatus
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateObject, SaveObject
from tenuto.testing.store_bench import born
from tenuto.testing.store_samples import OTHER_PHASE, a_move, a_process, an_entry, an_object, entries

LATER = Instant(501.0)
MOMENT = Instant(500.0)


def objects_dated_after_a_moment_are_the_live_ones_with_anything_later(store: Store) -> None:
    store.commit([born(a_process())])
    asleep = an_entry(PhaseStatus.SLEEPING, wake_at=LATER)
    _add(store, "asleep", an_entry(PhaseStatus.COMPLETED, OTHER_PHASE), asleep, created_at=Instant(99.0))
    _add(store, "begun", an_entry(PhaseStatus.RUNNING, started_at=LATER))
    _add(store, "begun long ago", an_entry(PhaseStatus.RUNNING, first_started_at=MOMENT, started_at=MOMENT))
    _add(store, "ended", an_entry(PhaseStatus.COMPLETED, ended_at=LATER))
    _add(store, "first begun", an_entry(PhaseStatus.WAITING, first_started_at=LATER))
    _add(store, "moved", moved_at=LATER)
    _add(store, "of nobody", fid=None, touched_at=LATER)
    _add(store, "old", moved_at=MOMENT, touched_at=MOMENT)
    _add(store, "over", moved_at=LATER)
    over = replace(an_object("over", moved_at=LATER), state="Terminated")
    store.commit([SaveObject(object=over, expected_generation=1, moves=(a_move("Validation", "Terminated"),))])
    found = [item.object_id for item in store.dated_after(MOMENT)]
    assert found == ["asleep", "begun", "ended", "first begun", "moved", "of nobody"], found
    assert store.dated_after(LATER) == ()


def _add(store: Store, name: str, *given: Any, **changes: Any) -> None:
    store.commit([CreateObject(object=an_object(name, phases=entries(*given), **changes), actor="tester")])
