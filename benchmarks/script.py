"""The same stacks by Tenuto and by a plain script of the SDK, beside each other in one run on the strict cloud.

The script makes what a person would write in an hour: it remembers nothing, so it can be run once. It makes each stack
in order, eight stacks at a time, and takes them down by the ids that it still has in its hands. It is the floor: what
it costs to build, sign, send and parse the calls.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from botocore.config import Config
from botocore.session import Session

from benchmarks.measuring import cost_of
from benchmarks.stacks import REGION, credentials, tenuto

_THREADS = 8
_CLOUD = ("-m", "tenuto_testing.cloud", "--pace", "0", "--no-throttle", "--no-quotas")


def script(size: int) -> list[dict[str, Any]]:
    """`size` stacks of four resources: Tenuto's rows before the script's."""
    with TemporaryDirectory() as folder:
        with _cloud() as url:
            rows = tenuto(size, url, Path(folder))
        with _cloud() as url:
            rows += _script(size, url)
    return rows


@contextmanager
def _cloud() -> Iterator[str]:
    """The URL of a strict cloud in a process of its own."""
    child = subprocess.Popen([sys.executable, *_CLOUD], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert child.stdout is not None, "it was asked for"
    try:
        yield child.stdout.readline().strip()
    finally:
        child.terminate()
        child.wait()


def _script(size: int, url: str) -> list[dict[str, Any]]:
    credentials(url)
    client = Session().create_client("ec2", REGION, config=Config(max_pool_connections=_THREADS))
    calls: list[str] = []
    client.meta.events.register("before-send", lambda **_: calls.append("one"))
    rows: list[dict[str, Any]] = []
    made: list[dict[str, Any]] = []

    def step(name: str, work: Callable[[], object]) -> None:
        before = len(calls)
        cost = cost_of(work)
        more = {"cpu s": cost.cpu_s, "wall s": cost.wall_s, "calls": len(calls) - before}
        rows.append({"step": f"{name}, script", "resources": 4 * size, **more})

    with ThreadPoolExecutor(_THREADS) as pool:
        step("create", lambda: made.extend(pool.map(lambda number: _make(client, number), range(size))))
        step("no-op", lambda: _look(client))
        step("destroy", lambda: list(pool.map(lambda stack: _take_down(client, stack), made)))
    return rows


def _make(client: Any, number: int) -> dict[str, Any]:
    def tagged(kind: str, name: str) -> list[dict[str, Any]]:
        return [{"ResourceType": kind, "Tags": [{"Key": "Name", "Value": name}]}]

    block = f"10.{number % 250}"
    made = client.create_vpc(CidrBlock=f"{block}.0.0/16", TagSpecifications=tagged("vpc", "net"))
    vpc = made["Vpc"]["VpcId"]
    subnets = [
        client.create_subnet(
            VpcId=vpc,
            CidrBlock=f"{block}.{side}.0/24",
            AvailabilityZone=f"{REGION}{zone}",
            TagSpecifications=tagged("subnet", f"sub{side}"),
        )["Subnet"]["SubnetId"]
        for side, zone in ((1, "a"), (2, "b"))
    ]
    group = client.create_security_group(
        GroupName=f"web-{number}", Description="web", VpcId=vpc, TagSpecifications=tagged("security-group", "web")
    )["GroupId"]
    rule = {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    client.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])
    return {"vpc": vpc, "subnets": subnets, "group": group}


def _look(client: Any) -> None:
    """Ask for all of them, in bulk."""
    for operation in ("describe_vpcs", "describe_subnets", "describe_security_groups"):
        for _ in client.get_paginator(operation).paginate(PaginationConfig={"PageSize": 1000}):
            pass


def _take_down(client: Any, stack: dict[str, Any]) -> None:
    client.delete_security_group(GroupId=stack["group"])
    for subnet in stack["subnets"]:
        client.delete_subnet(SubnetId=subnet)
    client.delete_vpc(VpcId=stack["vpc"])
