"""The answers of every store about the time at which something was written."""

from tenuto.model.ids import Instant
from tenuto.model.phase_map import PhaseStatus
from tenuto.ports.store import Store
from tenuto_testing.store_bench import add, born, ended
from tenuto_testing.store_samples import OTHER_PHASE, a_process, an_entry, an_object

LATER = Instant(501.0)
MOMENT = Instant(500.0)


def objects_dated_after_a_moment_are_the_live_ones_with_anything_later(store: Store) -> None:
    store.commit([born(a_process())])
    asleep = an_entry(PhaseStatus.SLEEPING, wake_at=LATER)
    add(store, "asleep", an_entry(PhaseStatus.COMPLETED, OTHER_PHASE), asleep, created_at=Instant(99.0))
    add(store, "begun", an_entry(PhaseStatus.RUNNING, started_at=LATER))
    add(store, "begun long ago", an_entry(PhaseStatus.RUNNING, first_started_at=MOMENT, started_at=MOMENT))
    add(store, "ended", an_entry(PhaseStatus.COMPLETED, ended_at=LATER))
    add(store, "first begun", an_entry(PhaseStatus.WAITING, first_started_at=LATER))
    add(store, "moved", moved_at=LATER)
    add(store, "of nobody", fid=None, touched_at=LATER)
    add(store, "old", moved_at=MOMENT, touched_at=MOMENT)
    add(store, "over", moved_at=LATER)
    store.commit([ended(an_object("over", moved_at=LATER))])
    found = [item.object_id for item in store.dated_after(MOMENT)]
    assert found == ["asleep", "begun", "ended", "first begun", "moved", "of nobody"], found
    assert store.dated_after(LATER) == ()
