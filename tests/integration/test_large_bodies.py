"""What refused bodies leave in the memory of a real Conductor: nothing that adds up."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from front import Http
from live import Live

from tenuto.service.access.own_secret import load_credentials

NOBODY = "http://127.0.0.1:9"
"""No provider is asked here."""
BODY_BYTES = 50 * 1024 * 1024
BODIES = 6
BOUND_BYTES = 2.5 * BODY_BYTES
"""A body or two may be left to the allocator; six that are kept are 300 MB."""
POLICY = """
TenutoPolicy: 1
Users: [eve, ann]
Grants:
  - {To: ann, Commands: run, Accounts: other}
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    made = Live(tmp_path, NOBODY)
    made.start()
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    made.tenuto("policy", "set", str(policy), check=True)
    yield made
    made.stop()


def resident_bytes(live: Live) -> int:
    assert live.process is not None
    status = Path(f"/proc/{live.process.pid}/status").read_text()
    [line] = [one for one in status.splitlines() if one.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024


def user(live: Live, name: str) -> Http:
    secret = live.tenuto("--json", "user", "generate-secret", name, check=True).document["secret"]
    return Http(f"http://{live.listen}", secret=secret)


def test_refused_bodies_do_not_add_up(live: Live) -> None:
    root = Http(f"http://{live.listen}", secret=load_credentials(live.folder / "credentials").secret)
    pad = "x" * BODY_BYTES
    objects = json.dumps({"composition": {"pad": [{"a": "b" * 1000, "c": [1]} for _ in range(BODY_BYTES // 1024)]}})
    stories = (
        (user(live, "eve"), "/v1/processes", json.dumps({"alias": "a", "composition": {"pad": pad}}), 403),
        (user(live, "ann"), "/v1/processes", json.dumps({"alias": "a", "composition": {"pad": pad}}), 403),
        (root, "/v1/processes", json.dumps({"composition": {"pad": pad}}), 422),
        (root, "/v1/processes", objects, 422),
        (root, "/v1/processes", json.dumps({"pad": pad})[:-1], 400),
        (root, "/v1/processes/none/execute", json.dumps({"plan": {"pad": pad}}), 400),
    )
    for number, (caller, path, text, status) in enumerate(stories):
        content = text.encode()
        before = 0
        for _ in range(BODIES):
            answer = caller("POST", path, content)
            assert answer.status == status, (number, answer.document)
            before = before or resident_bytes(live)
        grown = resident_bytes(live) - before
        assert grown < BOUND_BYTES, (number, status, before, grown)
