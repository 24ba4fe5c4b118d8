"""Equal acts are counted: the first leaves a line at once, the next line tells how many there were in between."""

from tenuto.kit.counted import MOST, MOST_KINDS, Between, Counted

ANN = ("ann",)


def test_the_first_act_leaves_a_line_and_those_of_the_same_interval_are_a_number_in_the_next() -> None:
    counted = Counted(60.0)
    assert counted.count(ANN, ("kill", "shop"), 5.0) == Between()
    assert [counted.count(ANN, ("kill", "shop"), now) for now in (5.0, 30.0, 64.9)] == [None, None, None]
    assert counted.count(ANN, ("kill", "shop"), 65.0) == Between(count=3, since=5.0)
    assert counted.count(ANN, ("kill", "shop"), 200.0) == Between(count=0, since=65.0)


def test_no_kind_and_no_user_hides_the_first_of_another() -> None:
    counted = Counted(60.0)
    for who, kind in (
        (ANN, ("kill", "shop")),
        (ANN, ("kill", "web")),
        (ANN, ("update", "shop")),
        (("ben",), ("kill", "shop")),
    ):
        assert counted.count(who, kind, 1.0) == Between()


def test_a_user_who_varies_the_names_is_counted_and_hides_no_other_user() -> None:
    counted = Counted(60.0)
    told = [counted.count(ANN, ("run", f"account-{number}"), 1.0) for number in range(1000)]
    assert len([one for one in told if one is not None]) == MOST_KINDS + 1
    assert counted.count(("ben",), ("run", "prod"), 1.0) == Between()
    later = counted.count(ANN, ("run", "another"), 100.0)
    assert later == Between(), "a kind of its own again"
    told = [counted.count(ANN, ("run", f"more-{number}"), 100.0) for number in range(MOST_KINDS + 1)]
    [shared] = [one for one in told if one is not None and one.count]
    assert shared.count == 1000 - MOST_KINDS - 1


def test_memory_is_bounded_by_users_and_forgets_the_one_who_left_a_line_longest_ago() -> None:
    counted = Counted(60.0)
    for number in range(MOST + 1):
        counted.count((f"key-{number}",), ("kill", "shop"), 1.0)
    assert counted.count((f"key-{MOST}",), ("kill", "shop"), 2.0) is None
    assert counted.count(("key-0",), ("kill", "shop"), 2.0) == Between()


def test_a_line_that_could_not_be_written_is_due_again() -> None:
    counted = Counted(60.0)
    counted.count(ANN, ("kill", "shop"), 1.0)
    counted.forget(ANN, ("kill", "shop"))
    assert counted.count(ANN, ("kill", "shop"), 2.0) == Between()
