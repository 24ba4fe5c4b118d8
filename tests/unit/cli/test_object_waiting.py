"""A wait for an object ends when it is ready, has failed, or is gone, and says which."""

from typing import Any

import pytest

from tenuto.cli.objects.object_waiting import ObjectWait
from tenuto.cli.terminal.exits import ApiProblem, CommandEnd, Exit, UnreachableError
from tenuto.model.ids import Instant, JsonMap
from tenuto_testing.clock import VirtualClock


def seen(state: str, **more: object) -> JsonMap:
    found = {"id": "o-1", "type": "Acme::Image", "name": "base", "state": state, "target": "created"}
    return {**found, "settled": state == "created", "failed": False, "live": True, "message": None, **more}


class Answers:
    """A client that gives these answers in turn."""

    def __init__(self, *answers: JsonMap | Exception) -> None:
        self.answers = list(answers)

    def get(self, *path: str, **query: Any) -> JsonMap:
        assert path == ("objects", "o-1")
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def wait(first: JsonMap, *answers: JsonMap | Exception, seconds: float = 60.0, is_for_end: bool = False) -> JsonMap:
    clock = VirtualClock()
    deadline = Instant(clock.now() + seconds)
    client = Answers(*answers)
    return ObjectWait(client=client, clock=clock, document=first, deadline=deadline, is_for_end=is_for_end).end()


def ended(*answers: JsonMap | Exception, **more: Any) -> CommandEnd:
    with pytest.raises(CommandEnd) as end:
        wait(*answers, **more)
    return end.value


def test_it_ends_when_the_object_is_ready() -> None:
    assert wait(seen("initial"), seen("initial"), seen("created"))["state"] == "created"


def test_it_outlives_a_conductor_that_is_away_for_a_moment() -> None:
    away = UnreachableError("nothing answers")
    busy = ApiProblem({"code": "store-unavailable", "detail": "disk full"})
    assert wait(seen("initial"), away, busy, seen("created"))["state"] == "created"
    with pytest.raises(ApiProblem):
        wait(seen("initial"), ApiProblem({"code": "permission", "detail": "no"}))


def test_a_failure_is_told_with_its_message_and_what_to_do() -> None:
    end = ended(seen("initial"), seen("error", failed=True, message="no space"))
    assert end.exit_code is Exit.FAILED
    assert "no space" in str(end)
    assert "tenuto object delete o-1" in str(end)


def test_a_deletion_ends_when_the_object_is_gone_or_removed() -> None:
    leaving = seen("created", settled=False, target="deleted")
    gone = seen("deleted", settled=True, target="deleted", live=False)
    assert wait(leaving, gone, is_for_end=True)["live"] is False
    removed = ApiProblem({"code": "not-found", "detail": "no"})
    assert wait(leaving, removed, is_for_end=True)["live"] is False
    assert ended(seen("initial"), gone).exit_code is Exit.FAILED


def test_nothing_is_waited_for_that_will_not_come() -> None:
    assert "stays there" in str(ended(seen("created"), is_for_end=True))


def test_a_time_out_says_where_the_object_is() -> None:
    end = ended(seen("initial"), *[seen("initial")] * 9, seconds=2.0)
    assert end.exit_code is Exit.UNREACHABLE
    assert "on its way to created" in str(end)


def test_a_time_out_in_the_target_itself_names_no_way_to_it() -> None:
    end = ended(seen("created", settled=False), *[seen("created", settled=False)] * 9, seconds=2.0)
    assert "is created, and not everything that was ordered of it is done" in str(end)
