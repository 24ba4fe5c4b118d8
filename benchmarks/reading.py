"""The AWS read path: what a sweep costs beside the same calls made and parsed by botocore alone.

Security groups with their rules (two lists) and subnets, in pages of a thousand, from the strict cloud.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from botocore.config import Config
from botocore.session import Session

from benchmarks.measuring import cost_of, peak_mb, resident_mb
from tenuto.bootstrap.clock import SystemClock
from tenuto.conductor.observing.marked import Marked
from tenuto.conductor.observing.reflector import Reflector
from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.conductor.providing.requests import Requests
from tenuto.model.ids import Instant, Partition, TypeName
from tenuto.model.outcome import Op
from tenuto.ports.store_reads import ObjectReads
from tenuto.providers.aws.provider import AwsProvider
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.sqlite.memory import MemoryStore

HERE = Partition(account="default", region="us-east-1")
GROUP, SUBNET = TypeName("AWS::EC2::SecurityGroup"), TypeName("AWS::EC2::Subnet")
_LISTS = ("describe_security_groups", "describe_security_group_rules", "describe_subnets")
_ROUNDS = 5
_SUBNETS = 4096
"""Subnets of the smallest size that fit into one VPC."""


class _NoOps:
    def record(self, op: Op) -> None:
        raise AssertionError("a sweep changes nothing")

    def called(self, service: str, api: str, result: str) -> None:
        """Counted elsewhere."""


def reading(size: int) -> list[dict[str, Any]]:
    """`size` groups with two rules each and `size` subnets, and the few that every account comes with."""
    with _server() as url:
        client = _session(url).create_client(
            "ec2", region_name=HERE.region, config=Config(retries={"mode": "standard"})
        )
        groups = _fill(client, size)
        items = sum(len(_members(page)) for name in _LISTS for page in client.get_paginator(name).paginate())

        def plain() -> None:
            for name in _LISTS:
                for page in client.get_paginator(name).paginate(PaginationConfig={"PageSize": 1000}):
                    assert _members(page)

        plain()
        rows = [_row("botocore alone", items, _best(plain))]
        before_mb = resident_mb()
        provider = AwsProvider(session=_session(url), ops=_NoOps(), clock=SystemClock())
        store: ObjectReads = MemoryStore()
        reflector = Reflector(
            store=store,
            providers={"aws": provider},
            types=ProviderTypes({"aws": provider.types()}),
            clock=SystemClock(),
            marked=Marked(store),
            requests=lambda: Requests(store, KeyedSecrets(new_keys())),
        )

        def look() -> None:
            now = Instant(time.time())
            reflector.refresh("aws", HERE, [GROUP, SUBNET], now)

        first = cost_of(look)
        sweep = reflector.latest("aws", HERE, SUBNET)
        assert sweep is not None
        assert len(sweep.items) >= size
        rows.append(_row("first sweep", items, first.cpu_s))
        rows.append(_row("look, nothing changed", items, _best(look)))
        client.create_tags(Resources=groups[: max(1, size // 100)], Tags=[{"Key": "changed", "Value": "yes"}])
        rows.append(_row("look, 1 % of groups changed", items, cost_of(look).cpu_s))
        rows[-2] |= {"KB/item": 1024 * (resident_mb() - before_mb) / items}
    return [row | {"peak MB": peak_mb()} for row in rows]


def _best(work: Callable[[], object]) -> float:
    return min(cost_of(work).cpu_s for _ in range(_ROUNDS))


def _row(step: str, items: int, cpu_s: float) -> dict[str, Any]:
    pages = -(-items // 1000)
    return {"step": step, "resources": items, "pages": pages, "cpu s": cpu_s, "µs/resource": 1_000_000 * cpu_s / items}


def _session(url: str) -> Session:
    os.environ |= {"AWS_ENDPOINT_URL": url, "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    session = Session()
    session.set_credentials("bench", "bench")
    return session


def _fill(client: Any, size: int) -> list[str]:
    """Make what is to be read; the ids of the groups."""
    groups: list[str] = []
    for number in range(size):
        if number % _SUBNETS == 0:
            vpc = client.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        place = number % _SUBNETS * 16
        client.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{place // 256}.{place % 256}/28")
        group = client.create_security_group(VpcId=vpc, GroupName=f"group-{number}", Description="bench")["GroupId"]
        allowed = {"CidrIp": "10.0.0.0/8", "Description": "bench"}
        client.authorize_security_group_ingress(
            GroupId=group,
            IpPermissions=[{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "IpRanges": [allowed]}],
            TagSpecifications=[{"ResourceType": "security-group-rule", "Tags": [{"Key": "Name", "Value": "bench"}]}],
        )
        groups.append(group)
    return groups


def _members(page: dict[str, Any]) -> list[Any]:
    return next(found for found in page.values() if isinstance(found, list))


@contextmanager
def _server() -> Iterator[str]:
    """The strict cloud without throttling, quotas and waiting, in a process of its own."""
    command = [sys.executable, "-m", "tenuto_testing.cloud", "--pace", "0", "--no-throttle", "--no-quotas"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            yield child.stdout.readline().strip()
        finally:
            child.terminate()
            child.wait()
