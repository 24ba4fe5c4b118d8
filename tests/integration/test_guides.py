"""Every guide works as it is printed: each is typed from its first line to its last.

A real Conductor, the real command line in a real shell, and an emulated AWS over HTTP. What a page supposes of its
reader (a process that runs, a file, an account) is given to it here.
"""

import re
import shutil
from pathlib import Path

import pytest
from accounts import OWN
from certificates import Authority
from installation import EXAMPLE, Installation
from live import REGION
from ports import free_port
from receiver import receiving

from tenuto.cli.terminal.exits import Exit

GUIDES = Path(__file__).parents[2] / "docs/guide"
ASSEMBLY = Path(__file__).parents[1] / "templates/own/cdk.out"
TYPED_ELSEWHERE = {
    "audit-log.md": "with a Conductor that keeps one: test_access_guides_live.py",
    "limits.md": "its limits, and one who asks too much: test_access_guides_live.py",
    "editors.md": "its schemas: test_access_guides_live.py, tests/unit/compositions/test_editor_schemas.py",
    "single-sign-on.md": "with an issuer on loopback: test_access_guides_live.py",
    "local-qemu.md": "tests/linux/test_local_qemu_guide.py",
    "images.md": "tests/integration/test_images_live.py",
    "adding-a-type.md": "its block and its example: tests/integration/aws/test_adding_a_type.py",
    "aws-account.md": "a policy to paste: tests/docs/test_readme.py",
    "ci.md": "its forms: tests/unit/cli/test_ci_formats.py",
    "cloud-control.md": "in front of the strict cloud: test_strict_live.py",
    "crashes.md": "clocks that are set and Conductors that die: test_clock_live.py, test_kill9.py",
    "from-terraform.md": "words; its two commands are those of import-and-release.md, with ids that nobody has",
    "from-kubectl.md": "a page of words",
    "from-cloudformation.md": "on a stack of an emulated AWS: test_stack_import_live.py",
    "dashboard.md": "on a simulated world, and in a browser: tests/docs/test_dashboard_guide.py, tests/journeys",
    "first-minute.md": "on a Conductor of the simulated provider: test_simulated_live.py",
    "namespaces.md": "on a Conductor of the local provider: test_namespaces_live.py",
    "hosts.md": "on a Conductor of the local provider: test_hosts_live.py",
    "install.md": "its packages: test_packages.py; its completion and examples: test_ways_in_live.py",
    "joining.md": "with an agent on loopback: test_local_agents.py",
    "local-cloud.md": "on a Conductor of the local provider: test_local_live.py",
    "local-linux.md": "on this machine as a host, as root: tests/linux/test_local_linux_guide.py",
    "metrics.md": "a file of Prometheus; the metrics are compared in tests/unit",
    "networks.md": "on a Conductor of the local provider: test_networks_live.py",
    "nodes-on-aws.md": "with plugins, on an emulated AWS: test_node_guide_live.py",
    "nodes-on-hosts.md": "with a plugin, on a Conductor of the local provider: test_node_on_hosts_live.py",
    "objects.md": "with its plugin, on a simulated provider: tests/docs/test_object_guide.py",
    "phases.md": "plugins: tests/docs/test_phase_guide.py, and on a Conductor test_phase_guide_live.py",
    "sam.md": "in front of the strict cloud: test_strict_live.py",
    "proposals.md": "with users of a policy: tests/behaviours/test_proposals.py",
    "scenarios.md": "lines of scenarios: tests/scenarios",
    "simulator.md": "thousands of histories: scripts/nightly, tests/simulation",
    "strict-cloud.md": "a server for tests: test_strict_live.py",
    "what-aws-decides.md": "compiled, and refused: tests/unit/compositions/test_accepted_problems.py",
    "update-safely.md": "a page to read; its ways are typed in test_minds_change_live.py and test_rename_live.py",
    "writing-a-provider.md": "as a package that is installed: test_writing_a_provider.py",
}
INSTALLS = {
    "pip install": "it is installed",
    'export PATH="$PWD': "it is found",
}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_every_guide_is_typed_somewhere() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    here = re.findall(r'follow\(\s*GUIDES / "([\w-]+\.md)"', source)
    assert sorted(page.name for page in GUIDES.glob("*.md")) == sorted([*here, *TYPED_ELSEWHERE])


def test_tutorial(installation: Installation) -> None:
    """With an emulator and a Conductor of its own, whose logs stay out of the terminal."""
    installation.live.stop()

    def is_closed_again() -> bool:
        return "RevokeSecurityGroupIngress" in installation.live.tenuto("ops", "shop").out

    def see() -> None:
        installation.live.until(is_closed_again, "SSH is closed again")
        assert installation.bash.type("sleep 6").out.strip() == "", "the terminal is quiet while jobs run"

    def tag() -> None:
        template = installation.folder / "shop/vpc.yaml"
        template.write_text(template.read_text().replace("Tags: [", "Tags: [{Key: team, Value: shop}, "))

    installation.follow(
        GUIDES / "tutorial.md",
        instead={"5000": str(free_port())},
        skipped=INSTALLS,
        before={
            "tenuto run vpc.yaml -a shop --region us-east-1 --dry-run": installation.answers,
            "tenuto history shop": lambda: None if is_gone(installation) else see(),
            "tenuto update shop vpc.yaml --dry-run": tag,
        },
    )
    assert is_gone(installation)


def is_gone(installation: Installation) -> bool:
    return installation.live.tenuto("status", "shop").code == Exit.NOT_FOUND


def test_getting_started(installation: Installation) -> None:
    def edit() -> None:
        template = installation.folder / "vpc.yaml"
        template.write_text(
            template.read_text().replace("FromPort: 443", "FromPort: 8443").replace("ToPort: 443", "ToPort: 8443")
        )

    (installation.folder / "src/tenuto/examples").mkdir(parents=True)
    shutil.copy(EXAMPLE, installation.folder / "src/tenuto/examples")
    installation.follow(
        GUIDES / "getting-started.md",
        instead={"http://127.0.0.1:5000": installation.live.endpoint},
        skipped={**INSTALLS, "moto_server": "it runs"},
        before={"tenuto update shop vpc.yaml --dry-run": edit},
    )
    assert is_gone(installation)


def test_accounts(installation: Installation) -> None:
    shutil.copy(EXAMPLE, installation.folder)
    installation.follow(GUIDES / "accounts.md")


def test_backup_and_restore(installation: Installation) -> None:
    installation.run("other")
    installation.run("web")

    def lose() -> None:
        """Another subnet with the marks of `Right`, of which the database knows nothing."""
        status = installation.live.status("web")
        ec2 = installation.live.inside(OWN, "ec2", REGION)
        made = ec2.create_subnet(VpcId=status["resources"]["Net"]["id"], CidrBlock="10.0.3.0/24")["Subnet"]
        tags = {"process": status["fid"], "resource": "Right", "object": "5a0e0000-0000-4000-8000-000000000000"}
        named = [{"Key": f"tenuto:{key}", "Value": value} for key, value in tags.items()]
        ec2.create_tags(Resources=[made["SubnetId"]], Tags=named)

    installation.follow(
        GUIDES / "backup-and-restore.md",
        instead={
            "/var/lib/tenuto": str(installation.folder),
            "/root/": f"{installation.folder}/",
            "eu-west-1": REGION,
        },
        before={"tenuto doctor web": lose},
        codes={"tenuto doctor web": 11},
    )


def test_configuration(installation: Installation) -> None:
    installation.follow(GUIDES / "configuration.md")


def test_import_and_release(installation: Installation) -> None:
    installation.run("web")
    ec2 = installation.live.inside(OWN, "ec2", "eu-west-1")
    network = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    blocks = ("10.0.1.0/24", "10.0.2.0/24")
    subnets = [ec2.create_subnet(VpcId=network, CidrBlock=block)["Subnet"]["SubnetId"] for block in blocks]
    installation.follow(
        GUIDES / "import-and-release.md",
        instead={"vpc-0a1b": network, "subnet-1": subnets[0], "subnet-2": subnets[1]},
    )
    installation.live.until_converged("net", 0.0)


def test_cdk(installation: Installation) -> None:
    """With an assembly that has a VPC, a bucket that is emptied, a stage and a nested stack."""
    shutil.copytree(ASSEMBLY, installation.folder / "cdk.out")

    def fill() -> None:
        s3 = installation.live.inside(OWN, "s3", REGION)
        bucket = installation.live.status("Data")["resources"]["Bucket83908E77"]["id"]
        for content in (b"one", b"two"):
            s3.put_object(Bucket=bucket, Key="kept/until/then", Body=content)

    def open_default_group() -> None:
        ec2 = installation.live.inside(OWN, "ec2", REGION)
        vpc = installation.live.status("Net")["resources"]["Vpc8378EB38"]["id"]
        filters = [{"Name": "vpc-id", "Values": [vpc]}, {"Name": "group-name", "Values": ["default"]}]
        (group,) = ec2.describe_security_groups(Filters=filters)["SecurityGroups"]
        assert (group["IpPermissions"], group["IpPermissionsEgress"]) == ([], [])

    installation.follow(
        GUIDES / "cdk.md",
        before={"tenuto status": open_default_group, "tenuto kill Data --wait": fill},
    )
    assert installation.live.tenuto("--json", "status").document["processes"] == []


def test_python(installation: Installation) -> None:
    installation.follow(GUIDES / "python.md", skipped={"pip install": "the tests have it"})


def test_nested_templates(installation: Installation) -> None:
    installation.follow(GUIDES / "nested-templates.md")


def test_notifications(installation: Installation) -> None:
    installation.live.tenuto("account", "add", "prod", "--profile", "production", check=True)
    with receiving() as receiver:
        installation.restart("--webhook-allow", "127.0.0.1")
        installation.follow(
            GUIDES / "notifications.md",
            instead={
                "https://hooks.example": f"http://127.0.0.1:{receiver.server_port}",
                "/usr/local/bin/page --urgent": shutil.which("true") or "true",
            },
        )
    assert [one["id"].partition("-")[0] for one in receiver.accepted] == ["test"]


def test_plans(installation: Installation) -> None:
    installation.run("shop")
    shutil.copy(EXAMPLE, installation.folder)
    installation.follow(GUIDES / "plans.md")


def test_process_model(installation: Installation) -> None:
    """Nothing is suspended by the cause that the page names: that is said, and nothing is asked."""
    installation.follow(GUIDES / "process-model.md", codes={"--cause AccessDenied": Exit.NOT_FOUND})


def test_rules(installation: Installation) -> None:
    installation.follow(GUIDES / "rules.md", codes={"tenuto validation check": Exit.COMPILE})


def test_tls(installation: Installation) -> None:
    authority = Authority(installation.folder)
    pair = authority.sign("localhost", "127.0.0.1")
    shutil.copy(pair.certificate, installation.folder / "fullchain.pem")
    shutil.copy(pair.key, installation.folder / "privkey.pem")
    own = f"https://localhost:{installation.live.listen.rpartition(':')[2]}"

    def trust(certificate: Path) -> None:
        installation.live.settings["TENUTO_CA_CERT"] = str(certificate)
        installation.bash.type(f"export TENUTO_CA_CERT={certificate}")

    installation.follow(
        GUIDES / "tls.md",
        instead={
            "0.0.0.0:8686": installation.live.listen,
            "https://tenuto.example.org:8686": own,
            "https://tenuto.internal:8686": own,
        },
        before={
            "--tls-cert fullchain.pem": lambda: trust(authority.certificate),
            "--tls-cert tenuto.pem": lambda: trust(installation.folder / "tenuto.pem"),
        },
        skipped={"export TENUTO_SECRET": "it is in the credentials file"},
    )


def test_users_and_policy(installation: Installation) -> None:
    page = (GUIDES / "users-and-policy.md").read_text(encoding="utf-8")
    installation.write("policy.yaml", page.split("```yaml\n")[1].split("```")[0])
    installation.follow(
        GUIDES / "users-and-policy.md",
        before={"tenuto user list": lambda: installation.live.tenuto("user", "generate-secret", "ann", check=True)},
    )


def test_what_is_kept(installation: Installation) -> None:
    installation.follow(GUIDES / "what-is-kept.md")


def test_what_to_leave_alone(installation: Installation) -> None:
    installation.run("web")
    installation.follow(GUIDES / "what-to-leave-alone.md")
