"""The command line after a refusal because of too many requests: it waits as told, and tries again."""

import pytest
import urllib3
from front import SECRET, Front, served

from tenuto.cli.client import turns
from tenuto.cli.client.client import Client, Patience
from tenuto.cli.entry import run
from tenuto.cli.terminal.exits import ApiProblem, Exit, exit_for
from tenuto.core.pacing.quotas import parse_quotas
from tenuto.model.ids import Instant


class Waits:
    """Implements `ports.clock.Clock`: whoever sleeps moves the clock of the Conductor."""

    def __init__(self, front: Front | None = None) -> None:
        self.front = front
        self.slept: list[float] = []

    def now(self) -> Instant:
        return Instant(sum(self.slept))

    wall = now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if self.front is not None:
            self.front.clock.sleep(seconds)


def test_a_command_waits_for_its_turn_and_tells_so_once(capsys: pytest.CaptureFixture[str]) -> None:
    front = Front(quotas=parse_quotas(["requests=1"], {}))
    clock = Waits(front)
    with served(front) as url:
        client = Client(url=url, secret=SECRET, clock=clock)
        for _ in range(7):
            client.get("processes")
    assert len(clock.slept) == 3
    assert all(1.0 <= one <= 1.25 for one in clock.slept)
    told = capsys.readouterr().err
    assert told.count("takes no more requests from here for 1 s") == 1


def test_patience_ends_with_the_refusal_itself() -> None:
    front = Front(quotas=parse_quotas(["requests=1"], {}))
    clock = Waits()
    with served(front) as url:
        client = Client(url=url, secret=SECRET, clock=clock, patience=Patience(turn_s=5.0))
        for _ in range(4):
            client.get("processes")
        with pytest.raises(ApiProblem) as refusal:
            client.get("processes")
    assert (refusal.value.code, refusal.value.document["limit"]) == ("too-many", "requests")
    assert exit_for(refusal.value.code) is Exit.UNREACHABLE
    assert 4 <= len(clock.slept) <= 5


def test_an_answer_of_a_proxy_that_does_not_say_how_long_is_tried_again_after_a_second() -> None:
    clock, told = Waits(), []
    given = iter([{}, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, {"Retry-After": "0"}, None])

    def ask() -> urllib3.BaseHTTPResponse:
        headers = next(given)
        return urllib3.HTTPResponse(b"", status=200 if headers is None else 429, headers=headers)

    answer = turns.answered(ask, longest_s=60.0, clock=clock, tell=told.append)
    assert (answer.status, told) == (200, [1.0, 1.0, 1.0])


def test_a_wrong_limit_is_refused_with_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    for given, words in (
        ("request=5", "did you mean requests?"),
        ("plans=1.5", "whole number"),
        ("requests=0", "none"),
    ):
        assert run(["conductor", "--limit", given], {}) == Exit.USAGE
        assert words in capsys.readouterr().err
