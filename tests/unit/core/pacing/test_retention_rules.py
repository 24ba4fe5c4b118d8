"""Rules of retention are read and written as people give them; a question that goes too far back is known."""

import pytest

from tenuto.core.pacing.retention import DEFAULT_KEPT, complete_since, parse_rules, rules_text
from tenuto.model.ids import Instant
from tenuto.model.retention import KeepRule, Remnant, Tally


def test_the_rules_are_written_as_they_are_read() -> None:
    assert parse_rules(rules_text(DEFAULT_KEPT), {kind: KeepRule() for kind in Remnant}) == DEFAULT_KEPT


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("events=30d", KeepRule(seconds=30 * 86_400.0, most=1_000_000)),
        ("events=500", KeepRule(seconds=90 * 86_400.0, most=500)),
        ("events=2h,10", KeepRule(seconds=7200.0, most=10)),
        ("events=10,90m", KeepRule(seconds=5400.0, most=10)),
        (" events=0s ", KeepRule(seconds=0.0, most=1_000_000)),
        ("events=all", KeepRule()),
    ],
)
def test_a_line_changes_the_limits_that_it_names(line: str, rule: KeepRule) -> None:
    found = parse_rules([line])
    assert found[Remnant.EVENT] == rule
    assert {kind: one for kind, one in found.items() if kind is not Remnant.EVENT} == {
        kind: one for kind, one in DEFAULT_KEPT.items() if kind is not Remnant.EVENT
    }


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("events", "expected KIND=LIMITS"),
        ("events=", "expected KIND=LIMITS"),
        ("events=1y", "expected KIND=LIMITS"),
        ("events=-1", "expected KIND=LIMITS"),
        ("events=1d,2,3", "expected KIND=LIMITS"),
        ("evnts=1d", "no kind 'evnts' (did you mean events?); there are denied, events, ops"),
        ("compositions=1d", "no kind 'compositions'"),
    ],
)
def test_a_line_that_means_nothing_is_refused(line: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"expected|no kind") as refused:
        parse_rules([line])
    assert said in str(refused.value)


def test_every_kind_has_a_rule() -> None:
    assert set(DEFAULT_KEPT) == set(Remnant)


@pytest.mark.parametrize(
    ("start", "born_at", "since"),
    [(None, None, 50.0), (49.0, None, 50.0), (51.0, None, None), (None, 51.0, None), (None, 40.0, 50.0)],
)
def test_a_question_is_incomplete_when_it_goes_back_behind_what_was_removed(
    start: float | None, born_at: float | None, since: float | None
) -> None:
    tallies = {kind: Tally(kind=kind) for kind in Remnant}
    tallies[Remnant.JOB] = Tally(kind=Remnant.JOB, removed_until=Instant(50.0))
    tallies[Remnant.PLAN] = Tally(kind=Remnant.PLAN, removed_until=Instant(90.0))
    asked = None if start is None else Instant(start)
    born = None if born_at is None else Instant(born_at)
    assert complete_since(tallies, (Remnant.JOB, Remnant.OP), asked, born) == since
