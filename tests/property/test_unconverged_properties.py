"""A list of processes says the same of each as the process itself, and reads less for it."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.reports.unconverged import unconverged
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid, LogicalId, PhaseName
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.ports.store_changes import CreateObject
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.store_bench import born
from tenuto_testing.store_samples import a_process, an_entry, an_object, entries

FIDS = (Fid("p0"), Fid("p1"), Fid("p2"))


def is_loaded(phase: PhaseName) -> bool:
    return phase != "gone.plugin"


ENTRIES = st.builds(
    an_entry,
    status=st.sampled_from([PhaseStatus.COMPLETED, *PhaseStatus]),
    phase=st.sampled_from([PhaseName("create"), PhaseName("tag"), PhaseName("gone.plugin")]),
    state=st.sampled_from(["Validation", "Validation", "Allocation"]),
    code=st.sampled_from(["", "Throttling", "InvalidState"]),
    message=st.sampled_from(["", "waits for the next refresh", "asked too often (SlowDown)"]),
)
OBJECTS = st.tuples(
    st.sampled_from(FIDS), st.sampled_from(["A", "A0", "B", "Net"]), st.integers(1, 2), st.lists(ENTRIES, max_size=3)
)


@given(
    objects=st.lists(OBJECTS, max_size=12, unique_by=lambda one: one[:3]),
    state=st.sampled_from([ProcessState.RUNNING, ProcessState.SUSPENDED, ProcessState.KILLING]),
)
def test_the_first_object_of_each_kind_says_what_all_objects_say(
    objects: list[tuple[Fid, str, int, list[PhaseEntry]]], state: ProcessState
) -> None:
    store = MemoryStore()
    store.commit([born(a_process(fid)) for fid in FIDS])
    for number, (fid, name, incarnation, found) in enumerate(objects):
        address: dict[str, Any] = {"logical_id": LogicalId(name), "incarnation": incarnation}
        made = an_object(f"o{number}", fid, phases=entries(*found), **address)
        store.commit([CreateObject(object=made, actor="tester")])
    listed = store.open_objects(FIDS)
    for fid in FIDS:
        process = a_process(fid, state=state)
        some = [one for one in listed if one.fid == fid]
        of_all = unconverged(process, store.objects(fid), is_held=False, is_loaded=is_loaded)
        assert unconverged(process, some, is_held=False, is_loaded=is_loaded) == of_all
    store.close()
