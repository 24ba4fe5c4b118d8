"""An event that repeats is logged once in an interval, with its number."""

from tenuto.kit.sparse import Sparse


def test_the_first_event_is_told_and_those_of_the_same_interval_are_counted_for_the_next_line() -> None:
    sparse = Sparse(60.0)
    assert [sparse.count(now) for now in (5.0, 5.0, 64.9, 65.0, 66.0, 200.0)] == [1, 0, 0, 3, 0, 2]
