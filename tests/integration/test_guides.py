"""Every guide works as it is printed: each is typed from its first line to its last.

A real Conductor, the real command line in a real shell, and an emulated AWS over HTTP. What a page supposes of its
reader (a process that runs, a file, an account) is given to it here.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from certificates import Authority
from live import REGION
from ports import free_port
from receiver import receiving
from test_accounts import OWN, PRODUCTION, Accounts
from typed_page import Bash, Reader

from tenuto.cli.exits import Exit
from tenuto.testing.emulator import Emulator

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs/guide"
EXAMPLE = ROOT / "src/tenuto/examples/vpc.yaml"
NETWORK = """
Resources:
  Net:
    Type: AWS::EC2::VPC
    Properties: {CidrBlock: 10.0.0.0/16, Tags: [{Key: Name, Value: one}]}
  Right:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: !Ref Net, CidrBlock: 10.0.2.0/24}
"""
TYPED_ELSEWHERE = {
    "aws-account.md": "a policy to paste: tests/docs/test_readme.py",
    "crashes.md": "clocks that are set and Conductors that die: test_clock_live.py, test_kill9.py",
    "metrics.md": "a file of Prometheus; the metrics are compared in tests/unit",
    "phases.md": "plugins: tests/docs/test_phase_guide.py",
    "scenarios.md": "lines of scenarios: tests/scenarios",
    "simulator.md": "thousands of histories: scripts/nightly, tests/simulation",
    "strict-cloud.md": "a server for tests: test_strict_live.py",
    "update-safely.md": "a page to read; its ways back are in test_minds_change_live.py",
}
INSTALLS = {
    "pip install": "it is installed",
    'export PATH="$PWD': "it is found",
}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


class Desk:
    """A folder, an emulated AWS, a shell, and a Conductor."""

    def __init__(self, folder: Path, live: Accounts) -> None:
        self.folder = folder
        self.live = live
        self.bash = Bash(folder, live.environment)

    def follow(self, page: str, **given: Any) -> None:
        Reader(page=GUIDES / page, bash=self.bash, conductor=self.restart, **given).follow()

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def run(self, alias: str, text: str = NETWORK) -> None:
        """A process that stands."""
        self.write(f"of-{alias}.yaml", text)
        self.live.tenuto("run", str(self.folder / f"of-{alias}.yaml"), "-a", alias, "--wait", check=True)

    def answers(self) -> None:
        """Wait for the Conductor, which somebody has just started."""
        self.live.until(lambda: self.live.tenuto("status").code == 0, "the Conductor answers")

    def restart(self, *options: str) -> None:
        self.live.stop()
        self.live.start(*options)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.chdir(tmp_path)
    with Emulator() as emulator:
        live = Accounts(tmp_path, emulator.url)
        live.write_profile(PRODUCTION)
        live.start()
        made = Desk(tmp_path, live)
        try:
            yield made
        finally:
            made.bash.close()
            live.stop()


def test_every_guide_is_typed_somewhere() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    here = re.findall(r'follow\(\s*"([\w-]+\.md)"', source)
    assert sorted(page.name for page in GUIDES.glob("*.md")) == sorted([*here, *TYPED_ELSEWHERE])


def test_tutorial(desk: Desk) -> None:
    """With an emulator and a Conductor of its own, whose logs stay out of the terminal."""
    desk.live.stop()

    def is_closed_again() -> bool:
        return "RevokeSecurityGroupIngress" in desk.live.tenuto("ops", "shop").out

    def see() -> None:
        desk.live.until(is_closed_again, "SSH is closed again")
        assert desk.bash.type("sleep 6").out.strip() == "", "the terminal is quiet while jobs run"

    def tag() -> None:
        template = desk.folder / "shop/vpc.yaml"
        template.write_text(template.read_text().replace("Tags: [", "Tags: [{Key: team, Value: shop}, "))

    desk.follow(
        "tutorial.md",
        instead={"5000": str(free_port())},
        skipped=INSTALLS,
        before={
            "tenuto run vpc.yaml -a shop --region us-east-1 --dry-run": desk.answers,
            "tenuto history shop": lambda: None if is_gone(desk) else see(),
            "tenuto update shop vpc.yaml --dry-run": tag,
        },
    )
    assert is_gone(desk)


def is_gone(desk: Desk) -> bool:
    return desk.live.tenuto("status", "shop").code == Exit.NOT_FOUND


def test_getting_started(desk: Desk) -> None:
    def edit() -> None:
        template = desk.folder / "vpc.yaml"
        template.write_text(
            template.read_text().replace("FromPort: 443", "FromPort: 8443").replace("ToPort: 443", "ToPort: 8443")
        )

    (desk.folder / "src/tenuto/examples").mkdir(parents=True)
    shutil.copy(EXAMPLE, desk.folder / "src/tenuto/examples")
    desk.follow(
        "getting-started.md",
        instead={"http://127.0.0.1:5000": desk.live.endpoint},
        skipped={**INSTALLS, "moto_server": "it runs"},
        before={"tenuto update shop vpc.yaml --dry-run": edit},
    )
    assert is_gone(desk)


def test_accounts(desk: Desk) -> None:
    shutil.copy(EXAMPLE, desk.folder)
    desk.follow("accounts.md")


def test_backup_and_restore(desk: Desk) -> None:
    desk.run("other")
    desk.run("web")

    def lose() -> None:
        """Another subnet with the marks of `Right`, of which the database knows nothing."""
        status = desk.live.status("web")
        ec2 = desk.live.inside(OWN, "ec2", REGION)
        made = ec2.create_subnet(VpcId=status["resources"]["Net"]["id"], CidrBlock="10.0.3.0/24")["Subnet"]
        tags = {"process": status["fid"], "resource": "Right", "object": "5a0e0000-0000-4000-8000-000000000000"}
        named = [{"Key": f"tenuto:{key}", "Value": value} for key, value in tags.items()]
        ec2.create_tags(Resources=[made["SubnetId"]], Tags=named)

    desk.follow(
        "backup-and-restore.md",
        instead={
            "/var/lib/tenuto": str(desk.folder),
            "/root/": f"{desk.folder}/",
            "eu-west-1": REGION,
        },
        before={"tenuto doctor web": lose},
        codes={"tenuto doctor web": 11},
    )


def test_configuration(desk: Desk) -> None:
    desk.follow("configuration.md")


def test_import_and_release(desk: Desk) -> None:
    desk.run("web")
    ec2 = desk.live.inside(OWN, "ec2", "eu-west-1")
    network = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    blocks = ("10.0.1.0/24", "10.0.2.0/24")
    subnets = [ec2.create_subnet(VpcId=network, CidrBlock=block)["Subnet"]["SubnetId"] for block in blocks]
    desk.follow("import-and-release.md", instead={"vpc-0a1b": network, "subnet-1": subnets[0], "subnet-2": subnets[1]})
    desk.live.until_converged("net", 0.0)


def test_notifications(desk: Desk) -> None:
    desk.live.tenuto("account", "add", "prod", "--profile", "production", check=True)
    with receiving() as receiver:
        desk.restart("--webhook-allow", "127.0.0.1")
        desk.follow(
            "notifications.md",
            instead={
                "https://hooks.example": f"http://127.0.0.1:{receiver.server_port}",
                "/usr/local/bin/page --urgent": shutil.which("true") or "true",
            },
        )
    assert [one["id"].partition("-")[0] for one in receiver.accepted] == ["test"]


def test_plans(desk: Desk) -> None:
    desk.run("shop")
    shutil.copy(EXAMPLE, desk.folder)
    desk.follow("plans.md")


def test_process_model(desk: Desk) -> None:
    """Nothing is suspended by the cause that the page names: that is said, and nothing is asked."""
    desk.follow("process-model.md", codes={"--cause AccessDenied": Exit.NOT_FOUND})


def test_rules(desk: Desk) -> None:
    desk.follow("rules.md", codes={"tenuto validation check": Exit.COMPILE})


def test_tls(desk: Desk) -> None:
    authority = Authority(desk.folder)
    pair = authority.sign("localhost", "127.0.0.1")
    shutil.copy(pair.certificate, desk.folder / "fullchain.pem")
    shutil.copy(pair.key, desk.folder / "privkey.pem")
    own = f"https://localhost:{desk.live.listen.rpartition(':')[2]}"

    def trust(certificate: Path) -> None:
        desk.live.settings["TENUTO_CA_CERT"] = str(certificate)
        desk.bash.type(f"export TENUTO_CA_CERT={certificate}")

    desk.follow(
        "tls.md",
        instead={
            "0.0.0.0:8686": desk.live.listen,
            "https://tenuto.example.org:8686": own,
            "https://tenuto.internal:8686": own,
        },
        before={
            "--tls-cert fullchain.pem": lambda: trust(authority.certificate),
            "--tls-cert tenuto.pem": lambda: trust(desk.folder / "tenuto.pem"),
        },
        skipped={"export TENUTO_SECRET": "it is in the credentials file"},
    )


def test_users_and_policy(desk: Desk) -> None:
    page = (GUIDES / "users-and-policy.md").read_text(encoding="utf-8")
    desk.write("policy.yaml", page.split("```yaml\n")[1].split("```")[0])
    desk.follow(
        "users-and-policy.md",
        before={"tenuto user list": lambda: desk.live.tenuto("user", "generate-secret", "ann", check=True)},
    )


def test_what_is_kept(desk: Desk) -> None:
    desk.follow("what-is-kept.md")


def test_what_to_leave_alone(desk: Desk) -> None:
    desk.run("web")
    desk.follow("what-to-leave-alone.md")
