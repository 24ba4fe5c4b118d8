"""What a provider says of its consistency is what is waited for, and no longer."""

import pytest

from tenuto.conductor.observing.sightings import judge, losses
from tenuto.core.pacing.visibility import is_new, may_be_stale, next_sweep_s
from tenuto.model.consistency import EVENTUAL, IMMEDIATE, Consistency
from tenuto.model.ids import Instant, PhysicalId
from tenuto.model.observation import Presence, Sweep
from tenuto.model.resource import ResourceType
from tenuto_testing.store_samples import an_object

MADE = Instant(1000.0)
JUST_AFTER = Instant(1000.5)
FOUND = an_object(created_at=MADE, moved_at=MADE, touched_at=MADE, physical_id=PhysicalId("net-1"))
SLOW = Consistency(visible_s=600.0, settled_s=30.0, gap_s=10.0)


def presence(consistency: Consistency, at: Instant, missed_at: Instant | None) -> Presence:
    sweep = Sweep(partition=FOUND.partition, type=FOUND.type, started_at=at, items={})
    missed = {} if missed_at is None else {(FOUND.type, PhysicalId("net-1")): missed_at}
    return judge(FOUND, PhysicalId("net-1"), sweep, missed, consistency=consistency).presence


def test_one_complete_sweep_of_an_immediate_provider_proves_an_absence() -> None:
    assert presence(IMMEDIATE, JUST_AFTER, None) is Presence.ABSENT
    assert presence(EVENTUAL, JUST_AFTER, None) is Presence.DOUBTFUL


def test_a_sweep_from_before_our_own_change_proves_nothing_for_any_provider() -> None:
    assert presence(IMMEDIATE, MADE, None) is Presence.UNSEEN


@pytest.mark.parametrize(("after_s", "expected"), [(599.0, Presence.DOUBTFUL), (600.0, Presence.ABSENT)])
def test_a_slow_provider_is_given_its_own_time(after_s: float, expected: Presence) -> None:
    assert presence(SLOW, Instant(MADE + after_s), MADE) is expected
    assert presence(SLOW, Instant(MADE + 605.0), Instant(MADE + 600.0)) is Presence.DOUBTFUL


def test_new_and_stale_are_what_the_provider_says() -> None:
    assert (is_new(FOUND, JUST_AFTER, EVENTUAL), is_new(FOUND, JUST_AFTER, IMMEDIATE)) == (True, False)
    assert (may_be_stale(FOUND, JUST_AFTER, EVENTUAL), may_be_stale(FOUND, JUST_AFTER, IMMEDIATE)) == (True, False)
    assert next_sweep_s(0.0, IMMEDIATE) == 0.0
    assert next_sweep_s(100.0, SLOW) > next_sweep_s(100.0, EVENTUAL) == 0.0


def test_what_could_not_be_read_is_no_loss_however_immediate_the_provider_is() -> None:
    thing = (FOUND.type, PhysicalId("net-1"))
    sweep = Sweep(partition=FOUND.partition, type=FOUND.type, started_at=JUST_AFTER, items={})
    types = {FOUND.type: ResourceType(name=FOUND.type, provider="toy", source="nets", consistency=IMMEDIATE)}
    assert losses([thing], {FOUND.type: sweep}, {}, types)[FOUND.type].gone == 0
    assert losses([thing], {FOUND.type: sweep}, {thing: JUST_AFTER}, types)[FOUND.type].gone == 1
