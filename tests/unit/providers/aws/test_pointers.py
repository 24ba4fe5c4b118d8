"""The memory of names that can be pointed elsewhere."""

from collections.abc import Mapping, Sequence

from tenuto.model.ids import Instant
from tenuto.providers.aws.client.answers.pointers import KEPT_S, Pointers
from tenuto_testing.clock import VirtualClock

LONG_AGO = Instant(0.0)


class Told:
    """A source of answers that counts how often it is asked."""

    def __init__(self, **targets: str) -> None:
        self.targets = targets
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, names: Sequence[str]) -> Mapping[str, str]:
        self.asked.append(tuple(names))
        return {name: self.targets[name] for name in names if name in self.targets}


def test_an_answer_is_kept_for_a_while_and_so_is_that_there_was_none() -> None:
    clock, told = VirtualClock(), Told(a="k1")
    pointers = Pointers(clock)
    for _ in range(3):
        assert pointers.of(["a", "b"], LONG_AGO, told) == {"a": "k1"}
    assert told.asked == [("a", "b")]
    clock.advance(KEPT_S + 1)
    told.targets["b"] = "k2"
    assert pointers.of(["a", "b"], LONG_AGO, told) == {"a": "k1", "b": "k2"}


def test_an_answer_that_is_older_than_the_moment_wanted_is_asked_for_again() -> None:
    clock, told = VirtualClock(), Told(a="k1")
    pointers = Pointers(clock)
    pointers.of(["a"], LONG_AGO, told)
    clock.advance(10.0)
    told.targets["a"] = "k2"
    commanded = clock.now()
    assert pointers.of(["a"], commanded, told) == {"a": "k2"}
    assert pointers.of(["a"], commanded, told) == {"a": "k2"}
    assert len(told.asked) == 2


def test_only_what_is_not_known_is_asked_for() -> None:
    told = Told(a="k1", b="k2")
    pointers = Pointers(VirtualClock())
    pointers.of(["a"], LONG_AGO, told)
    pointers.of(["a", "b"], LONG_AGO, told)
    pointers.of([], LONG_AGO, told)
    assert told.asked == [("a",), ("b",)]
