"""A real Conductor process in front of the strict cloud over HTTP: slow states, late ids, throttling, lost answers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from accounts import OWN, Accounts
from installation import Installation
from live import PATIENCE_S, Live
from night import by_day

from tenuto.bootstrap.clock import SystemClock
from tenuto.bootstrap.tools.emulator import Emulator
from tenuto_testing.cloud import HOME_ACCOUNT, Buckets, Cloud, CloudServer, Failure, Lag, Pace

TEMPLATES = Path(__file__).parents[1] / "templates"
NAT = TEMPLATES / "vpc_with_managed_nat_and_private_subnet.yaml"
MODULES = TEMPLATES / "rain_modules_vpc.yml"
TRUST = {"Version": "2012-10-17", "Statement": []}
MAKING = "Allocate* Associate* Attach* Create*"

pytestmark = pytest.mark.slow


@pytest.fixture
def cloud() -> Cloud:
    """Fifty times as fast as AWS, and as hard; half of AWS's rates, so that they are met."""
    lag = Lag(new_s=0.5, changed_s=0.2, is_flickering=True)
    return Cloud(SystemClock(), pace=Pace(times=0.02), lag=lag, buckets=Buckets(times=0.5))


@pytest.fixture
def live(tmp_path: Path, cloud: Cloud) -> Iterator[Live]:
    with CloudServer(cloud) as server:
        installation = Live(tmp_path, server.url)
        try:
            yield installation
        finally:
            installation.stop()


def standing(cloud: Cloud) -> list[str]:
    """Everything that is there and not on its way out."""
    tables = cloud.place(HOME_ACCOUNT, "us-east-1").tables()
    return sorted(
        thing.id
        for table in tables
        for thing in list(table.things.values())
        if thing.get("State") not in ("deleting", "deleted", "failed")
    )


@pytest.mark.parametrize("template", by_day(1, [NAT, MODULES]), ids=lambda path: path.stem)
def test_a_template_is_built_through_a_bad_day_and_a_kill_9_drifts_back_and_leaves_nothing(
    live: Live, cloud: Cloud, template: Path
) -> None:
    before = standing(cloud)
    cloud.faults.by_chance(0.15, Failure.LOST, Failure.CUT, actions=MAKING, seed=1)
    live.start()
    live.tenuto("run", str(template), "-a", "web", check=True)
    live.until(lambda: any(asked.action == "CreateSubnet" for asked in list(cloud.log)), "the build has begun")
    live.kill_9()
    live.start()
    built = live.until_converged("web", 0.0)
    ids = {name: found["id"] for name, found in built["resources"].items()}
    assert len(set(ids.values())) == len(ids)
    owned = [one for one in standing(cloud) if one not in before]
    subnets = [one for one in owned if one.startswith("subnet-")]
    assert sorted(subnets) == sorted(found for found in ids.values() if found.startswith("subnet-"))

    cloud.faults.stop()
    association = next(name for name, found in ids.items() if found.startswith("rtbassoc-"))
    live.aws("ec2").disassociate_route_table(AssociationId=ids[association])
    live.until_made_again("web", association, ids[association])
    cloud.faults.by_chance(0.1, Failure.LOST, Failure.CUT, seed=2)
    live.tenuto("kill", "web", f"--wait={2 * PATIENCE_S}", check=True)
    assert standing(cloud) == before


def test_the_guide_of_cloud_control_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with CloudServer(Cloud(SystemClock(), pace=Pace(handler_s=0.5))) as server:
        live = Accounts(tmp_path, server.url)
        live.start("--period", "3600")
        made = Installation(tmp_path, live)

        def drift() -> None:
            patch = '[{"op": "add", "path": "/RuntimeVersion", "value": "syn-python-selenium-5.0"}]'
            cloud = live.inside(OWN, "cloudcontrol", "us-east-1")
            cloud.update_resource(TypeName="AWS::Synthetics::Canary", Identifier="visitor", PatchDocument=patch)

            def is_seen() -> bool:
                return "selenium-5.0" in live.tenuto("plan", "app").out

            live.until(is_seen, "the drift is seen")

        try:
            made.follow(
                Path(__file__).parents[2] / "docs/guide/cloud-control.md",
                skipped={"aws cloudcontrol": "a command of another package"},
                before={"tenuto plan app": drift},
            )
        finally:
            made.bash.close()
            live.stop()


def test_the_guide_of_sam_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Emulator() as emulator:
        live = Accounts(tmp_path, emulator.url)
        # The guide names a role of the account.
        live.inside(OWN, "iam", "us-east-1").create_role(RoleName="greeter", AssumeRolePolicyDocument=json.dumps(TRUST))
        live.start()
        made = Installation(tmp_path, live)
        try:
            made.follow(Path(__file__).parents[2] / "docs/guide/sam.md", skipped={"pip install": "the tests have it"})
        finally:
            made.bash.close()
            live.stop()
