"""Details that cost calls are read when they must be, and remembered otherwise."""

from collections.abc import Mapping

import pytest

from tenuto.errors import TransientError
from tenuto.model.ids import Instant, JsonMap, PhysicalId
from tenuto.model.observation import Interest
from tenuto.providers.aws.client.answers.details import Details
from tenuto_testing.clock import VirtualClock

KIND = "A::Kind"


class Shown:
    """The details that a sweep asks for, and those of them that had to be read."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.details = Details(self.clock)
        self.gone: set[str] = set()
        self.is_down = False
        self.asked: list[list[str]] = []

    def look(
        self, tracked: dict[str, float], ids: list[str] | None = None, names: frozenset[str] = frozenset({"at"})
    ) -> dict[str, JsonMap]:
        self.clock.advance(1.0)
        interests = {PhysicalId(one): Interest(names=names, since=Instant(at)) for one, at in tracked.items()}
        return self.details.get(KIND, interests, list(tracked) if ids is None else ids, self._read)

    def _read(self, asked: Mapping[str, frozenset[str]]) -> dict[str, JsonMap]:
        if self.is_down:
            raise TransientError("no answer")
        self.asked.append(sorted(asked))
        return {one: dict.fromkeys(names, self.clock.now()) for one, names in asked.items() if one not in self.gone}


def test_what_was_read_after_the_given_moment_is_not_read_again() -> None:
    shown = Shown()
    first = shown.look({"a": 0.0, "b": 0.0})
    assert shown.look({"a": 0.0, "b": 0.0}) == first
    assert shown.asked == [["a", "b"]]


def test_what_was_changed_since_it_was_read_is_read_again_and_nothing_else() -> None:
    shown = Shown()
    first = shown.look({"a": 0.0, "b": 0.0})
    second = shown.look({"a": 0.0, "b": shown.clock.now()})
    assert shown.asked == [["a", "b"], ["b"]]
    assert second["a"] == first["a"]
    assert second["b"] != first["b"]


def test_a_sweep_at_the_very_moment_of_a_change_may_have_been_before_it() -> None:
    shown = Shown()
    read_at = shown.look({"a": 0.0})["a"]["at"]
    assert isinstance(read_at, float)
    shown.look({"a": read_at})
    assert shown.asked == [["a"], ["a"]]


def test_only_what_is_tracked_is_read_and_what_is_gone_is_left_out() -> None:
    shown = Shown()
    shown.gone = {"b"}
    assert list(shown.look({"a": 0.0, "b": 0.0}, ["a", "b", "stranger"])) == ["a"]
    assert shown.asked == [["a", "b"]]


def test_what_is_no_longer_tracked_is_forgotten_but_not_what_this_call_does_not_ask_for() -> None:
    shown = Shown()
    shown.look({"a": 0.0, "b": 0.0})
    shown.look({"a": 0.0}, [])
    shown.look({"a": 0.0, "b": 0.0})
    assert shown.asked == [["a", "b"], ["b"]]


def test_a_read_that_fails_leaves_what_was_known() -> None:
    shown = Shown()
    first = shown.look({"a": 0.0})
    shown.is_down = True
    with pytest.raises(TransientError):
        shown.look({"a": 0.0, "b": 0.0})
    assert shown.look({"a": 0.0}) == first


def test_what_nobody_asks_for_is_not_read_and_does_not_count_as_gone() -> None:
    shown = Shown()
    assert shown.look({"a": 0.0}, names=frozenset()) == {"a": {}}
    assert shown.asked == []


def test_more_than_was_read_is_read_and_less_is_given_out() -> None:
    shown = Shown()
    shown.look({"a": 0.0})
    more = shown.look({"a": 0.0}, names=frozenset({"at", "more"}))
    assert more["a"].keys() == {"at", "more"}
    assert shown.look({"a": 0.0}) == more
    assert shown.asked == [["a"], ["a"]]
