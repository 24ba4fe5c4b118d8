"""The acts behind Tenuto's back on simulated hosts, by the file of their zones."""

from pathlib import Path

import pytest

from tenuto.bootstrap.tools.local_hosts import set_host
from tenuto.errors import UserError
from tenuto.provider_plugins import file_beside
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.making import ENDING
from tenuto_testing.clock import VirtualClock


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A database beside which the zone `here` has its two hosts."""
    SimulatedDriver(VirtualClock(), file_beside(tmp_path / "tenuto.db", ENDING)).hosts("here")
    return str(tmp_path / "tenuto.db")


def test_a_host_that_is_in_another_zone_is_told_with_that_zone(database: str) -> None:
    with pytest.raises(UserError) as refused:
        set_host(database, "h1", "there", is_up=True)
    assert "There is no host h1 in the zone there. There is one in here: name its zone" in str(refused.value)
    assert "Did you mean" not in str(refused.value)


def test_a_host_that_is_nowhere_is_told_with_the_name_that_may_be_meant(database: str) -> None:
    with pytest.raises(UserError, match=r"There is no host h3\. Did you mean h1"):
        set_host(database, "h3", None, is_up=True)
