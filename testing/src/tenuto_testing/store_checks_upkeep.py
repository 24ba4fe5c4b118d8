"""Checks of upkeep in a store: it finds the due objects without the rest, and the objects that have none yet."""

from collections.abc import Iterable
from dataclasses import replace

from tenuto.model.ids import Instant, ObjectId, PhaseName, TypeName
from tenuto.model.phase_map import PhaseDefinition, PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.ports.store_reads import Ready
from tenuto_testing.store_bench import add, born, moved
from tenuto_testing.store_samples import HERE, OTHER_PHASE, PHASE, THERE, WEB, a_process, an_entry

NOW = Instant(500.0)


def of_upkeep_ready_tells_what_is_due_and_of_each_phase_the_next(store: Store) -> None:
    store.commit([born(a_process())])

    def kept(wake_at: float, phase: PhaseName = PHASE) -> PhaseEntry:
        return an_entry(PhaseStatus.SLEEPING, phase, wake_at=wake_at, is_upkeep=True)

    add(store, "u1", kept(NOW - 1), kept(NOW + 9, OTHER_PHASE))
    add(store, "u2", kept(NOW + 3), kept(NOW + 7, OTHER_PHASE), partition=THERE)
    add(store, "u3", an_entry(is_upkeep=True))
    add(store, "u4", kept(NOW + 5))
    assert store.ready(NOW) == (
        Ready(phase=OTHER_PHASE, partition=THERE, waiting=0, wake_at=Instant(NOW + 7)),
        Ready(phase=PHASE, partition=HERE, waiting=2, wake_at=None),
        Ready(phase=PHASE, partition=THERE, waiting=0, wake_at=Instant(NOW + 3)),
    ), store.ready(NOW)
    assert _ids(store.waiting(PHASE, HERE, NOW, 10)) == ["u3", "u1"]
    assert store.open_objects([WEB]) == ()
    store.commit([moved(a_process(), "Running", "Suspended")])
    assert store.ready(NOW) == ()


def upkeep_goes_on_for_what_rests_under_an_older_command(store: Store) -> None:
    store.commit([born(a_process(mandate=2))])
    add(store, "rests", an_entry(is_upkeep=True), target="Validation")
    add(store, "moves", an_entry())
    assert _ids(store.waiting(PHASE, HERE, NOW, 10)) == ["rests"]
    assert [ready.waiting for ready in store.ready(NOW)] == [1]
    assert store.without_mandate([ObjectId("rests"), ObjectId("moves")]) == ("moves",)


def without_upkeep_are_the_objects_at_rest_that_have_no_open_entry_of_it(store: Store) -> None:
    store.commit([born(a_process())])
    definition = PhaseDefinition(
        name=PHASE, states=("Validation",), types=(TypeName("Simulated::Network"),), every_s=60.0
    )
    resting = {"target": "Validation"}
    add(store, "a", **resting)
    add(store, "b", an_entry(PhaseStatus.SLEEPING, wake_at=NOW, is_upkeep=True), **resting)
    add(store, "c", an_entry(PhaseStatus.CANCELED, is_upkeep=True), **resting)
    add(store, "d")
    add(store, "e", fid=None, **resting)
    assert _ids(store.without_upkeep(definition, "", 10)) == ["a", "c", "e"]
    assert _ids(store.without_upkeep(definition, "a", 1)) == ["c"]
    assert _ids(store.without_upkeep(replace(definition, types=(TypeName("*"),)), "c", 10)) == ["e"]
    assert store.without_upkeep(replace(definition, types=(TypeName("Acme::Other"),)), "", 10) == ()
    assert store.without_upkeep(replace(definition, states=("Started",)), "", 10) == ()


def _ids(items: Iterable[ManagedObject]) -> list[str]:
    return [item.object_id for item in items]
