"""What each test here needs: a machine that can be a host. Where it cannot, the tests are skipped with the reason; with
`local` in TENUTO_REQUIRE they fail instead."""

import os
import shutil

import pytest

from tenuto.providers.local.drivers.ns.host import obstacle


def _obstacle() -> str:
    return obstacle() or ("" if shutil.which("ping") else "it lacks packages: apt-get install iputils-ping")


@pytest.fixture(scope="session", autouse=True)
def _able() -> None:
    if reason := _obstacle():
        if "local" in os.environ.get("TENUTO_REQUIRE", "").split(","):
            pytest.fail(f"TENUTO_REQUIRE asks for local: {reason}")
        pytest.skip(f"no host of driver ns: {reason}")
