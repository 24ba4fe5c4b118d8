"""The emulated AWS on loopback, and the provider in front of it."""

import os
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import botocore.session
import pytest
from aws_sessions import open_session
from block_examples import BenchOf, reasons
from botocore.config import Config
from scripted_endpoint import ScriptedEndpoint
from scripted_world import World

from tenuto.bootstrap.clock import SystemClock
from tenuto.bootstrap.tools.emulator import Emulator
from tenuto.model.ids import Partition
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

REGION = "us-east-1"


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """The URL of an emulator of our own, which ends with this process, however that ends."""
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            # A certificate counts as validated at once.
            patch.setenv("MOTO_ACM_VALIDATION_WAIT", "-1")
            emulator = stack.enter_context(Emulator())
        yield emulator.url


@pytest.fixture
def empty_account(endpoint: str) -> str:
    """The endpoint, with nothing left of the tests before."""
    with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/moto-api/reset", method="POST"), timeout=30):
        return endpoint


@pytest.fixture
def session(empty_account: str, monkeypatch: pytest.MonkeyPatch) -> botocore.session.Session:
    monkeypatch.setenv("AWS_ENDPOINT_URL", empty_account)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    found = open_session()
    found.set_credentials("test", "test")
    return found


@pytest.fixture
def stranger(session: botocore.session.Session, endpoint: str) -> Callable[[str], Any]:
    """A client of somebody else, who changes things behind Tenuto's back."""

    def client(service: str) -> Any:
        config = Config(s3={"addressing_style": "path"})
        return session.create_client(service, region_name=REGION, endpoint_url=endpoint, config=config)

    return client


@pytest.fixture
def partition() -> Partition:
    return Partition(account="default", region=REGION)


@pytest.fixture
def ops() -> RecordedOps:
    return RecordedOps()


@pytest.fixture
def provider(session: botocore.session.Session, ops: RecordedOps) -> AwsProvider:
    return AwsProvider(session=session, ops=ops, clock=SystemClock())


@pytest.fixture
def ids(request: pytest.FixtureRequest) -> SeededIds:
    """Ids that no other test has: they all share one emulated account."""
    return SeededIds(request.node.nodeid)


@pytest.fixture
def bench_of(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> BenchOf:
    """A bench with examples, of which nothing is waited for: the emulator is done at once."""

    def of(examples: tuple[Example, ...]) -> Bench:
        return Bench(
            ProviderCase(
                provider=provider, partition=partition, examples=examples, ids=ids, ops=ops, wait=lambda seconds: None
            )
        )

    return of


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    endpoint = ScriptedEndpoint()
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint.url)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    yield World(endpoint)
    endpoint.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what no example of a block tries, with the reasons: the list must not grow unseen."""
    if not any("test_blocks.py" in str(one.nodeid) for one in terminalreporter.stats.get("passed", ())):
        return
    listed = reasons()
    terminalreporter.section(f"not tried of {sum(map(len, listed.values()))} properties of blocks")
    for name in sorted(listed):
        for reason in sorted({*listed[name].values()}):
            words = sorted(word for word, why in listed[name].items() if why == reason)
            terminalreporter.write_line(f"{name}: {' '.join(words)}: {reason}")
