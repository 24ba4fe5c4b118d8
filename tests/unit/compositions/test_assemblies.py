"""Assemblies of the CDK as they are read from a folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from tenuto.compositions.assemblies import chosen, is_assembly, read_assembly
from tenuto.errors import UserError

ASSEMBLY = Path(__file__).parents[2] / "templates/own/cdk.out"


def stack(*needs: str, **properties: Any) -> Any:
    return {
        "type": "aws:cloudformation:stack",
        "environment": "aws://unknown-account/unknown-region",
        "properties": {"templateFile": "x.json", **properties},
        "dependencies": list(needs),
    }


def assembly(folder: Path, **artifacts: Any) -> Path:
    (folder / "manifest.json").write_text(json.dumps({"version": "1.0.0", "artifacts": artifacts}))
    return folder


def test_an_assembly_has_its_stacks_those_of_stages_included() -> None:
    assert is_assembly(ASSEMBLY)
    found = read_assembly(ASSEMBLY)
    assert [(one.name, one.shown, one.account, one.region) for one in found] == [
        ("Prod-Web", "Prod/Web", "123456789012", "us-east-1"),
        ("Net", "Net", "", ""),
        ("Data", "Data", "", ""),
    ]
    assert all(one.template.is_file() for one in found)
    assert all(found[2].assets.values())


def test_a_stack_comes_after_those_that_it_needs(tmp_path: Path) -> None:
    folder = assembly(tmp_path, A=stack("B", "C.assets"), B=stack("C"), C=stack())
    assert [one.name for one in read_assembly(folder)] == ["C", "B", "A"]


def test_a_stack_is_chosen_by_its_path_its_name_or_a_pattern() -> None:
    stacks = read_assembly(ASSEMBLY)
    for pattern in ("Prod/Web", "Prod-Web", "Prod/*", "ProdWebF45B1510"):
        assert [one.name for one in chosen(stacks, pattern, ASSEMBLY)] == ["Prod-Web"]
    with pytest.raises(UserError, match=r"has no stack Nett\. Did you mean Net\?"):
        chosen(stacks, "Nett", ASSEMBLY)


def test_values_of_parameters_come_with_the_stack(tmp_path: Path) -> None:
    (found,) = read_assembly(assembly(tmp_path, A=stack(parameters={"Size": 3}, stackName="other")))
    assert (found.name, found.parameters) == ("other", {"Size": "3"})


def test_tags_and_termination_protection_come_with_the_stack(tmp_path: Path) -> None:
    a, b = stack(tags={"cost-center": "42"}, terminationProtection=True), stack("A")
    first, second = read_assembly(assembly(tmp_path, A=a, B=b))
    assert (first.tags, first.is_protected) == ({"cost-center": "42"}, True)
    assert (second.tags, second.is_protected) == ({}, False)


@pytest.mark.parametrize(
    ("artifacts", "message"),
    [
        ({"A": stack("B"), "B": stack("A")}, "in a circle"),
        ({"A": stack(templateFile="../../etc/passwd")}, "no file of the assembly"),
        ({"A": stack(templateFile=7)}, "no file of the assembly"),
        ({"A": "x"}, "has no artifacts"),
        ({"A": {"type": "cdk:cloud-assembly", "properties": {"directoryName": "."}}}, "nest too deeply"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(tmp_path: Path, artifacts: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_assembly(assembly(tmp_path, **artifacts))


def test_a_manifest_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(UserError, match="cannot be read as JSON"):
        read_assembly(tmp_path)


def test_an_assembly_with_placeholders_for_what_is_looked_up_is_refused(tmp_path: Path) -> None:
    stage = {"type": "cdk:cloud-assembly", "properties": {"directoryName": "stage"}}
    assembly(tmp_path, A=stage)
    (tmp_path / "stage").mkdir()
    inner = assembly(tmp_path / "stage", A=stack())
    assert len(read_assembly(tmp_path)) == 1
    missing = [{"key": f"ami:{number}", "provider": "ami", "props": {}} for number in range(5)]
    manifest = json.loads((inner / "manifest.json").read_text())
    (inner / "manifest.json").write_text(json.dumps({**manifest, "missing": missing}))
    with pytest.raises(UserError, match=r"\(ami:0, ami:1, ami:2 and 2 more\).*Run 'cdk synth'"):
        read_assembly(tmp_path)
