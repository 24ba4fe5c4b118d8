"""The page of the driver `ns`, typed as it is printed, on this machine as a host."""

import pytest
from installation import Installation
from page_of_a_host import follow_page

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_the_page_of_the_driver_ns_does_what_it_says(installation: Installation) -> None:
    follow_page(
        installation,
        "local-linux.md",
        alias="pair",
        driver="ns",
        joined_before="tenuto run pair.yaml",
        machines_in="machines",
    )
