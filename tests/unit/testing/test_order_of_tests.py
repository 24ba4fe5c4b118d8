"""The order in which the tests of a run begin (tests/support/order.py)."""

import pytest
from order import ordered

KERNEL = [f"linux/test_kernel_{number}.py" for number in range(3)]
LIVE = [f"integration/test_live_{number}.py" for number in range(4)]
SLOW = "stateful/test_histories.py"
SHORT = [f"unit/test_{number}.py" for number in range(40)]
TESTS = [
    (file, number) for file in (*LIVE, "integration/aws/test_types.py", *KERNEL, SLOW, *SHORT) for number in (1, 2)
]


def shares(workers: int) -> list[list[tuple[str, int]]]:
    """What each worker is given: an equal share of a row, as far as it can be."""
    row = ordered(TESTS, workers, file=lambda test: test[0], is_slow=lambda test: test == (SLOW, 2))
    assert sorted(row) == sorted(TESTS)
    found = []
    for number in range(workers):
        size = len(row) // (workers - number)
        found.append(row[:size])
        row = row[size:]
    return found


def is_long(test: tuple[str, int]) -> bool:
    return test[0] in (*KERNEL, *LIVE, SLOW)


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 9])
def test_each_share_begins_with_its_long_tests_and_the_last_one_has_none(workers: int) -> None:
    given = shares(workers)
    for share in given:
        assert [is_long(test) for test in share] == sorted(map(is_long, share), reverse=True)
    assert workers == 1 or not any(map(is_long, given[-1]))


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 9])
def test_the_tests_of_a_kernel_are_one_row_of_one_worker(workers: int) -> None:
    first, *others = shares(workers)
    assert [file for file, _ in first[: 2 * len(KERNEL)]] == [file for file in KERNEL for _ in (1, 2)]
    assert not any(file in KERNEL for share in others for file, _ in share)


def test_the_tests_of_a_module_that_is_slow_stay_together_in_their_order() -> None:
    [share] = [one for one in shares(4) if (SLOW, 1) in one]
    place = share.index((SLOW, 1))
    assert share[place + 1] == (SLOW, 2)
