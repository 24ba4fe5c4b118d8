"""Stacks of a VPC, two subnets and a security group: made, held, mended and taken down, by Tenuto and by Terraform.

Both work against the same emulated AWS, started afresh for each. Tenuto runs each stack as a process of its own, its
whole Conductor in this process, on a database file and the clock of the wall; Terraform has all stacks in one
configuration, as it was measured before. What is compared:

    first      one stack alone, made and taken down, by Tenuto only: what is done once for each Conductor (clients,
               their models, who we are) is paid here, as the script makes its client before it is measured
    create     from the command until everything stands
    no-op      one job of every process, or `plan`: everything is looked at, nothing differs
    repair     one security group is deleted behind our back: from then until another one stands. Tenuto's clock is set
               on to the next period first: when it would look is a setting, what it costs is not
    destroy    until everything is gone
"""

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from botocore.session import Session

from benchmarks import peers
from benchmarks.measuring import cost_of, peak_mb
from tenuto.bootstrap.clock import SystemClock
from tenuto.bootstrap.processor import kept_to_one_processor
from tenuto.bootstrap.system import System, build
from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.kit.ids import RandomIds
from tenuto.model.command import ProcessState
from tenuto.model.ids import Instant, Json
from tenuto.model.process import Process
from tenuto.ports.store import Store
from tenuto.providers.aws.provider import AwsProvider
from tenuto.service.intake.composition import Submission
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.open import open_store

REGION = "us-east-1"
PERIOD_S = 30.0
AT_A_TIME = 8
"""Commands that people give at the same time."""
_POLL_S = 0.01
_ASK_S = 0.05
"""The emulator is asked less often than our own store: to ask it costs more than what is measured."""
_PATIENCE_S = 900.0
_CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}


def stacks(size: int) -> list[dict[str, Any]]:
    """`size` stacks on ministack, Tenuto's rows before Terraform's."""
    return _on("ministack", size)


def stacks_on_moto(size: int) -> list[dict[str, Any]]:
    """The same on moto."""
    return _on("moto", size)


def _on(name: str, size: int) -> list[dict[str, Any]]:
    found = peers.installed()
    with TemporaryDirectory() as folder:
        with peers.emulator(found, name) as url:
            rows = tenuto(size, url, Path(folder))
        with peers.emulator(found, name) as url:
            rows += _terraform(size, url, found, Path(folder))
    return rows


class _ShiftedClock(SystemClock):
    """The clock of the wall, set on now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.shift_s = 0.0

    def now(self) -> Instant:
        return Instant(super().now() + self.shift_s)


def credentials(url: str) -> None:
    """Let every session of this process call an emulator, and nothing else of this machine's settings."""
    os.environ |= _CREDENTIALS | {
        "AWS_ENDPOINT_URL": url,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }


def tenuto(size: int, url: str, folder: Path) -> list[dict[str, Any]]:
    """The steps of so many stacks by Tenuto."""
    credentials(url)
    session, outside, calls, clock = Session(), Session(), Counter[str](), _ShiftedClock()
    session.get_component("event_emitter").register("before-send", lambda **_: calls.update(["all"]))
    store = open_store(str(folder / "tenuto.db"))
    system = build(
        store=store,
        providers=lambda ops, clock: [AwsProvider(session=session, ops=ops, clock=clock)],
        clock=clock,
        ids=RandomIds(),
        secrets=KeyedSecrets(new_keys()),
        period_s=PERIOD_S,
    )
    submissions = [Submission(document=_document(number), secrets={}) for number in range(size)]
    alone = Submission(document=_document(size), secrets={})
    rows: list[dict[str, Any]] = []

    def step(name: str, work: Callable[[], object], count: int = size) -> None:
        before = calls["all"]
        cost = cost_of(work)
        more = {"cpu s": cost.cpu_s, "wall s": cost.wall_s, "calls": calls["all"] - before}
        rows.append({"step": f"{name}, Tenuto", "resources": 4 * count, **more})

    def first() -> None:
        system.commands.run(alone, alias="alone")
        _until_each(store, lambda process: process.converged_at is not None)
        destroy()

    def create() -> None:
        # As many at a time as the script of `benchmarks.script` makes: each command waits for the disk.
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            for _ in pool.map(
                lambda number: system.commands.run(submissions[number], alias=f"stack-{number}"), range(size)
            ):
                pass
        _until_each(store, lambda process: process.converged_at is not None)

    def hold() -> None:
        clock.shift_s += PERIOD_S
        since = clock.now()
        system.conductor.notify()
        _until_each(store, lambda process: _has_observed(process.last_job, since))

    def repair() -> None:
        clock.shift_s += PERIOD_S
        system.conductor.notify()
        _until(lambda: _standing_groups(outside) == size, _ASK_S)

    def destroy() -> None:
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            for _ in pool.map(lambda process: system.commands.kill(process.fid), store.processes()):
                pass
        _until_each(store, lambda process: process.state is ProcessState.GONE)

    with _running(system):
        step("first", first, count=1)
        step("create", create)
        hold()
        step("no-op", hold)
        _delete_a_group(outside)
        step("repair", repair)
        step("destroy", destroy)
    store.close()
    return [row | {"peak MB": peak_mb()} for row in rows]


def _until_each(store: Store, is_true: Callable[[Process], bool]) -> None:
    """Wait for one process after the other: asking for all of them again and again would be measured, too."""
    for one in store.processes():
        _until(lambda fid=one.fid: (found := store.process(fid)) is None or is_true(found))


def _has_observed(job: Any, since: Instant) -> bool:
    return job is not None and job.started_at >= since - PERIOD_S / 6 and job.status == "SUCCEEDED"


@contextmanager
def _running(system: System) -> Iterator[None]:
    stop = threading.Event()

    def run() -> None:
        with kept_to_one_processor():  # as the program does
            system.conductor.run(stop)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        system.conductor.notify()
        thread.join()


def _until(is_true: Callable[[], bool], poll_s: float = _POLL_S) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not is_true():
        if time.monotonic() > deadline:
            raise RuntimeError("it does not come to its end")
        time.sleep(poll_s)


def _groups(session: Session) -> list[Json]:
    client = session.create_client("ec2", region_name=REGION)
    pages = client.get_paginator("describe_security_groups").paginate()
    return [one for page in pages for one in page["SecurityGroups"] if one["Description"] == "web"]


def _standing_groups(session: Session) -> int:
    return len(_groups(session))


def _delete_a_group(session: Session) -> None:
    client = session.create_client("ec2", region_name=REGION)
    client.delete_security_group(GroupId=_groups(session)[0]["GroupId"])


def _document(number: int) -> Json:
    resources = {
        "Net": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": _block(number), "Tags": _tags("net")}},
        **{
            f"Sub{side}": {
                "Type": "AWS::EC2::Subnet",
                "Properties": {
                    "VpcId": {"Ref": "Net"},
                    "CidrBlock": f"10.{number % 250}.{side}.0/24",
                    "AvailabilityZone": f"{REGION}{zone}",
                    "Tags": _tags(f"sub{side}"),
                },
            }
            for side, zone in ((1, "a"), (2, "b"))
        },
        "Web": {
            "Type": "AWS::EC2::SecurityGroup",
            "Properties": {
                "GroupDescription": "web",
                "VpcId": {"Ref": "Net"},
                "SecurityGroupIngress": [
                    {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "0.0.0.0/0", "Description": "web"}
                ],
                "Tags": _tags("web"),
            },
        },
    }
    text = json.dumps({"Resources": resources})
    return to_document(compile_text(text, file=f"stack-{number}.json", parameters={}, region=REGION).composition)


def _block(number: int) -> str:
    return f"10.{number % 250}.0.0/16"


def _tags(name: str) -> list[Json]:
    return [{"Key": "Name", "Value": name}]


def _terraform(size: int, url: str, found: peers.Peers, folder: Path) -> list[dict[str, Any]]:
    terraform = peers.Terraform(found, folder / "terraform", _configuration(size, url))
    terraform.run("init", "-no-color")
    session = Session()
    rows: list[dict[str, Any]] = []

    def step(name: str, *words: str) -> None:
        cost = cost_of(lambda: terraform.run(*words, "-no-color"))
        more = {"cpu s": cost.cpu_s, "wall s": cost.wall_s}
        rows.append({"step": f"{name}, Terraform", "resources": 4 * size, **more})

    os.environ["AWS_ENDPOINT_URL"] = url
    step("create", "apply", "-auto-approve")
    step("no-op", "plan")
    _delete_a_group(session)
    step("repair", "apply", "-auto-approve")
    assert _standing_groups(session) == size
    step("destroy", "destroy", "-auto-approve")
    return rows


def _configuration(size: int, url: str) -> dict[str, Any]:
    """All stacks in one configuration of Terraform's JSON syntax."""
    vpc = "${aws_vpc.net[count.index].id}"
    rule = {"from_port": 443, "to_port": 443, "protocol": "tcp", "cidr_blocks": ["0.0.0.0/0"], "description": "web"}
    empty: dict[str, Any] = {"ipv6_cidr_blocks": [], "prefix_list_ids": [], "security_groups": [], "self": False}
    return {
        "terraform": {"required_providers": {"aws": {"source": "hashicorp/aws", "version": "3.39.0"}}},
        "provider": {
            "aws": {
                "region": REGION,
                "access_key": "test",
                "secret_key": "test",
                "skip_credentials_validation": True,
                "skip_metadata_api_check": True,
                "skip_requesting_account_id": True,
                "skip_get_ec2_platforms": True,
                "endpoints": [{"ec2": url, "sts": url}],
            }
        },
        "resource": {
            "aws_vpc": {
                "net": {"count": size, "cidr_block": "10.${count.index % 250}.0.0/16", "tags": {"Name": "net"}}
            },
            "aws_subnet": {
                f"sub{side}": {
                    "count": size,
                    "vpc_id": vpc,
                    "cidr_block": f"10.${{count.index % 250}}.{side}.0/24",
                    "availability_zone": f"{REGION}{zone}",
                    "tags": {"Name": f"sub{side}"},
                }
                for side, zone in ((1, "a"), (2, "b"))
            },
            "aws_security_group": {
                "web": {
                    "count": size,
                    "name": "web-${count.index}",
                    "description": "web",
                    "vpc_id": vpc,
                    "ingress": [rule | empty],
                    "tags": {"Name": "web"},
                }
            },
        },
    }
