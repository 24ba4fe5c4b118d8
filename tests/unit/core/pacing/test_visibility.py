"""How long what was made may be unknown to those who are asked for it."""

from tenuto.core.pacing.visibility import CREATE, VISIBILITY_S, is_new
from tenuto.model.ids import Instant
from tenuto.model.phase_map import PhaseStatus
from tenuto_testing.store_samples import an_entry, an_object, entries

MADE = Instant(1000.0)


def test_a_thing_is_new_for_a_minute_after_its_creation_has_ended() -> None:
    made = an_entry(PhaseStatus.COMPLETED, CREATE, ended_at=MADE)
    found = an_object(phases=entries(made), created_at=Instant(1.0), moved_at=MADE)
    assert is_new(found, Instant(MADE + VISIBILITY_S - 1))
    assert not is_new(found, Instant(MADE + VISIBILITY_S))


def test_what_was_adopted_is_new_for_a_minute_after_that() -> None:
    found = an_object(created_at=MADE, moved_at=Instant(MADE + 500.0))
    assert is_new(found, Instant(MADE + VISIBILITY_S - 1))
    assert not is_new(found, Instant(MADE + VISIBILITY_S))


def test_what_was_adopted_by_a_clock_that_was_ahead_is_not_new_until_its_time_has_come() -> None:
    found = an_object(created_at=Instant(MADE + 30 * 86_400.0), moved_at=MADE)
    assert not is_new(found, Instant(MADE + VISIBILITY_S))
