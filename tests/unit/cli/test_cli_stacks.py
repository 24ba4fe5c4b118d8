"""Assemblies of the CDK at the command line: which stacks become which processes."""

import json
from pathlib import Path

import pytest
from terminal import Shell

from tenuto.cli.compositions import stack_texts

QUEUE = {"Resources": {"Main": {"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.0.0.0/16"}}}}


@pytest.fixture
def assembly(tenuto: Shell) -> Path:
    folder = tenuto.folder / "cdk.out"
    folder.mkdir()
    artifacts = {
        name: {
            "type": "aws:cloudformation:stack",
            "environment": f"aws://{account}/{region}",
            "properties": {"templateFile": f"{name}.template.json", "stackName": f"prod-{name}"},
            "displayName": f"Prod/{name}",
            "dependencies": needs,
        }
        for name, account, region, needs in (
            ("Web", "unknown-account", "unknown-region", ["Net"]),
            ("Net", "unknown-account", "unknown-region", []),
            ("Far", "111111111111", "eu-west-1", []),
        )
    }
    (folder / "manifest.json").write_text(json.dumps({"version": "1", "artifacts": artifacts}))
    for name in artifacts:
        (folder / f"{name}.template.json").write_text(json.dumps(QUEUE))
    return folder


def test_each_stack_becomes_a_process_with_its_name(tenuto: Shell, assembly: Path) -> None:
    for stack in ("Prod/Net", "prod-Web"):
        assert tenuto("-y", "run", str(assembly), "--stack", stack).code == 0
    status = tenuto("--json", "status").document
    assert sorted(one["alias"] for one in status["processes"]) == ["prod-Net", "prod-Web"]
    assert tenuto("-y", "run", str(assembly), "--stack", "Net", "-a", "other").code == 0
    assert tenuto("--json", "status", "other").code == 0


def test_several_stacks_are_taken_in_order_and_applied_again(tenuto: Shell, assembly: Path) -> None:
    ended = tenuto("-y", "apply", str(assembly), "--stack", "Prod/[NW]e*")
    assert ended.code == 0, ended.err
    assert ended.out.index("prod-Net") < ended.out.index("prod-Web")
    assert tenuto("-y", "apply", str(assembly), "--stack", "Prod/[NW]e*").code == 0
    assert len(tenuto("--json", "status").document["processes"]) == 2


def test_a_stack_without_resources_is_left_out_and_told_beside_others(tenuto: Shell, assembly: Path) -> None:
    for name in ("Net", "Far"):
        (assembly / f"{name}.template.json").write_text(json.dumps({"Parameters": {"Version": {"Type": "String"}}}))
    ended = tenuto("compile", str(assembly))
    assert ended.code == 0, ended.err
    assert "Note: Prod/Net has no resources, so it is left out." in ended.err
    assert "'tenuto kill prod-Far' ends it." in ended.err
    assert "Simulated::Network" in ended.out
    alone = tenuto("compile", str(assembly), "--stack", "Net")
    assert (alone.code, "T103" in alone.err) == (3, True)


def test_a_process_is_updated_with_one_stack(tenuto: Shell, assembly: Path) -> None:
    assert tenuto("-y", "run", str(assembly), "--stack", "Net").code == 0
    assert tenuto("update", "prod-Net", str(assembly), "--stack", "Net", "--dry-run").code == 0
    ended = tenuto("update", "prod-Net", str(assembly))
    assert (ended.code, "Name one with --stack" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("-a", "one"), "An alias names one process"),
        (("--json",), "--json prints one document"),
        (("-p", "Size=1"), "--parameter gives a value to one composition"),
        (("--stack", "Nett"), "has no stack Nett. Did you mean"),
        (("--stack", "Far", "--region", "us-east-1"), "was synthesized for eu-west-1"),
    ],
)
def test_what_cannot_be_meant_is_refused(tenuto: Shell, assembly: Path, given: tuple[str, ...], message: str) -> None:
    ended = tenuto("run", str(assembly), *given)
    assert ended.code != 0
    assert message in ended.err


def test_a_stack_of_a_file_is_refused(tenuto: Shell, assembly: Path) -> None:
    ended = tenuto("run", str(assembly / "Net.template.json"), "--stack", "Net")
    assert (ended.code, "is a file" in ended.err) == (2, True)


def test_compile_prints_every_stack_on_a_line(tenuto: Shell, assembly: Path) -> None:
    ended = tenuto("compile", str(assembly), "--stack", "Prod/[NW]e*")
    assert [json.loads(line)["name"] for line in ended.out.splitlines()] == ["Net.template", "Web.template"]


def test_the_words_about_an_imported_stack_fit_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"stack": "shop", "account": "default", "region": "eu-1", "resources": [], "parameters": {}, "hidden": []}
    monkeypatch.setattr(stack_texts, "terminal_width", lambda: 60)
    *words, command = stack_texts.next_steps(found, Path("shop/template.yaml")).splitlines()
    assert max(map(len, words)) <= 60
    assert (len(words) > 1, command.startswith("  tenuto run ")) == (True, True)
