"""Every example of the guide to rules does what the guide says."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tenuto.cli.root import root
from tenuto.compositions.compile import compile_text
from tenuto.compositions.diagnostics.render import render_diagnostics
from tenuto.compositions.rules.document import read_rule
from tenuto.compositions.rules.judge import STEPS_OF_A_COMPOSITION, judge
from tenuto.compositions.rules.meter import STEPS_OF_A_QUESTION
from tenuto.compositions.validations.files import load_validations
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic, Severity
from tenuto.service.intake.validations import MOST_RULES

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "rules.md"
FILE = re.compile(r"```(?:python|yaml)\n# (\S+)\n(.*?)```", re.DOTALL)
OUTPUT = re.compile(r"```text\n(.*?)```", re.DOTALL)
MOST = re.compile(r"([\d,]+) steps for one question, ([\d,]+) for all rules.* at most ([\d,]+) rules", re.DOTALL)
TWO_ZONES = """
Resources:
  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  One: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Net, CidrBlock: 10.0.1.0/24, AvailabilityZone: ZONE}}
  Two: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Net, CidrBlock: 10.0.2.0/24, AvailabilityZone: us-east-1b}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The files of the guide, in the working directory; each begins with its name, as in the guide."""
    for name, text in FILE.findall(GUIDE.read_text(encoding="utf-8")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# {name}\n{text}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(text: str, rules: str) -> str:
    try:
        compiled = compile_text(
            text, file="web.yaml", parameters={}, region="us-east-1", validations=load_validations([Path(rules)])
        )
    except CompileError as error:
        return render_diagnostics(one for one in error.diagnostics if isinstance(one, Diagnostic))
    return render_diagnostics(compiled.diagnostics)


def test_the_first_rule_says_what_the_guide_shows(folder: Path) -> None:
    shown = OUTPUT.findall(GUIDE.read_text(encoding="utf-8"))[0]
    assert told((folder / "web.yaml").read_text(), "rules/network.py") == shown


def test_the_rule_over_the_composition_wants_two_zones(folder: Path) -> None:
    assert told(TWO_ZONES.replace("ZONE", "us-east-1a"), "rules/zones.py") == ""
    warned = told(TWO_ZONES.replace("ZONE", "us-east-1b"), "rules/zones.py")
    assert "warning[T806]" in warned
    assert "Net: All of its subnets are in one zone." in warned


def test_the_first_rule_as_data_finds_what_the_one_in_python_finds(folder: Path) -> None:
    found = judged("rules/no-ssh.yaml", (folder / "web.yaml").read_text())
    assert [(one.rule, one.subject) for one in found] == [("no-ssh-from-everywhere", "Resources.Shell")]
    assert judged("rules/no-ssh.yaml", (folder / "web.yaml").read_text().replace("0.0.0.0/0", "10.1.0.0/16")) == ()


def test_the_rule_that_blames_resources_names_them(folder: Path) -> None:
    tagged = TWO_ZONES.replace("10.0.0.0/16", "10.0.0.0/16, Tags: [{Key: Owner, Value: ann}]")
    found = judged("rules/tagged.yaml", tagged)
    assert [(one.severity, one.subject) for one in found] == [
        (Severity.WARNING, "Resources.One"),
        (Severity.WARNING, "Resources.Two"),
    ]


def test_the_limits_are_those_of_the_code() -> None:
    (found,) = MOST.findall(GUIDE.read_text(encoding="utf-8"))
    assert [int(one.replace(",", "")) for one in found] == [STEPS_OF_A_QUESTION, STEPS_OF_A_COMPOSITION, MOST_RULES]


@pytest.mark.parametrize("line", re.findall(r"^\$ (tenuto validation .*)$", GUIDE.read_text(), re.MULTILINE))
def test_every_command_is_understood(line: str, folder: Path) -> None:
    _, name, command, *rest = shlex.split(line)
    group = root.get_command(click.Context(root), name)
    assert isinstance(group, click.Group)
    group.commands[command].make_context(command, rest, parent=click.Context(group, obj=None))


def judged(rule: str, text: str) -> tuple[Diagnostic, ...]:
    composition = compile_text(text, file="web.yaml", parameters={}, region="us-east-1").composition
    return judge([read_rule(Path(rule).read_text(), rule)], composition, account="default")
