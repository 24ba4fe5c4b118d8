"""A real Conductor process on a real SQLite file in front of an emulated AWS, driven by the real command line."""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import forked
from aws_sessions import open_session
from botocore.config import Config
from emulation import emulated_aws
from ports import free_port
from running import Running

from tenuto.cli.entry import run
from tenuto.cli.terminal.exits import Exit

REGION = "us-east-1"
PERIOD_S = 2
"""Short, so that a test sees many jobs; everything else is as in production."""
PATIENCE_S = 180.0
"""A wait that takes longer than this is stuck, on any machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


class Live(Running):
    """One installation: a folder, an endpoint, and at most one Conductor."""

    def __init__(self, folder: Path, endpoint: str, **settings: str) -> None:
        """`settings` are further variables of the environment, such as TENUTO_PATIENCE."""
        self.folder = folder
        self.settings = settings
        self.endpoint = endpoint
        self.database = folder / "tenuto.db"
        self.listen = f"127.0.0.1:{free_port()}"

    @property
    def is_forked(self) -> bool:
        """Whether its programs are forked. With other places for modules they import everything by themselves."""
        return "PYTHONPATH" not in self.settings

    @property
    def environment(self) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "TENUTO_"))}
        return clean | {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_REGION": REGION,
            "TENUTO_DATABASE": str(self.database),
            "TENUTO_CREDENTIALS": str(self.folder / "credentials"),
            "TENUTO_LISTEN": self.listen,
            "TENUTO_PERIOD": str(PERIOD_S),
            **self.settings,
        }

    def start(self, *options: str) -> None:
        """Start a Conductor and wait until it answers."""
        with (self.folder / "conductor.log").open("ab") as log:
            if self.is_forked:
                self.process = forked.start(("conductor", *options), self.environment, log)
            else:
                program = [sys.executable, "-m", "tenuto", "conductor", *options]
                self.process = subprocess.Popen(program, env=self.environment, stdout=log, stderr=log)
        try:
            self.until(lambda: self.asked("status").code == 0, "the Conductor answers")
        except BaseException:
            self.stop()
            raise

    def tenuto(self, *arguments: str, check: bool = False) -> Answer:
        """Run the command line, in a process of its own."""
        if not self.is_forked:
            program = [sys.executable, "-m", "tenuto", "-y", *arguments]
            whole = subprocess.run(
                program, env=self.environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S * 2
            )
            answer = Answer(code=whole.returncode, out=whole.stdout, err=whole.stderr)
        else:
            done = forked.call(("-y", *arguments), self.environment, timeout_s=PATIENCE_S * 2)
            answer = Answer(code=done.code, out=done.out, err=done.err)
        if check:
            assert answer.code == 0, f"tenuto {' '.join(arguments)}: {answer}\n{self.log()}"
        return answer

    def asked(self, *arguments: str) -> Answer:
        """Run the command line within this process: a test that polls would else mostly start processes."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = run(("-y", *arguments), self.environment)
        return Answer(code=code, out=out.getvalue(), err=err.getvalue())

    def status(self, name: str) -> Any:
        """The document of one process, or None when there is no such process. A Conductor that is away is neither."""
        answer = self.asked("--json", "status", name)
        assert answer.code in (Exit.DONE, Exit.NOT_FOUND), f"{answer}\n{self.log()}"
        return answer.document if answer.code == 0 else None

    def apply(self, name: str, text: str, *, wait_s: int = 120) -> None:
        """Have the process of this name run a template, and wait until it is as declared."""
        path = self.folder / f"{name}.yaml"
        path.write_text(text)
        self.tenuto("apply", str(path), "-a", name, f"--wait={wait_s}", check=True)

    def changes(self, name: str) -> list[Any]:
        """The calls of the Conductor that changed anything for a process."""
        found: list[Any] = self.tenuto("--json", "ops", name, check=True).document["ops"]
        return found

    def id(self, name: str, logical_id: str) -> str | None:
        """What the provider calls a resource of a process. None while there is none: not yet, or not any more."""
        found: str | None = self.status(name)["resources"][logical_id]["id"]
        return found

    def until_made_again(self, name: str, logical_id: str, old: str) -> None:
        """Wait until another one stands where an old one stood. In between there is none."""
        self.until(lambda: self.id(name, logical_id) not in (None, old), f"{name}/{logical_id} is made again")

    def until_converged(self, name: str, after: float) -> Any:
        """Wait until a job that began after a moment found the process converged."""

        def converged() -> bool:
            document = self.status(name)
            if document is None or not document["converged"] or document["last_job"] is None:
                return False
            return begun_at(document) > after

        self.until(converged, f"{name} converges")
        return self.status(name)

    def two_jobs_later(self, name: str) -> None:
        """Wait until two more jobs, one after the other, have found the process converged."""
        for _ in range(2):
            self.until_converged(name, begun_at(self.status(name)))

    def until(self, condition: Any, what: str, *, patience_s: float = PATIENCE_S) -> None:
        """Poll a condition; there is nothing to subscribe to in a Conductor that is killed now and then."""
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.1)
        raise AssertionError(f"still not after {patience_s} s: {what}\n{self.log()}")

    def log(self) -> str:
        return (self.folder / "conductor.log").read_text()[-5000:]

    def aws(self, service: str) -> Any:
        """A client of somebody else."""
        session = open_session()
        session.set_credentials("test", "test")
        config = Config(s3={"addressing_style": "path"})
        return session.create_client(service, region_name=REGION, endpoint_url=self.endpoint, config=config)

    def account(self) -> dict[str, int]:
        """How many of everything there is that the tests' templates make."""
        ec2, iam, s3 = self.aws("ec2"), self.aws("iam"), self.aws("s3")
        instances = [
            instance
            for reservation in ec2.describe_instances()["Reservations"]
            for instance in reservation["Instances"]
            if instance["State"]["Name"] != "terminated"
        ]
        nats = [nat for nat in ec2.describe_nat_gateways()["NatGateways"] if nat["State"] != "deleted"]
        associations = [
            one
            for table in ec2.describe_route_tables()["RouteTables"]
            for one in table["Associations"]
            if not one["Main"]
        ]
        return {
            "vpcs": len(ec2.describe_vpcs()["Vpcs"]),
            "subnets": len(ec2.describe_subnets()["Subnets"]),
            "internet gateways": len(ec2.describe_internet_gateways()["InternetGateways"]),
            "route tables": len(ec2.describe_route_tables()["RouteTables"]),
            "associations": len(associations),
            "addresses": len(ec2.describe_addresses()["Addresses"]),
            "nat gateways": len(nats),
            "own network acls": len([a for a in ec2.describe_network_acls()["NetworkAcls"] if not a["IsDefault"]]),
            "security groups": len(ec2.describe_security_groups()["SecurityGroups"]),
            "key pairs": len(ec2.describe_key_pairs()["KeyPairs"]),
            "instances": len(instances),
            "roles": len(iam.list_roles()["Roles"]),
            "profiles": len(iam.list_instance_profiles()["InstanceProfiles"]),
            "buckets": len(s3.list_buckets()["Buckets"]),
        }


@contextmanager
def emulated(folder: Path, **settings: str) -> Iterator[Live]:
    """An installation in front of an emulated AWS of its own, with its Conductor running; both end at the end."""
    with emulated_aws() as emulator:
        live = Live(folder, emulator.url, **settings)
        try:
            live.start()
            yield live
        finally:
            live.stop()


def begun_at(document: Any) -> float:
    """When the last job of a process began, by its document."""
    return _seconds(document["last_job"]["started"])


def ended_at(document: Any) -> float:
    """When the last job of a process ended, by its document."""
    return _seconds(document["last_job"]["finished"])


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
