"""An attempt moves along its table only, and every event says what is known of the act from then on."""

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tenuto.core.phases import attempts
from tenuto.errors import IllegalTransitionError
from tenuto.lifecycles.attempt import ATTEMPT
from tenuto.model.attempt import UNTRIED, Attempt, AttemptState
from tenuto.model.ids import Instant, PhysicalId
from tenuto.model.outcome import Done, Outcome, Pending, Refused
from tenuto.storage.rows.acts import act_of, act_text

T0, T1, T2 = Instant(100.0), Instant(101.0), Instant(102.0)
SENT = attempts.sent(UNTRIED, T0, "a wish")
IN_DOUBT = attempts.doubted(SENT, T1)
moments = st.none() | st.integers(0, 10).map(lambda one: Instant(float(one)))
notes = st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=2)
values = st.builds(
    Attempt,
    state=st.sampled_from(AttemptState),
    sent_at=moments,
    wish=st.text(max_size=3),
    doubted_at=moments,
    held_since=moments,
    tries=st.integers(0, 3),
    is_under_way=st.booleans(),
    is_throttled=st.booleans(),
    was_shown=st.booleans(),
    duplicates=st.lists(st.text(max_size=3).map(PhysicalId), max_size=2).map(tuple),
    fingerprints=st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
    progress=notes,
    sent_as=notes,
)
outcomes = st.one_of(
    st.builds(Done),
    st.builds(Refused, message=st.just("no")),
    st.builds(
        Pending,
        message=st.just("wait"),
        code=st.sampled_from(["", "Busy"]),
        is_undone=st.booleans(),
        is_held=st.booleans(),
        progress=notes,
    ),
)


def test_an_act_is_sent_once_however_often_it_is_repeated_without_an_answer() -> None:
    assert (SENT.state, SENT.sent_at, SENT.wish) == (AttemptState.SENT, T0, "a wish")
    assert attempts.sent(SENT, T1, "another") is SENT
    assert attempts.sent(IN_DOUBT, T2, "another") is IN_DOUBT


def test_the_search_begins_when_it_is_first_made_and_not_when_the_act_was_sent() -> None:
    assert (IN_DOUBT.state, IN_DOUBT.sent_at, IN_DOUBT.doubted_at) == (AttemptState.IN_DOUBT, T0, T1)
    assert attempts.doubted(IN_DOUBT, T2) is IN_DOUBT


def test_an_act_that_left_nothing_is_sent_anew_for_a_new_wish() -> None:
    again = attempts.sent(attempts.absent(IN_DOUBT), T2, "a new wish")
    assert again == Attempt(state=AttemptState.SENT, sent_at=T2, wish="a new wish")


@pytest.mark.parametrize("outcome", [Refused(message="no"), Pending(message="slow down", is_undone=True)])
def test_an_act_of_this_run_that_did_nothing_was_never_sent(outcome: Refused | Pending) -> None:
    after = answer(SENT, outcome, before=UNTRIED, now=T0)
    assert (after.state, after.sent_at, after.wish) == (AttemptState.UNSENT, None, "")


@pytest.mark.parametrize("outcome", [Refused(message="no"), Pending(message="slow down", is_undone=True)])
@pytest.mark.parametrize("earlier", [SENT, IN_DOUBT])
def test_an_earlier_act_without_an_answer_stays_unknown_when_its_repetition_did_nothing(
    earlier: Attempt, outcome: Refused | Pending
) -> None:
    after = answer(earlier, outcome, before=earlier, now=T2)
    assert (after.state, after.sent_at) == (earlier.state, T0)


@pytest.mark.parametrize("earlier", [SENT, IN_DOUBT])
def test_an_act_that_is_done_is_answered(earlier: Attempt) -> None:
    assert answer(earlier, Done(), before=earlier, now=T2).state is AttemptState.ANSWERED


def test_a_deletion_may_search_before_it_is_sent() -> None:
    found = attempts.found(attempts.doubted(UNTRIED, T0), T1)
    assert (found.state, found.sent_at, found.doubted_at) == (AttemptState.FOUND, None, T0)
    assert attempts.sent(found, T2).state is AttemptState.SENT


def test_only_what_is_held_now_has_a_beginning_of_that() -> None:
    stuck = Pending(message="in use", code="DependencyViolation", is_held=True)
    held = attempts.held(SENT, stuck, T1)
    assert held.held_since == T1
    assert attempts.held(held, stuck, T2).held_since == T1
    assert attempts.held(held, Pending(message="going"), T2).held_since == T1
    assert attempts.held(held, Pending(message="slow down", code="Throttling"), T2).held_since is None
    assert attempts.held(held, Done(), T2).held_since is None


def test_a_provider_that_is_at_work_says_so_without_a_code() -> None:
    assert not attempts.heard(SENT, Pending(message="slow down", code="Throttling")).is_under_way
    at_work = attempts.heard(SENT, Pending(message="going"))
    assert at_work.is_under_way
    assert attempts.heard(at_work, Pending(message="slow down", code="Throttling")).is_under_way


def test_an_act_is_throttled_until_it_is_tried_again_for_another_reason() -> None:
    busy = Pending(message="too many requests", code="Busy", is_throttled=True)
    put_off = attempts.put_off(SENT, busy, UNTRIED, T1)
    assert (put_off.is_throttled, put_off.tries) == (True, 1)
    assert not attempts.put_off(put_off, Pending(message="wait", code="Throttling"), SENT, T2).is_throttled
    assert not attempts.tried(put_off).is_throttled
    assert not attempts.carried(put_off).is_throttled


def test_the_note_of_a_provider_stays_until_another_one_or_a_refusal() -> None:
    noted = attempts.heard(SENT, Pending(message="going", progress={"RequestToken": "t-1"}))
    assert attempts.heard(noted, Pending(message="going")).progress == {"RequestToken": "t-1"}
    assert attempts.heard(noted, Pending(message="going", progress={"RequestToken": "t-2"})).progress == {
        "RequestToken": "t-2"
    }
    assert attempts.refused(noted, Refused(message="no"), noted, T2).progress == {}


def test_a_creation_is_repeated_as_it_was_sent_until_its_end_is_known() -> None:
    act = attempts.sent(UNTRIED, T0, "one", sent_as={"Name": "a"})
    assert attempts.sent(act, T1, "two", sent_as={"Name": "b"}).sent_as == {"Name": "a"}
    assert attempts.carried(attempts.doubted(act, T1)).sent_as == {"Name": "a"}
    for ended in (
        attempts.answered(act),
        attempts.found(act, T1),
        attempts.refused(act, Refused(message="no"), UNTRIED, T0),
    ):
        assert ended.sent_as == {}
    assert attempts.sent(attempts.absent(attempts.doubted(act, T1)), T2, "two", sent_as={"Name": "b"}).sent_as == {
        "Name": "b"
    }


def test_the_note_of_a_change_ends_with_its_wish() -> None:
    noted = attempts.heard(attempts.asked(UNTRIED, T0, "one"), Pending(message="going", progress={"step": 1}))
    assert attempts.asked(attempts.carried(noted), T1, "one").progress == {"step": 1}
    other = attempts.asked(attempts.carried(noted), T1, "two")
    assert (other.state, other.sent_at, other.wish, other.progress) == (AttemptState.SENT, T0, "two", {})
    assert attempts.asked(attempts.carried(noted), T1, "two", keeps_note=True).progress == {"step": 1}


def test_a_refusal_that_is_no_answer_to_a_noted_act_leaves_the_note_and_the_doubt_over_a_retry() -> None:
    noted = attempts.heard(SENT, Pending(message="going", progress={"RequestToken": "t-1"}))
    unheard = Refused(message="you may not ask", keeps_doubt=True)
    assert attempts.refused(noted, unheard, noted, T2) is noted
    again = attempts.carried(noted)
    assert again == Attempt(state=AttemptState.SENT, sent_at=T0, wish="a wish", progress={"RequestToken": "t-1"})
    assert attempts.refused(SENT, unheard, UNTRIED, T0).state is AttemptState.UNSENT


@pytest.mark.parametrize("act", [SENT, replace(SENT, tries=4, held_since=T1), IN_DOUBT])
def test_a_retry_knows_of_an_act_without_an_end_and_of_nothing_else(act: Attempt) -> None:
    assert attempts.carried(act) == Attempt(state=AttemptState.SENT, sent_at=T0)


@pytest.mark.parametrize("act", [UNTRIED, SENT, IN_DOUBT, attempts.answered(SENT)])
def test_what_an_act_made_beside_its_own_thing_is_known_for_ever(act: Attempt) -> None:
    """A retry that had forgotten it would take it for a copy, which is left alone."""
    one, other = PhysicalId("vpc-1"), PhysicalId("vpc-2")
    known = attempts.made_twice(attempts.made_twice(act, [other]), [one, other])
    assert attempts.made_twice(known, [one]) is known
    assert attempts.carried(attempts.carried(known)).duplicates == (one, other)
    assert attempts.carried(known).state is attempts.carried(act).state


@pytest.mark.parametrize(
    "act",
    [UNTRIED, Attempt(tries=3), attempts.absent(IN_DOUBT), attempts.found(IN_DOUBT, T2), attempts.doubted(UNTRIED, T0)],
)
def test_a_retry_of_an_act_of_which_nothing_is_unknown_begins_with_nothing(act: Attempt) -> None:
    assert attempts.carried(act) is UNTRIED


@given(values, st.sampled_from(["doubted", "found", "absent", "done", "sent"]))
def test_an_event_moves_along_the_table_or_raises(act: Attempt, event: str) -> None:
    events = {
        "sent": lambda: attempts.sent(act, T2),
        "doubted": lambda: attempts.doubted(act, T2),
        "found": lambda: attempts.found(act, T2),
        "absent": lambda: attempts.absent(act),
        "done": lambda: attempts.answered(act),
    }
    before = replace(act)
    with suppress(IllegalTransitionError):
        after = events[event]()
        way = [act.state, *([AttemptState.IN_DOUBT] if event == "found" else []), after.state]
        assert all(ATTEMPT.allows(one, other) for one, other in pairwise(way) if one != other)
    assert act == before


@given(values)
def test_an_attempt_is_read_as_it_was_written(act: Attempt) -> None:
    assert act_of(act_text(act)) == act


def test_an_attempt_of_which_there_is_nothing_to_tell_is_no_text() -> None:
    assert act_text(UNTRIED) is None
    assert act_text(Attempt()) is None
    assert act_of(None) is UNTRIED


class Acts(RuleBasedStateMachine):
    """One act as runs make it: sent, answered or not, searched for, retried, in every order that a Conductor knows."""

    def __init__(self) -> None:
        super().__init__()
        self.act = UNTRIED
        self.now = T0
        self.before = UNTRIED

    @rule()
    def next_run(self) -> None:
        self.now = Instant(self.now + 1)
        self.before = self.act

    @rule(outcome=outcomes)
    def call(self, outcome: Outcome) -> None:
        if self.act.state is AttemptState.ANSWERED:
            return
        self.act = answer(attempts.sent(self.act, self.now), outcome, before=self.before, now=self.now)

    @rule(ends=st.sampled_from(["found", "absent", "open"]))
    def search(self, ends: str) -> None:
        if self.act.state not in (AttemptState.SENT, AttemptState.IN_DOUBT):
            return
        self.act = attempts.doubted(self.act, self.now)
        if ends == "found":
            self.act = attempts.found(self.act, self.now)
        elif ends == "absent":
            self.act = attempts.absent(self.act)

    @rule()
    def retry(self) -> None:
        was_unknown = self.act.is_unanswered
        self.act = attempts.carried(self.act)
        assert self.act.is_unanswered == was_unknown

    @invariant()
    def the_fields_agree_with_the_state(self) -> None:
        assert attempts.contradiction(self.act) == ""

    @invariant()
    def what_is_stored_is_what_is_known(self) -> None:
        assert act_of(act_text(self.act)) == self.act


TestActs = Acts.TestCase


def answer(act: Attempt, outcome: Outcome, *, before: Attempt, now: Instant) -> Attempt:
    """The attempt after a call, as the phases of a provider take its outcome."""
    told = attempts.held(attempts.heard(act, outcome), outcome, now)
    if isinstance(outcome, Pending):
        return attempts.put_off(told, outcome, before, now)
    return attempts.answered(told) if isinstance(outcome, Done) else attempts.refused(told, outcome, before, now)
