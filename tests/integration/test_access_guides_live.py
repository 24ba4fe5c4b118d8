"""The pages on single sign-on, the audit log and editors, with a Conductor, an issuer and the shipped command line."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live import Live

from tenuto.cli.terminal.exits import Exit
from tenuto_testing.issuer import Issuer, served_issuer

NET = "Resources:\n  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}\n"
POLICY = """
TenutoPolicy: 1
Users: [ann@example.org, ci-shop]
Grants:
  - {{To: ann@example.org, Commands: all, Accounts: ["*"]}}
  - {{To: ci-shop, Commands: [plan, status, update], Accounts: ["*"]}}
Identities:
  - Issuer: {url}
    Audience: tenuto
    Claims: {{repository: org/shop, ref: refs/heads/main}}
    User: ci-shop
    Commands: [plan, status, update]
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with served_issuer(Issuer(now=time.time)) as found:
        yield found


@pytest.fixture
def live(tmp_path: Path, issuer: Issuer) -> Iterator[Live]:
    log = str(tmp_path / "audit.log")
    found = Live(tmp_path, "http://127.0.0.1:9", TENUTO_PROVIDERS="simulated", TENUTO_AUDIT_LOG=log)
    found.start("--oidc-issuer", f"{issuer.url}=tenuto")
    yield found
    found.stop()


def file(live: Live, name: str, text: str) -> str:
    (live.folder / name).write_text(text.lstrip())
    return str(live.folder / name)


def test_a_job_of_ci_signs_in_and_does_what_its_rule_lets_it_do(live: Live, issuer: Issuer) -> None:
    shop = file(live, "shop.yaml", NET)
    live.tenuto("policy", "set", file(live, "policy.yaml", POLICY.format(url=issuer.url)), check=True)
    live.tenuto("run", shop, "-a", "shop", "--wait", check=True)
    claims = {"sub": "job 41", "repository": "org/shop", "ref": "refs/heads/main"}
    credentials = str(live.folder / "ci.credentials")

    other = file(live, "other.jwt", issuer.sign(**{**claims, "ref": "refs/heads/theirs"}))
    assert live.tenuto("login", "--id-token", other, "-o", credentials).code == Exit.PERMISSION
    assert not Path(credentials).exists()

    mine = file(live, "token.jwt", issuer.sign(**claims))
    live.tenuto("login", "--id-token", mine, "-o", credentials, check=True)
    assert Path(credentials).stat().st_mode & 0o777 == 0o600
    job = Live(live.folder, live.endpoint, **{**live.settings, "TENUTO_CREDENTIALS": credentials})
    job.listen = live.listen
    assert "ci-shop" in job.tenuto("user", "whoami", check=True).out
    job.tenuto("update", "shop", shop, "--dry-run", check=True)
    denied = job.tenuto("kill", "shop")
    assert (denied.code, "the token was made for less" in denied.err) == (Exit.PERMISSION, True)
    assert live.status("shop") is not None


def test_the_audit_log_tells_who_did_what_and_where_it_was_changed(live: Live) -> None:
    live.tenuto("run", file(live, "shop.yaml", NET), "-a", "shop", "--wait", check=True)
    live.tenuto("kill", "shop", "--wait", check=True)
    told: Any = live.tenuto("audit", "list", "--json", check=True).document
    assert "run" in json.dumps(told)
    assert "kill" in json.dumps(told)
    live.tenuto("audit", "verify", check=True)
    log = live.folder / "audit.log"
    live.tenuto("audit", "verify", str(log), check=True)
    by_nobody: Any = live.tenuto("audit", "list", "--actor", "ann", "--last", "20", "--json", check=True).document
    assert "run" not in json.dumps(by_nobody)

    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:1] + lines[2:]))
    changed = live.tenuto("audit", "verify")
    assert changed.code == Exit.UNSOUND
    assert "audit.log, line 2" in changed.out + changed.err


@pytest.mark.parametrize("kind", ["composition", "policy", "rule", "config", "api"])
def test_a_schema_is_a_document_that_an_editor_can_read(live: Live, kind: str) -> None:
    found = json.loads(live.tenuto("schema", kind, check=True).out)
    assert "$schema" in found or "openapi" in found


def test_the_limits_of_the_page_are_taken_and_one_who_asks_too_much_waits(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/guide/limits.md").read_text(encoding="utf-8")
    options = next(line for line in page.splitlines() if line.startswith("$ tenuto conductor")).split()[3:]
    found = Live(tmp_path, "http://127.0.0.1:9", TENUTO_PROVIDERS="simulated")
    found.start(*options, "--limit", "requests=1")
    try:
        # Four at once are let through, and the command line waits for its turn.
        told = [found.tenuto("status", check=True) for _ in range(8)]
        assert all(one.code == 0 for one in told)
        metrics = "".join(one.err for one in told)
        assert "requests" in metrics
    finally:
        found.stop()
