"""What commits were about, for those who only want to know where to look."""

from front import Front, submission

from tenuto.conductor.stores.touched import CommitMemory
from tenuto.ports.store_changes import Append
from tenuto_testing.store_samples import a_process, an_event


def test_a_commit_says_which_processes_it_is_about() -> None:
    front = Front()
    before = front.touches.since(0).number
    process = front.commands.run(submission(), alias="web")
    touched = front.touches.since(before)
    assert (touched.fids, touched.is_whole) == ({process.fid}, True)
    assert front.touches.since(touched.number).fids == frozenset()


def test_what_belongs_to_no_process_is_told_as_the_estate() -> None:
    front = Front()
    before = front.touches.since(0).number
    front.commands.accounts.add("prod", {"profile": "p"}, checks=False)
    touched = front.touches.since(before)
    assert (touched.fids, touched.is_estate) == (frozenset(), True)


def test_signing_in_is_nothing_to_look_at() -> None:
    front = Front()
    before = front.touches.since(0).number
    assert front.services.sessions.sign_in("secret" * 8, "here") is None
    from front import SECRET

    assert front.services.sessions.sign_in(SECRET, "here")
    assert front.touches.since(before).number == before


def test_a_reader_that_comes_too_late_is_told_to_read_everything() -> None:
    memory = CommitMemory(most=2)
    for number in range(4):
        memory.note([Append(events=(an_event(float(number), fid=a_process().fid),))])
    newest = memory.since(0).number
    assert not memory.since(1).is_whole
    assert memory.since(newest - 2).is_whole
    assert not memory.since(newest + 5).is_whole, "of another life"
