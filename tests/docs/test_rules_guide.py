"""Every example of the guide to rules does what the guide says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.compositions import compile_text, render_diagnostics
from tenuto.compositions.validation_files import load_validations
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "rules.md"
FILE = re.compile(r"```(?:python|yaml)\n# (\S+)\n(.*?)```", re.DOTALL)
OUTPUT = re.compile(r"```text\n(.*?)```", re.DOTALL)
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
