"""The numbers are behind the gate like everything else."""

import pytest
import urllib3
from front import SECRET, Front, Http, served

pytest.importorskip("prometheus_client", reason="the environment is older than the dependency")


def test_metrics_are_text_for_whoever_has_the_secret_and_nobody_else() -> None:
    with served(Front()) as url, urllib3.PoolManager(retries=False) as pool:
        answer = pool.request("GET", f"{url}/metrics", headers={"Authorization": f"Bearer {SECRET}"})
        assert (answer.status, answer.headers["Content-Type"].partition(";")[0]) == (200, "text/plain")
        text = answer.data.decode()
        assert 'tenuto_build_info{version="' in text
        assert 'tenuto_processes{state="Running"} 0.0' in text
        assert Http(url, None)("GET", "/metrics").status == 401
        assert Http(url)("POST", "/metrics", {}).status == 405
