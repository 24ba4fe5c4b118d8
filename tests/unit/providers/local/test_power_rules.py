"""The ends of machines that are left as they are, by the value of `Restart`."""

import pytest

from tenuto.providers.local.rules.machines.power import (
    ALWAYS,
    NEVER,
    OFF,
    OFF_BY_GUEST,
    ON,
    ON_FAILURE,
    PAUSED,
    RESTARTS,
    is_left_off,
)

KILLED = "off (ended by signal 9)"


@pytest.mark.parametrize(
    ("power", "left_by"),
    [(ON, ()), (PAUSED, ()), (OFF, ()), (KILLED, (NEVER,)), (OFF_BY_GUEST, (ON_FAILURE, NEVER))],
)
def test_a_machine_that_ended_stays_off_as_restart_says(power: str, left_by: tuple[str, ...]) -> None:
    assert tuple(one for one in RESTARTS if is_left_off(power, one)) == left_by
    assert not is_left_off(power, ALWAYS)
