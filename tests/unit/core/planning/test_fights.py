"""When two writers take turns, the resource is held; whatever is no turn does not count.

The common part of two unlike values is left out, and nothing in which they differ.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.planning.fights import MOST_TRIES, apart, confirmed, ended, held_message, is_ignored, judge, split_off
from tenuto.model.delta import Change, DeltaKind, Difference, Unknown
from tenuto.model.flip import Flip
from tenuto.model.ids import Instant, Json, LogicalId
from tenuto.model.snapshot import HoldPolicy
from tenuto_testing.store_samples import a_process, an_object

POLICY = HoldPolicy(flips=3, flip_window_s=1000.0)
NET = LogicalId("Net")


def drift(found: object = "theirs", path: str = "Label", after: object = "ours") -> Difference:
    change = Change(path=path, before=found, after=after)
    return Difference(kind=DeltaKind.CHANGED, logical_id=NET, changes=(change,))


class Ring:
    """One resource, and what is remembered of it."""

    def __init__(self) -> None:
        self.flips: dict[str, Flip] = {}
        self.held: tuple[Flip, ...] = ()

    def see(
        self,
        at: float,
        difference: Difference,
        *,
        touched: float | None = None,
        is_drift: bool = True,
        is_proven: bool = True,
    ) -> bool:
        """Whether the resource is held after it was seen so. Its correction is seen, too, when it is proven."""
        item = an_object(touched_at=Instant(at - 1 if touched is None else touched))
        known = tuple(self.flips.values())
        judged = judge(difference, item, known, POLICY, Instant(at), is_drift=is_drift)
        for _, path in judged.removed:
            del self.flips[path]
        self.flips |= {flip.path: flip for flip in judged.saved}
        if is_proven:
            self.flips |= {flip.path: flip for flip in confirmed(self.flips.values())}
        self.held = judged.held
        return bool(judged.held)


def test_a_resource_is_held_when_the_same_values_take_turns_more_often_than_allowed() -> None:
    ring = Ring()
    assert [ring.see(at, drift()) for at in (10, 20, 30, 40)] == [False, False, False, True]
    assert [ring.see(at, drift()) for at in (50, 5000)] == [True, True]
    assert ring.flips["Label"].count == 4


def test_turns_outside_of_the_window_are_forgotten() -> None:
    ring = Ring()
    assert not any(ring.see(at, drift()) for at in range(0, 20_000, 400))
    assert len(ring.flips["Label"].times) <= POLICY.flips + 1


def test_a_stranger_who_sets_another_value_each_time_has_twice_as_many_turns() -> None:
    ring = Ring()
    held = [ring.see(at, drift(found=f"value {at}")) for at in range(10, 80, 10)]
    assert held == [False] * 6 + [True]
    message = held_message(a_process(alias="web"), ring.held)
    assert 'Net.Label was found otherwise 7 times, last as "value 70", since 1970-01-01T00:00:10.000Z' in message


def test_another_value_while_it_is_held_does_not_end_the_hold() -> None:
    ring = Ring()
    for at in (10, 20, 30, 40):
        ring.see(at, drift())
    assert ring.see(50, drift(found="a third one"))


def test_another_declared_value_begins_from_one() -> None:
    ring = Ring()
    for at in (10, 20, 30):
        ring.see(at, drift())
    assert not ring.see(40, drift(after="resolved to something else"))
    assert ring.flips["Label"].count == 1


def test_a_flip_that_was_stored_before_turns_were_counted_goes_on() -> None:
    ring = Ring()
    for at in (10, 20, 30):
        ring.see(at, drift())
    ring.flips = {path: replace(flip, turns=()) for path, flip in ring.flips.items()}
    assert ring.see(40, drift())


def test_the_same_drift_seen_again_before_it_was_corrected_is_one_turn() -> None:
    ring = Ring()
    assert not any(ring.see(at, drift(), touched=5) for at in range(10, 300, 10))
    assert ring.flips["Label"].count == 1


def test_a_value_that_is_not_known_yet_is_no_turn() -> None:
    ring = Ring()
    assert not any(ring.see(at, drift(after=Unknown.AFTER_APPLY)) for at in range(10, 100, 10))
    assert ring.flips == {}


def test_a_resource_that_vanishes_again_and_again_is_held() -> None:
    ring = Ring()
    gone = Difference(kind=DeltaKind.VANISHED, logical_id=NET)
    assert [ring.see(at, gone) for at in (10, 20, 30, 40)] == [False, False, False, True]
    message = held_message(a_process(alias="web"), ring.held)
    assert "Net vanished 4 times" in message
    assert "ignore" not in message


def test_another_wish_ends_the_hold() -> None:
    ring = Ring()
    for at in (10, 20, 30, 40):
        ring.see(at, drift())
    assert not ring.see(50, drift(after="new"), is_drift=False)
    assert ring.flips == {}


def test_a_hold_ends_when_the_property_is_as_declared_while_another_one_drifts() -> None:
    ring = Ring()
    for at in (10, 20, 30, 40):
        ring.see(at, drift())
    assert not ring.see(50, drift(path="Tags"))
    assert set(ring.flips) == {"Tags"}


def test_only_holds_end_when_the_address_is_as_declared() -> None:
    ring = Ring()
    ring.see(10, drift())
    assert ended(ring.flips.values()) == ()
    for at in (20, 30, 40):
        ring.see(at, drift())
    assert ended(ring.flips.values()) == ((NET, "Label"),)


def test_the_detector_can_be_turned_off() -> None:
    never, known = replace(POLICY, flips=0), tuple[Flip, ...]()
    for at in range(10, 500, 10):
        judged = judge(drift(), an_object(touched_at=Instant(at - 1)), known, never, Instant(at), is_drift=True)
        assert judged.held == ()
        known = confirmed(judged.saved)
        assert len(known[0].turns) < 15


def test_the_message_tells_what_was_seen_since_when_and_what_to_do() -> None:
    ring = Ring()
    for at in (10, 20, 30, 40):
        ring.see(at, drift(found="x" * 500))
    message = held_message(a_process(alias="web"), ring.held)
    for part in ("Net.Label", "4 times since 1970-01-01T00:00:10.000Z", '"ours"', "ignore: [Label]", "retry web Net"):
        assert part in message
    assert len(message) < 500


@given(gaps=st.lists(st.sampled_from([1.0, 100.0, 400.0, 2000.0]), max_size=40))
def test_a_resource_is_held_exactly_when_the_window_holds_more_turns_than_allowed(gaps: list[float]) -> None:
    ring, at, turns, is_held = Ring(), 10.0, [], False
    for gap in gaps:
        at += gap
        turns.append(at)
        if not is_held:
            is_held = sum(1 for turn in turns if at - turn <= POLICY.flip_window_s) > POLICY.flips
        assert ring.see(at, drift()) is is_held
        assert len(ring.flips["Label"].times) <= POLICY.flips + 1


def test_a_change_that_is_accepted_and_ignored_is_tried_twice() -> None:
    ring = Ring()
    seen = [ring.see(at, drift(), is_proven=False) for at in (10, 20, 30, 40, 50)]
    assert seen == [False] * MOST_TRIES + [True] * 3
    assert all(is_ignored(flip) for flip in ring.held)
    message = held_message(a_process(alias="web"), ring.held)
    assert message == (
        'The provider does not keep Net.Label = "ours": it accepted this 2 times, and still shows "theirs". Not '
        "corrected any more: declare what it shows ('tenuto update web FILE'); or leave it as it is with "
        "'Metadata: {Tenuto: {ignore: [Label]}}'. 'tenuto retry web Net' corrects it again."
    )


def test_of_long_values_the_message_shows_that_in_which_they_differ() -> None:
    rules = [{"Id": f"rule{number}", "Days": number, "Prefix": "logs/"} for number in range(9)]
    declared = [*rules[:-1], {**rules[-1], "Larger": 1000}]
    ring = Ring()
    for at in (10, 20, 30, 40):
        ring.see(at, drift(found=rules, after=declared), is_proven=False)
    message = held_message(a_process(alias="web"), ring.held)
    assert 'keep Net.Label = [{"Id": "rule8", "Larger": 1000}]: it' in message
    assert 'still shows [{"Id": "rule8"}]' in message


def test_another_wish_is_seen_however_late_in_a_long_value_it_differs() -> None:
    ring, long = Ring(), "x" * 500
    for at in (10, 20):
        ring.see(at, drift(after=f"{long}1"), is_proven=False)
    ring.see(30, drift(after=f"{long}2"), is_proven=False)
    assert ring.flips["Label"].ignored == 0


def test_what_is_ignored_is_held_even_where_no_number_of_turns_is_too_many() -> None:
    ring, policy = Ring(), replace(POLICY, flips=0)
    for at in (10, 20):
        (flip,) = judge(
            drift(), an_object(touched_at=Instant(at - 1)), ring.flips.values(), policy, Instant(at), is_drift=True
        ).saved
        ring.flips = {flip.path: flip}
    assert flip.held_at is None
    judged = judge(drift(), an_object(touched_at=Instant(29)), ring.flips.values(), policy, Instant(30), is_drift=True)
    assert judged.held


def test_a_third_value_of_what_is_not_kept_is_the_work_of_another_hand() -> None:
    ring = Ring()
    assert [ring.see(at, drift(), is_proven=False) for at in (10, 20, 30, 40)] == [False, False, True, True]
    assert not ring.see(50, drift(found="a third one"), is_proven=False)
    assert ring.flips["Label"].ignored == 0


def test_a_value_that_the_provider_writes_anew_each_time_is_not_kept_and_no_fight() -> None:
    ring = Ring()
    held = [ring.see(at, drift(found=f"made up {at}"), is_proven=False) for at in (10, 20, 30)]
    assert held == [False, False, True]
    assert all(is_ignored(flip) for flip in ring.held)


def test_what_is_not_kept_is_split_from_the_rest_of_a_difference() -> None:
    ring = Ring()
    for at in (10, 20, 30):
        ring.see(at, drift(), is_proven=False)
    both = replace(drift(), changes=(*drift().changes, *drift(path="Size").changes))
    left, rest = split_off(both, ring.held)
    assert [change.path for change in left.changes] == ["Label"]
    assert rest is not None
    assert [change.path for change in rest.changes] == ["Size"]
    assert split_off(drift(), ring.held)[1] is None


def test_a_change_that_was_seen_once_is_not_taken_for_ignored() -> None:
    ring = Ring()
    ring.see(10, drift(), is_proven=False)
    ring.see(20, drift(), is_proven=True)
    ring.see(30, drift(), is_proven=False)
    assert ring.flips["Label"].ignored == 0


def test_a_drift_that_was_not_acted_on_is_no_try() -> None:
    ring = Ring()
    ring.see(10, drift(), is_proven=False)
    assert not any(ring.see(at, drift(), touched=5, is_proven=False) for at in (20, 30, 40, 50))
    assert ring.flips["Label"].ignored == 0


values = st.recursive(
    st.none() | st.booleans() | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("one", "other", "left"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, ({"b": 2}, {"b": 3})),
        ({"Id": "x", "a": 1}, {"Id": "x"}, ({"Id": "x", "a": 1}, {"Id": "x"})),
        (["a", "b"], ["b"], (["a"], [])),
        ([{"a": 1, "b": 2}, "c"], ["c", {"a": 1}], ([{"b": 2}], [{}])),
        ("a", ["a"], ("a", ["a"])),
    ],
)
def test_the_rest_is_what_differs(one: Json, other: Json, left: tuple[Json, Json]) -> None:
    assert apart(one, other) == left


@given(values, values)
def test_unlike_values_stay_unlike(one: Json, other: Json) -> None:
    left, right = apart(one, other)
    assert one == other or left != right


def test_a_value_that_is_not_there_is_told_in_words() -> None:
    ring = Ring()
    for at in (10, 20, 30, 40):
        ring.see(at, drift(found=None, after="ours"), is_proven=False)
    message = held_message(a_process(alias="web"), ring.held)
    assert 'Net.Label = "ours": it accepted this 2 times, and still shows nothing.' in message
