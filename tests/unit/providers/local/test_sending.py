"""Contents on their way from a host to its Conductor: exact whatever happens to the connection, or said not to be."""

import io

import pytest

from tenuto.providers.local.agent import sending
from tenuto.providers.local.agent.calls import RefusedError, SilentError
from tenuto.providers.local.agent.sending import Sender
from tenuto.providers.local.driver import NotSentError

CONTENT = bytes(range(256)) * 40
LATE, NEVER = 9e12, 0.0


class Conductor:
    """A Conductor that takes bytes, and what goes wrong with its answers, one after the other."""

    def __init__(self) -> None:
        self.content = b""
        self.faults: list[Exception] = []
        self.loses_answers = False

    def size(self, name: str) -> int:
        return len(self.content)

    def append(self, name: str, offset: int, content: bytes) -> int:
        if offset != len(self.content):
            raise RefusedError(409, "The next byte is another one")
        if self.faults and not self.loses_answers:
            raise self.faults.pop(0)
        self.content += content
        if self.faults:
            raise self.faults.pop(0)
        return len(self.content)


@pytest.fixture
def conductor(monkeypatch: pytest.MonkeyPatch) -> Conductor:
    monkeypatch.setattr(sending, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(sending, "AGAIN_S", 0.0)
    return Conductor()


def test_a_content_comes_as_it_is(conductor: Conductor) -> None:
    Sender(conductor.size, conductor.append)("x-0-0", io.BytesIO(CONTENT), NEVER)
    assert conductor.content == CONTENT


@pytest.mark.parametrize("loses_answers", [False, True])
def test_a_content_is_exact_when_the_connection_breaks(conductor: Conductor, loses_answers: bool) -> None:
    conductor.faults = [SilentError("the connection ended")] * 3
    conductor.loses_answers = loses_answers
    Sender(conductor.size, conductor.append)("x-0-0", io.BytesIO(CONTENT), LATE)
    assert conductor.content == CONTENT


def test_a_content_that_an_earlier_agent_began_goes_on(conductor: Conductor) -> None:
    conductor.content = CONTENT[:2500]
    Sender(conductor.size, conductor.append)("x-0-0", io.BytesIO(CONTENT), NEVER)
    assert conductor.content == CONTENT


@pytest.mark.parametrize(
    ("fault", "why"),
    [(SilentError("it is away"), "in time: it is away"), (RefusedError(507, "no room"), "did not take it: no room")],
)
def test_what_cannot_be_sent_is_said(conductor: Conductor, fault: Exception, why: str) -> None:
    conductor.faults = [fault] * 10
    with pytest.raises(NotSentError, match=why):
        Sender(conductor.size, conductor.append)("x-0-0", io.BytesIO(CONTENT), NEVER)
