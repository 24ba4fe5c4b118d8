"""A real Conductor on bad days: lost answers, an endpoint that is away, a full disk, a terminal that is closed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_proxy import Fault, FaultProxy
from live import PATIENCE_S, Live

from tenuto.bootstrap.tools.emulator import Emulator

TEMPLATE = Path(__file__).parents[1] / "templates" / "vpc_with_managed_nat_and_private_subnet.yaml"
CREATES = (
    "AllocateAddress",
    "AssociateRouteTable",
    "AttachInternetGateway",
    "CreateInternetGateway",
    "CreateNatGateway",
    "CreateNetworkAcl",
    "CreateNetworkAclEntry",
    "CreateRoute",
    "CreateRouteTable",
    "CreateSubnet",
    "CreateVpc",
    "ReplaceNetworkAclAssociation",
)
MADE = {
    "vpcs": 1,
    "subnets": 4,
    "internet gateways": 1,
    "route tables": 4,
    "associations": 4,
    "addresses": 2,
    "nat gateways": 2,
    "own network acls": 1,
    "security groups": 1,
}
"""What the template makes, with the route table and the security group that come with a VPC."""


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator() as running:
        yield running


@pytest.fixture
def proxy(emulator: Emulator) -> Iterator[FaultProxy]:
    with FaultProxy(emulator.url, seed=int(os.environ.get("TENUTO_FAULT_SEED", "1"))) as running:
        yield running


@pytest.fixture
def live(tmp_path: Path, proxy: FaultProxy) -> Iterator[Live]:
    one = Live(tmp_path, proxy.url)
    one.start()
    yield one
    one.stop()


def made(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after if after[name] != before[name]}


@pytest.mark.timeout(600)
def test_answers_that_are_lost_make_no_duplicates_and_a_bad_day_leaves_no_orphans(
    live: Live, proxy: FaultProxy
) -> None:
    before = live.account()
    with proxy.troubled(Fault.LOST, Fault.CUT, share=0.4, only=CREATES):
        live.tenuto("run", str(TEMPLATE), "-a", "shop", f"--wait={PATIENCE_S}", check=True)
    assert proxy.done[Fault.LOST] + proxy.done[Fault.CUT] > 0
    assert made(before, live.account()) == MADE
    with proxy.troubled(Fault.LOST, Fault.CUT, Fault.BROKEN, Fault.THROTTLED, Fault.REFUSED, share=0.3):
        hurt = sum(proxy.done.values())
        live.tenuto("kill", "shop", check=True)
        live.until(
            lambda: live.status("shop") is None or sum(proxy.done.values()) >= hurt + 25,
            "a bad day",
            patience_s=4 * PATIENCE_S,
        )
    # What was hurt last may sleep for a minute, and others wait for it.
    live.until(lambda: live.status("shop") is None, "the kill ends", patience_s=4 * PATIENCE_S)
    assert made(before, live.account()) == {}


@pytest.mark.timeout(600)
def test_requests_that_arrive_twice_make_everything_once(live: Live, proxy: FaultProxy) -> None:
    """Half of what is created is created twice, and the answer may be that of the second time, which is a refusal."""
    before = live.account()
    with proxy.troubled(Fault.TWICE, Fault.TWICE_LAST, share=0.5, only=CREATES):
        live.tenuto("run", str(TEMPLATE), "-a", "shop", check=True)
        live.until(lambda: live.status("shop")["converged"], "everything is made", patience_s=4 * PATIENCE_S)
    assert proxy.done[Fault.TWICE] + proxy.done[Fault.TWICE_LAST] > 0
    assert made(before, live.account()) == MADE
    live.tenuto("kill", "shop", f"--wait={PATIENCE_S}", check=True)
    assert made(before, live.account()) == {}


@pytest.mark.timeout(600)
def test_a_bucket_with_a_declared_name_is_made_once_and_marked_however_often_answers_are_lost(
    live: Live, proxy: FaultProxy, tmp_path: Path
) -> None:
    """This endpoint takes no tags in the creation: they come with a call of their own."""
    file = tmp_path / "bucket.yaml"
    file.write_text("Resources: {Data: {Type: AWS::S3::Bucket, Properties: {BucketName: a-declared-name}}}")
    with proxy.troubled(Fault.LOST, share=1.0, only=("PUT",), times=1):
        live.tenuto("run", str(file), "-a", "data", check=True)
        live.until(lambda: live.status("data")["converged"], "it is made", patience_s=4 * PATIENCE_S)
    tags = live.aws("s3").get_bucket_tagging(Bucket="a-declared-name")["TagSet"]
    assert "tenuto:object" in {tag["Key"] for tag in tags}
    live.tenuto("kill", "data", f"--wait={PATIENCE_S}", check=True)


def test_an_endpoint_that_is_away_is_told_of_and_the_work_goes_on_when_it_is_back(
    live: Live, proxy: FaultProxy
) -> None:
    before = live.account()
    with proxy.troubled(Fault.REFUSED, share=1.0):
        run = live.tenuto("run", str(TEMPLATE), "-a", "shop", "--wait=1")
        assert (run.code, "keeps working on it" in run.err) == (8, True)
        live.until(lambda: live.status("shop")["last_message"], "a job tells of it")
        message = live.status("shop")["last_message"]
        assert "Describe" in message or "sts" in message
        plan = live.tenuto("plan", "shop", "--json")
        assert (plan.code, plan.document["error"]["code"]) == (1, "provider-unavailable")
    live.until_converged("shop", 0.0)
    assert made(before, live.account()) == MADE
    with proxy.troubled(Fault.REFUSED, share=1.0):
        assert live.tenuto("kill", "shop", "--wait=1").code == 8
    live.until(lambda: live.status("shop") is None, "the kill goes on")
    assert made(before, live.account()) == {}


def test_a_conductor_that_is_stopped_in_a_build_ends_cleanly_and_goes_on_where_it_was(live: Live) -> None:
    before = live.account()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        live.tenuto("apply", str(TEMPLATE), "-a", "shop", check=True)
        assert live.process is not None
        live.process.send_signal(number)
        assert live.process.wait(timeout=PATIENCE_S) == 0, live.log()
        live.start()
    live.until_converged("shop", 0.0)
    assert made(before, live.account()) == MADE
    live.tenuto("kill", "shop", f"--wait={PATIENCE_S}", check=True)
    assert made(before, live.account()) == {}


def test_ctrl_c_ends_a_wait_and_not_the_work(live: Live, proxy: FaultProxy) -> None:
    command = [sys.executable, "-m", "tenuto", "-y", "run", str(TEMPLATE), "-a", "shop", "--wait"]
    with proxy.troubled(Fault.REFUSED, share=1.0):  # so that the wait cannot be over before it is broken off
        waiting = subprocess.Popen(
            command, env=live.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        live.until(lambda: live.status("shop") is not None, "the process is there")
        waiting.send_signal(signal.SIGINT)
        _, told = waiting.communicate(timeout=PATIENCE_S)
    assert (waiting.returncode, "continues in the background" in told) == (130, True)
    live.until_converged("shop", 0.0)
    live.tenuto("kill", "shop", f"--wait={PATIENCE_S}", check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_disk_that_fills_in_the_middle_of_a_build_holds_everything_up_and_loses_nothing(
    tmp_path: Path, emulator: Emulator
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk], check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip("no disk may be mounted here")
    live = Live(tmp_path, emulator.url)
    live.database = disk / "tenuto.db"
    try:
        live.start()
        before = live.account()
        live.tenuto("run", str(TEMPLATE), "-a", "shop", check=True)
        filling = disk / "filling"
        fill(filling)
        refused = live.tenuto("suspend", "shop")
        assert (refused.code, "Free some space" in refused.err) == (1, True)
        assert live.status("shop")["state"] == "Running"
        filling.unlink()
        live.until_converged("shop", 0.0)
        assert made(before, live.account()) == MADE
        assert (tmp_path / "conductor.log").read_text().count("\n") < 500
        live.tenuto("kill", "shop", f"--wait={PATIENCE_S}", check=True)
        assert made(before, live.account()) == {}
    finally:
        live.stop()
        subprocess.run(["umount", disk], check=True)


def fill(path: Path) -> None:
    """Write until there is no space left."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            return
