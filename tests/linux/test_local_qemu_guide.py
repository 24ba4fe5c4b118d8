"""The page of the driver `qemu`, typed as it is printed, on this machine as a host."""

import pytest
from installation import Installation
from page_of_a_host import follow_page
from virtual_host import image

from tenuto.providers.local.drivers.qemu.host import obstacle

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(obstacle()), reason=f"no host of driver qemu: {obstacle()}"),
]


def test_the_page_of_the_driver_qemu_does_what_it_says(installation: Installation) -> None:
    image()  # The packages are fetched once for all tests.
    follow_page(
        installation,
        "local-qemu.md",
        alias="vm",
        driver="qemu",
        joined_before="tenuto image build",
        machines_in="virtual",
    )
