"""`events --follow`: from what happened to what happens, over a Conductor that goes away."""

from collections.abc import Iterator

import pytest
from front import SECRET, Front, served, submission

from tenuto.cli.client.client import Client
from tenuto.cli.terminal.exits import ApiProblem, UnreachableError
from tenuto.model.ids import JsonMap


def some_events(stream: Iterator[JsonMap | None], count: int) -> list[JsonMap]:
    found: list[JsonMap] = []
    for event in stream:
        if event is not None:
            found.append(event)
        if len(found) == count:
            break
    return found


def test_a_stream_begins_with_a_sign_of_life_and_goes_on_with_what_comes() -> None:
    front = Front()
    with served(front) as url:
        client = Client(url=url, secret=SECRET)
        stream = client.follow("events", follow="true")
        assert next(stream) is None
        front.commands.run(submission(), alias="web")
        first = some_events(stream, 2)
        front.commands.suspend("web")
        later = some_events(stream, 2)
        stream.close()  # type: ignore[attr-defined]
    numbers = [event["number"] for event in [*first, *later]]
    assert numbers == sorted(set(numbers))
    assert {event["after"] for event in later if event["type"] == "process.state"} == {"Suspended"}


def test_a_stream_can_be_taken_up_after_a_number() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    with served(front) as url:
        client = Client(url=url, secret=SECRET)
        everything = some_events(client.follow("events", follow="true"), 2)
        after = everything[0]["number"]
        assert some_events(client.follow("events", follow="true", after=after), 1) == everything[1:]


def test_a_conductor_that_stops_ends_its_streams_and_one_that_is_gone_is_unreachable() -> None:
    front = Front()
    with served(front) as url:
        stream = Client(url=url, secret=SECRET).follow("events", follow="true")
        assert next(stream) is None
    assert list(stream) == []
    with pytest.raises(UnreachableError):
        next(Client(url=url, secret=SECRET).follow("events"))


def test_a_wrong_question_is_a_problem_and_no_stream() -> None:
    with served(Front()) as url, pytest.raises(ApiProblem, match="no process"):
        next(Client(url=url, secret=SECRET).follow("events", follow="true", process="nobody"))
