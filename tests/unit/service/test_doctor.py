"""The doctor reads the whole store in pages, and tells problems of the store and of each process."""

from dataclasses import replace

import pytest
from front import Front, entry, later, physical, submission

from tenuto.errors import NotFoundError
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid, JobId
from tenuto.model.lease import Lease
from tenuto.model.process import Process
from tenuto.model.resource import Move
from tenuto.ports.store_administration import SaveLease
from tenuto.ports.store_changes import SaveProcess
from tenuto.service.operations.doctor import Examination, examination_document


@pytest.fixture
def front() -> Front:
    return Front()


def run(front: Front, alias: str) -> Process:
    return front.commands.run(submission(), alias=alias)


def codes(found: Examination) -> list[str]:
    return [one.diagnostic.code for one in found.problems]


def saved(front: Front, process: Process, **changes: object) -> None:
    changed = replace(process, **changes)  # type: ignore[arg-type]
    front.store.commit((SaveProcess(process=changed, expected_generation=process.generation),))


def test_a_sound_store_has_no_problem(front: Front) -> None:
    front.add_object(run(front, "web"), "Net")
    found = front.services.doctor.examine()
    assert found == Examination(examined=1)


def test_pages_cover_every_process_once(front: Front) -> None:
    fids = sorted(run(front, f"web{number}").fid for number in range(5))
    after, examined = "", 0
    for _ in range(3):
        page = front.services.doctor.examine(after=after, limit=2)
        examined += page.examined
        if page.next is None:
            break
        assert page.next in fids
        after = page.next
    assert (examined, page.next) == (5, None)


def test_a_page_of_none_is_a_page_of_one(front: Front) -> None:
    run(front, "web")
    assert front.services.doctor.examine(limit=0).examined == 1


def test_a_problem_of_an_object_names_process_and_resource(front: Front) -> None:
    process = run(front, "web")
    front.add_object(process, "Net", phases={"p": entry("p", "Sleeping")})
    found = front.services.doctor.examine("web")
    [problem] = examination_document(found)["problems"]
    assert (problem["code"], problem["subject"], problem["name"]) == ("A007", "Net", "web")
    assert problem["process"] == {"fid": process.fid, "alias": "web"}
    assert "'tenuto doctor web --json'" in problem["advice"]


def test_one_thing_of_two_processes_is_found(front: Front) -> None:
    for alias in ("one", "two"):
        front.add_object(run(front, alias), "Net", physical_id=physical("net-1"))
        front.clock.sleep(1.0)
    found = front.services.doctor.examine()
    assert codes(found) == ["A201"]
    [problem] = found.problems
    assert "one as Net and by two as Net" in problem.diagnostic.detail
    assert "'tenuto release two'" in problem.diagnostic.hint


def test_a_lease_from_the_future_is_found(front: Front) -> None:
    lease = Lease(holder="other", epoch=1, renewed_at=later(front, 3600), expires_at=later(front, 3700))
    front.store.commit((SaveLease(lease=lease),))
    assert codes(front.services.doctor.examine()) == ["A202"]


def test_a_process_with_a_missing_job_and_composition_is_found(front: Front) -> None:
    process = run(front, "web")
    saved(front, process, job_id=JobId("nowhere"), composition_digest="nothing")
    assert codes(front.services.doctor.examine()) == ["A203", "A204"]


def test_times_and_commands_ahead_are_found(front: Front) -> None:
    process = run(front, "web")
    front.add_object(process, "Net", touched_at=later(front, 7200), mandate=process.mandate + 1)
    assert codes(front.services.doctor.examine()) == ["A009", "A010"]


def test_live_objects_of_a_process_that_is_gone_are_found_by_its_fid(front: Front) -> None:
    process = run(front, "web")
    front.add_object(process, "Net", state=ResourceState.VALIDATION)
    gone = replace(process, state=ProcessState.GONE, ended_at=front.clock.now())
    move = Move(before="Running", after="Gone", at=front.clock.now(), actor="test")
    front.store.commit((SaveProcess(process=gone, expected_generation=process.generation, moves=(move,)),))
    assert codes(front.services.doctor.examine(process.fid)) == ["A001"]


def test_problems_of_processes_that_the_caller_may_not_see_are_not_told(front: Front) -> None:
    process = run(front, "web")
    front.add_object(process, "Net", mandate=process.mandate + 1)
    found = front.services.doctor.examine(is_seen=lambda fid: False)
    assert (found.problems, found.examined) == ((), 0)


def test_a_process_that_never_was_is_not_examined(front: Front) -> None:
    with pytest.raises(NotFoundError):
        front.services.doctor.examine(Fid("nothing"))
