"""Every example of every `--help` is run, as it is printed, and in an installation where it makes sense.

Those of the commands about objects by request are in `test_help_examples_of_objects.py`.

`GIVEN` is what must be there before an example, by the words that it holds; what is not named needs nothing.
"""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click
import pytest
from accounts import OWN
from installation import Installation
from live import REGION
from ports import free_port

from tenuto.bootstrap.clock import SystemClock
from tenuto.cli.objects.object_kinds import OBJECT_KINDS
from tenuto.cli.options.options import TenutoCommand
from tenuto.cli.root import root
from tenuto.cli.terminal.exits import Exit
from tenuto.model.ids import ObjectId, Partition
from tenuto.provider_plugins import file_beside
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.making import ENDING
from tenuto.providers.local.types import INSTANCE
from tenuto.providers.simulated.kept import KeptCloud, cloud_file
from tenuto.providers.simulated.types import GROUP, NETWORK

ASSEMBLY = Path(__file__).parents[1] / "templates/own/cdk.out"
TEMPLATE = """
Parameters:
  Stage: {Type: String, Default: prod}
Resources:
  Net:
    Type: AWS::EC2::VPC
    Properties: {CidrBlock: 10.0.0.0/16, Tags: [{Key: Stage, Value: !Ref Stage}]}
  Front:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: !Ref Net, CidrBlock: 10.0.1.0/24}
  Spare:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: !Ref Net, CidrBlock: 10.0.2.0/24}
  Nat:
    Type: AWS::EC2::SecurityGroup
    Properties: {GroupDescription: for whoever stands in front, VpcId: !Ref Net}
"""
RULE = """
name: no-ssh
applies_to: AWS::EC2::SecurityGroup
expression: "true"
message: SSH must not be open to the whole world.
"""
OFFICE = """
Parameters:
  Office: {Type: String}
Resources:
  Shell:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: Administrators
      SecurityGroupIngress: [{IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: !Ref Office}]
"""
POLICY = """
TenutoPolicy: 1
Users: [ann]
Grants: [{To: [ann], Commands: [questions], Accounts: ["*"]}]
"""
ENDLESS = ("--watch", "--follow", "demo --web")
"""Examples that run until Ctrl-C, which comes after some seconds."""
TIMED_OUT = 124
FAILS = {
    "--cause": Exit.NOT_FOUND,  # nothing is suspended by it
    "notification test": Exit.FAILED,  # no server listens there
    "--let-go": Exit.NOT_ALLOWED,  # no process holds the stack
    " 41": Exit.NOT_FOUND,  # nothing was proposed
    "history --request": Exit.NOT_FOUND,  # the id is of nobody's request
    "end-session": Exit.NOT_FOUND,  # no person signed in at the dashboard
}

ELSEWHERE = (
    *("tenuto node ", "tenuto demo --local --driver", "tenuto image build"),
    *("tenuto audit ", "tenuto login"),
)
"""Examples that need more than a Conductor. Those about hosts are typed in test_hosts_live.py, test_local_agents.py and
linux/test_demo_on_linux.py, those that need an issuer or an audit log in test_access_guides_live.py."""
OF_OBJECTS = {"object", *(kind.name for kind in OBJECT_KINDS)}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def examples(command: click.Command = root, context: click.Context | None = None) -> Iterator[str]:
    inside = context or click.Context(root)
    if isinstance(command, click.Group):
        for name in command.list_commands(inside):
            found = command.get_command(inside, name)
            assert found is not None
            yield from examples(found, inside)
    elif isinstance(command, TenutoCommand):
        yield from command.examples


class Day:
    """An installation, and what has to be there for one example after the other."""

    def __init__(self, installation: Installation) -> None:
        self.installation = installation
        self.live = installation.live
        self.folder = installation.folder
        self.instead = {
            "/var/lib/tenuto/": f"{installation.folder}/",
            "/root/": f"{installation.folder}/",
            "/mnt/backup/": f"{installation.folder}/mnt/",
            "127.0.0.1:9000": installation.live.listen,
            "10.0.0.1:8687": f"127.0.0.1:{free_port()}",
        }
        for name in ("plugins", "mnt"):
            (installation.folder / name).mkdir()
        for name, text in {"vpc": TEMPLATE, "web": OFFICE, "no-ssh": RULE, "policy": POLICY}.items():
            installation.write(f"{name}.yaml", text.lstrip())
        shutil.copytree(ASSEMBLY, installation.folder / "cdk.out")
        profile = (installation.folder / "aws-config").read_text()
        (installation.folder / "aws-config").write_text(profile + profile.replace("production", "test"))

    def does(self, *words: str) -> None:
        self.live.tenuto(*words, check=True)

    def has_simulated_things(self) -> None:
        """A simulated cloud beside the database, with a network and a group."""
        cloud = KeptCloud(cloud_file(self.live.database), SystemClock())
        with cloud.session():
            for kind, properties in ((NETWORK, {"CidrBlock": "10.0.0.0/16"}), (GROUP, {})):
                cloud.add(Partition(account="default", region=REGION), kind, properties)

    def has_local_things(self) -> None:
        """Simulated hosts beside the database, with a machine on one of them."""
        driver = SimulatedDriver(SystemClock(), file_beside(Path(self.live.database), ENDING))
        machine = Spec(
            type=INSTANCE,
            object_id=ObjectId("5b1f0000"),
            account="default",
            owner=None,
            host="h1",
            properties={},
        )
        driver.ensure(REGION, [machine])

    def stands(self) -> None:
        """The process `vpc`, running and free, as vpc.yaml says."""
        # A process that an example before has released lets go of its things by itself.
        self.live.until(lambda: (self.live.status("vpc") or {}).get("next_command") != "release", "it is released")
        found = self.live.status("vpc")
        if found is not None and found["lock"]:
            self.does("property", "vpc", "lock", "--set", "off")
        if found is not None and found["state"] == "Suspended":
            self.does("resume", "vpc", "--wait")
        self.does("apply", str(self.folder / "vpc.yaml"), "-a", "vpc", "--wait")

    def is_gone(self) -> None:
        if self.live.status("vpc") is not None:
            self.stands()
            self.does("kill", "vpc", "--wait")

    def is_suspended(self) -> None:
        self.stands()
        self.does("suspend", "vpc")

    def is_saved(self) -> None:
        """A plan of an update that changes something."""
        self.stands()
        (self.folder / "plan.json").unlink(missing_ok=True)
        self.installation.write("vpc.yaml", TEMPLATE.replace("prod", f"at-{time.monotonic_ns()}"))
        self.does(
            "update",
            "vpc",
            str(self.folder / "vpc.yaml"),
            "--dry-run",
            "-o",
            str(self.folder / "plan.json"),
        )

    def is_planned_anew(self) -> None:
        self.is_saved()
        (self.folder / "plan.json").unlink()

    def is_described(self) -> None:
        """A network that nobody manages, in existing.yaml."""
        made = self.live.inside(OWN, "ec2", REGION).create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
        self.does("import", "AWS::EC2::VPC", made, "-o", str(self.folder / "existing.yaml"))

    def exists(self) -> None:
        made = self.live.inside(OWN, "ec2", REGION).create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
        self.instead["vpc-0123456789abcdef0"] = made
        (self.folder / "existing.yaml").unlink(missing_ok=True)

    def is_written(self) -> None:
        """A template of a network that nobody manages, in shop/shop.yaml."""
        made = self.live.inside(OWN, "ec2", REGION).create_vpc(CidrBlock="10.7.0.0/16")["Vpc"]["VpcId"]
        (self.folder / "shop").mkdir(exist_ok=True)
        self.does("import", "AWS::EC2::VPC", made, "-o", str(self.folder / "shop/shop.yaml"))

    def is_a_stack(self) -> None:
        """A stack of CloudFormation with one network."""
        shutil.rmtree(self.folder / "shop", ignore_errors=True)
        template = "Resources: {Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.6.0.0/16}}}"
        stacks = self.live.inside(OWN, "cloudformation", REGION)
        stacks.create_stack(StackName="shop", TemplateBody=template)

    def is_unknown(self) -> None:
        """A subnet with the marks of `Spare`, which itself is gone."""
        self.stands()
        self.does("runtime", "set", "jobs.period", "3600")
        status = self.live.status("vpc")
        ec2 = self.live.inside(OWN, "ec2", REGION)
        spare, network = (status["resources"][name]["id"] for name in ("Spare", "Net"))
        ec2.delete_subnet(SubnetId=spare)
        made = ec2.create_subnet(VpcId=network, CidrBlock="10.0.2.0/24")["Subnet"]["SubnetId"]
        marks = {"process": status["fid"], "resource": "Spare", "object": "5a0e0000-0000-4000-8000-000000000000"}
        ec2.create_tags(Resources=[made], Tags=[{"Key": f"tenuto:{key}", "Value": one} for key, one in marks.items()])
        self.does("runtime", "unset", "*")
        self.instead["subnet-0123456789abcdef0"] = made
        self.live.until(lambda: made in self.live.asked("explain", "vpc", "Spare").out, "the creation is held")

    def has_account(self, name: str, *options: str) -> Callable[[], None]:
        def made() -> None:
            if self.live.tenuto("account", "show", name).code != 0:
                self.does("account", "add", name, *options)

        return made

    def has_chat(self) -> None:
        if "chat" not in self.live.tenuto("notification", "list").out:
            self.does("notification", "add", "chat", "--webhook", "https://chat.example.com/hook")

    def has_rule(self) -> None:
        self.does("validation", "add", str(self.folder / "no-ssh.yaml"), "--replace")

    def has_policy(self) -> None:
        self.does("policy", "set", str(self.folder / "policy.yaml"))

    def has_secret(self) -> None:
        self.has_policy()
        self.does("user", "generate-secret", "ann")

    def has_backup(self) -> None:
        backup = self.folder / "backup-2026-01-31.db"
        if not backup.exists():
            self.does("store", "backup", str(backup))

    def has_no_backup(self) -> None:
        (self.folder / "backup-2026-01-31.db").unlink(missing_ok=True)


def given(day: Day) -> Mapping[str, Callable[[], None]]:
    """What must be there before an example that holds these words; the first that fits counts."""
    prod = day.has_account("prod", "--role-arn", "arn:aws:iam::111122223333:role/tenuto", "--region", "eu-west-1")
    return {
        "compile": lambda: None,
        "run vpc.yaml -a vpc": day.is_gone,
        "run existing.yaml": day.is_described,
        "run shop/shop.yaml": day.is_written,
        "import --stack shop -o": day.is_a_stack,
        "update vpc vpc.yaml": day.is_planned_anew,
        "update vpc --plan": day.is_saved,
        "resume vpc": day.is_suspended,
        "doctor vpc --adopt": day.is_unknown,
        "doctor vpc --delete": day.is_unknown,
        "import AWS::EC2::VPC": day.exists,
        "account show": prod,
        "account check": prod,
        "account update": prod,
        "account remove": day.has_account("test", "--profile", "test"),
        "notification add": lambda: None,
        "notification list": lambda: None,
        "notification": day.has_chat,
        "validation add no-ssh.yaml --replace": day.has_rule,
        "validation show": day.has_rule,
        "validation remove": day.has_rule,
        "policy show": day.has_policy,
        "policy remove": day.has_policy,
        "user revoke": day.has_secret,
        "user token": day.has_policy,
        "user generate-secret": day.has_policy,
        "simulated ": day.has_simulated_things,
        "local ": day.has_local_things,
        "store check backup": day.has_backup,
        "store backup backup": day.has_no_backup,
        " vpc": day.stands,
    }


def test_every_example_of_every_help_does_what_it_shows(installation: Installation) -> None:
    day = Day(installation)
    before = given(day)
    others = [example for example in examples() if example.split()[1] not in OF_OBJECTS]
    told = [example for example in others if not example.startswith(ELSEWHERE)]
    assert len(told) < len(others)
    for words in (*before, *FAILS, *ENDLESS):
        assert any(words in example for example in told), f"no example has {words!r} any more"
    wrong = []
    for example in told:
        next((prepare for words, prepare in before.items() if words in example), lambda: None)()
        typed = example
        for theirs, mine in day.instead.items():
            typed = typed.replace(theirs, mine)
        if typed.startswith("tenuto conductor"):
            installation.restart(*typed.split()[2:])
            installation.restart()
            continue
        is_endless = any(words in example for words in ENDLESS)
        done = installation.bash.type(f"timeout --signal=INT 5 {typed}" if is_endless else typed)
        wanted = next((code for words, code in FAILS.items() if words in example), Exit.DONE)
        if done.code != (TIMED_OUT if is_endless else wanted):
            wrong.append(f"{example} ended with {done.code}:\n{done.out}")
    assert not wrong, "\n".join(wrong)
