"""How far a process is: small whatever its size, with what needs eyes first."""

from dataclasses import replace

import pytest

from tenuto.lifecycles.resource import ResourceState
from tenuto.model.ids import LogicalId, ObjectId, PhaseName
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject
from tenuto.service.views.process_view import ResourceView
from tenuto.service.views.progress_view import MOST_RESOURCES, progress_document, progress_view
from tenuto_testing.store_samples import a_process, an_object


def view(name: str, found: ManagedObject | None) -> ResourceView:
    return ResourceView(logical_id=LogicalId(name), type=an_object(ObjectId("x")).type, current=found)


def at_work(name: str, status: PhaseStatus, message: str = "") -> ResourceView:
    entry = PhaseEntry(
        phase=PhaseName("resource.create"), state=ResourceState.ALLOCATION, status=status, message=message
    )
    found = an_object(ObjectId(name), state=ResourceState.ALLOCATION, target=ResourceState.STARTED)
    return view(name, replace(found, phases={entry.phase: entry}))


VIEWS = (
    view("Planned", None),
    view("Ready", an_object(ObjectId("Ready"), state=ResourceState.STARTED, target=ResourceState.STARTED)),
    at_work("Silent", PhaseStatus.RUNNING),
    at_work("Telling", PhaseStatus.SLEEPING, "it is not ready yet"),
    at_work("Failed", PhaseStatus.FAILED, "no quota"),
)


def test_what_failed_comes_first_and_what_is_silent_after_what_tells_something() -> None:
    document = progress_document(progress_view(a_process(), VIEWS, 100))
    assert list(document["resources"]) == ["Failed", "Telling", "Silent", "Planned", "Ready"]
    assert document["resources"]["Failed"]["message"] == "no quota"


@pytest.mark.parametrize("most", [0, 1, 3])
def test_the_counts_are_of_all_resources_however_few_are_sent(most: int) -> None:
    document = progress_document(progress_view(a_process(), VIEWS, most))
    assert document["counts"] == {"failed": 1, "planned": 1, "ready": 1, "running": 1, "sleeping": 1}
    assert len(document["resources"]) == most


def test_no_document_holds_more_than_the_bound() -> None:
    many = tuple(view(f"R{number}", None) for number in range(MOST_RESOURCES + 1))
    assert len(progress_view(a_process(), many, 10**6).resources) == MOST_RESOURCES
