"""The AWS read path: what a look costs beside the same calls made and parsed by botocore alone.

Security groups with their rules (two lists) and subnets, in pages of a thousand, from a server of canned pages.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import urlopen

from botocore.config import Config
from botocore.session import Session

from benchmarks.measuring import cost_of, peak_mb, resident_mb
from tenuto.bootstrap.clock import SystemClock
from tenuto.conductor.reflector import Reflector
from tenuto.model.ids import Instant, Partition, TypeName
from tenuto.model.outcome import Op
from tenuto.ports.store_reads import ObjectReads
from tenuto.providers.aws.provider import AwsProvider
from tenuto.storage.memory import MemoryStore

HERE = Partition(account="default", region="us-east-1")
GROUP, SUBNET = TypeName("AWS::EC2::SecurityGroup"), TypeName("AWS::EC2::Subnet")
_LISTS = ("describe_security_groups", "describe_security_group_rules", "describe_subnets")
_ROUNDS = 5


class _NoOps:
    def record(self, op: Op) -> None:
        raise AssertionError("a look changes nothing")

    def called(self, service: str, api: str, result: str) -> None:
        """Counted elsewhere."""


def reading(size: int) -> list[dict[str, Any]]:
    """`size` groups with two rules each and `size` subnets: 4 × `size` items in all."""
    items = 4 * size
    with _server(size) as url:
        client = _session(url).create_client(
            "ec2", region_name=HERE.region, config=Config(retries={"mode": "standard"})
        )

        def plain() -> None:
            for name in _LISTS:
                for page in client.get_paginator(name).paginate(PaginationConfig={"PageSize": 1000}):
                    assert page["ResponseMetadata"]

        plain()
        rows = [_row("botocore alone", items, _best(plain))]
        before_mb = resident_mb()
        provider = AwsProvider(session=_session(url), ops=_NoOps(), clock=SystemClock())
        store: ObjectReads = MemoryStore()
        reflector = Reflector(store=store, providers={"aws": provider}, types=provider.types(), clock=SystemClock())

        def look() -> None:
            now = Instant(time.time())
            reflector.refresh(HERE, [GROUP, SUBNET], now)

        first = cost_of(look)
        sweep = reflector.latest(HERE, SUBNET)
        assert sweep is not None
        assert len(sweep.items) == size
        rows.append(_row("first look", items, first.cpu_s))
        rows.append(_row("look, nothing changed", items, _best(look)))
        with urlopen(f"{url}/turn") as answer:
            answer.read()
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


@contextmanager
def _server(size: int) -> Iterator[str]:
    command = [sys.executable, "-m", "benchmarks.pages_server", str(size)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        yield child.stdout.readline().strip()
        child.stdin.close()
        child.wait()
