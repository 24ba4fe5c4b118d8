"""Which events are told, to whom, and for how long that is tried."""

from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.reports.notices import event_id, is_news, is_wanted, next_try, notice
from tenuto.model.event import EventType
from tenuto.model.ids import Fid, Instant, Partition
from tenuto_testing.store_samples import WEB, a_process, a_sink, an_event

PROD = a_process(alias="web-1", partition=Partition(account="prod", region="eu-west-1"))


def finished(**changes: object) -> object:
    return an_event(type=EventType.JOB_FINISHED, number=7, **changes)


def open_sink(**changes: object) -> object:
    return a_sink(**({"processes": (), "accounts": ()} | changes))


def test_who_is_told_of_what_is_held_is_told_of_an_override() -> None:
    event = an_event(type=EventType.APPROVAL_OVERRIDDEN, reason="alone")
    assert is_wanted(event, PROD, open_sink(types=("resource.held",)))
    assert is_wanted(event, PROD, open_sink(types=("approval.overridden",)))
    assert not is_wanted(event, PROD, open_sink(types=("job.finished",)))


def test_a_job_is_told_of_when_it_changed_something_or_suspended_its_process() -> None:
    assert is_news(finished(after="SUCCEEDED", data={"changed": True}))
    assert is_news(finished(after="HALTED", data={}))
    assert not is_news(finished(after="SUCCEEDED", data={"changed": False}))
    assert not is_news(finished(after="FAILED", data={}))
    assert is_news(an_event(type=EventType.PROCESS_STATE))


def test_a_sink_is_told_of_its_types_only() -> None:
    event = an_event(type=EventType.PROCESS_STATE)
    assert not is_wanted(event, PROD, open_sink())
    assert is_wanted(event, PROD, open_sink(types=("process.state",)))


def test_a_sink_is_told_of_its_processes_by_pattern_of_alias_or_by_fid() -> None:
    event = finished(after="HALTED")
    for names, is_told in (
        (("web-*",), True),
        (("web-1",), True),
        ((str(WEB),), True),
        (("db", "web-?"), True),
        (("web",), False),
        (("WEB-1",), False),
    ):
        assert is_wanted(event, PROD, open_sink(processes=names)) is is_told, names
    assert not is_wanted(event, a_process(alias=None), open_sink(processes=("*",)))
    assert not is_wanted(event, None, open_sink(processes=("*",)))


def test_a_sink_is_told_of_its_accounts_only() -> None:
    event = finished(after="HALTED")
    assert is_wanted(event, PROD, open_sink(accounts=("dev", "prod")))
    assert not is_wanted(event, PROD, open_sink(accounts=("dev",)))
    assert not is_wanted(event, None, open_sink(accounts=("dev",)))


def test_the_id_of_an_event_is_the_same_in_every_delivery_and_different_for_every_process() -> None:
    first, second = finished(), finished(fid=Fid("other"))
    assert event_id(first) == event_id(finished(reason="another sweep")) == f"7-{WEB}"
    assert event_id(first) != event_id(second)
    assert event_id(an_event(fid=None, number=3)) == "3-conductor"


def test_a_job_is_told_with_its_kind_its_operations_and_their_results() -> None:
    operation = {"op": "create", "logical_id": "Net", "result": "done"}
    data = {"job": "j1", "kind": "build", "changed": True, "create": 1, "unchanged": 2, "operations": [operation]}
    told = notice(finished(after="SUCCEEDED", subject="run", data=data), PROD)
    assert told["id"] == f"7-{WEB}"
    assert told["process"] == {"fid": WEB, "alias": "web-1", "account": "prod", "region": "eu-west-1"}
    job = told["job"]
    assert (job["id"], job["kind"], job["command"], job["status"]) == ("j1", "build", "run", "SUCCEEDED")
    assert job["operations"] == [operation]
    assert job["counts"] == {
        "create": 1, "modify": 0, "replace": 0, "delete": 0, "adopt": 0, "release": 0, "refresh": 0, "unchanged": 2,
    }  # fmt: skip
    assert "data" not in told


@given(tries=st.integers(1, 50), given_up_after=st.integers(1, 50), number=st.integers(0, 10**6))
def test_every_failure_is_followed_by_a_later_try_until_the_tries_are_used_up(
    tries: int, given_up_after: int, number: int
) -> None:
    again = next_try(tries, a_sink(tries=given_up_after), number, Instant(1000.0))
    assert (again is None) is (tries >= given_up_after)
    assert again is None or 1000.0 < again <= 1000.0 + 600.0 * 1.25


URL = "https://tenuto.example.org"


def test_a_notification_links_to_the_page_of_its_proposal_or_process_where_there_is_a_public_url() -> None:
    proposed = an_event(type=EventType.PROPOSAL_STATE, fid=PROD.fid, data={"proposal": 41, "command": "update"})
    assert notice(proposed, PROD, public_url=URL)["url"] == f"{URL}/proposals/41"
    given = an_event(type=EventType.COMMAND_GIVEN, fid=PROD.fid, data={"command": "kill"})
    assert notice(given, PROD, public_url=URL)["url"] == f"{URL}/processes/{PROD.fid}"
    assert notice(given, PROD)["url"] is None
    assert notice(an_event(type=EventType.ACCESS_CHANGED, fid=None), None, public_url=URL)["url"] is None
