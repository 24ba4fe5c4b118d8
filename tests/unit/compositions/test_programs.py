"""Compositions that a Python program makes."""

from pathlib import Path
from typing import Any

import pytest

from tenuto.compositions.compile import compile_file
from tenuto.compositions.documents.document import to_document
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

TROPOSPHERE = """from troposphere import Parameter, Ref, Template
from troposphere.ec2 import VPC, Subnet

t = Template()
t.add_parameter(Parameter("Block", Type="String", Default="10.0.0.0/16"))
t.add_resource(VPC("Net", CidrBlock=Ref("Block")))
t.add_resource(
    Subnet(
        "Front",
        VpcId=Ref("Net"),
        CidrBlock="10.0.1.0/24",
    )
)
print(t.to_json())
"""


def compiled(folder: Path, text: str, **parameters: str) -> Any:
    (folder / "made.py").write_text(text)
    return to_document(compile_file(folder / "made.py", parameters=parameters, region="eu-west-1").composition)


def said(folder: Path, text: str, **parameters: str) -> Diagnostic:
    with pytest.raises(CompileError) as failed:
        compiled(folder, text, **parameters)
    (one,) = (one for one in failed.value.diagnostics if isinstance(one, Diagnostic))
    return one


def test_a_template_of_troposphere_is_compiled(tmp_path: Path) -> None:
    pytest.importorskip("troposphere")
    found = compiled(tmp_path, TROPOSPHERE, Block="10.9.0.0/16")
    assert found["resources"]["Net"]["properties"] == {"CidrBlock": "10.9.0.0/16"}
    assert {name: one["line"] for name, one in found["positions"].items()} == {"Net": 6, "Front": 9}


def test_a_mistake_is_told_at_the_line_of_the_program(tmp_path: Path) -> None:
    pytest.importorskip("troposphere")
    found = said(tmp_path, TROPOSPHERE.replace("10.0.1.0/24", "10.0.1.0/99"))
    assert (found.code, found.position and found.position.line) == ("T519", 11)
    assert found.source_line.strip().startswith("CidrBlock=")


def test_a_dictionary_is_a_template(tmp_path: Path) -> None:
    text = "template = {'Resources': {'Q': {'Type': 'AWS::SQS::Queue'}}}\n"
    assert sorted(compiled(tmp_path, text)["resources"]) == ["Q"]


def test_a_function_gets_the_parameters_and_the_template_those_that_it_declares(tmp_path: Path) -> None:
    text = """
def composition(parameters):
    queues = {f"Q{n}": {"Type": "AWS::SQS::Queue"} for n in range(int(parameters["Count"]))}
    return {"Parameters": {"Delay": {"Type": "Number"}}, "Resources": queues}
"""
    found = compiled(tmp_path, text, Count="2", Delay="5")
    assert sorted(found["resources"]) == ["Q0", "Q1"]
    assert found["values"] == {"Delay": "5"}


def test_a_program_imports_what_stands_beside_it(tmp_path: Path) -> None:
    (tmp_path / "shared_by_made.py").write_text("KIND = 'AWS::SNS::Topic'\n")
    text = "from shared_by_made import KIND\ntemplate = {'Resources': {'T': {'Type': KIND}}}\n"
    assert compiled(tmp_path, text)["resources"]["T"]["type"] == "AWS::SNS::Topic"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a = 1\nb = 1 / 0\n", 2, "ZeroDivisionError"),
        ("a = (\n", 1, "is not Python"),
        ("a = 1\n", 0, "makes no template"),
        ("template = 7\n", 0, "int, which is no template"),
        ("template = {'Resources': {'Q': object()}}\n", 0, "AttributeError"),
        ("raise SystemExit(1)\n", 1, "SystemExit"),
        ("def composition(parameters):\n    return parameters['Size']\n", 2, "KeyError"),
    ],
)
def test_a_program_that_makes_no_template_is_told(tmp_path: Path, text: str, line: int, words: str) -> None:
    found = said(tmp_path, text)
    assert (found.code, found.position.line if found.position else 0) == ("T116", line)
    assert words in found.detail
