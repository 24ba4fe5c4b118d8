"""What the README and the guides say can be typed can be typed, and what they point at is there."""

import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import botocore.session
import click
import pytest

from tenuto.cli.root import root
from tenuto.cli.terminal.session import Session
from tenuto.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
BLOCK = re.compile(r"```(sh|console|json)\n(.*?)```", re.DOTALL)
EXAMPLE = ROOT / "src/tenuto/examples/vpc.yaml"


def blocks(page: Path, kind: str) -> Iterator[str]:
    return (text for found, text in BLOCK.findall(page.read_text()) if found == kind)


def typed_commands() -> Iterator[str]:
    """Every call of `tenuto` in a block, whatever stands before it in the line."""
    for page in GUIDES:
        for text in blocks(page, "sh"):
            yield from (part.strip(" &") for line in _lines(text) for part in line.split("&&") if "tenuto " in part)
        for text in blocks(page, "console"):
            yield from (line[2:] for line in _lines(text) if line.startswith("$ tenuto"))


def _lines(text: str) -> list[str]:
    """Lines as a shell reads them."""
    return text.replace("\\\n", " ").splitlines()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file(page: Path) -> None:
    targets = [target for target in LINK.findall(page.read_text()) if "://" not in target]
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_every_page_is_reached_from_the_index(page: Path) -> None:
    index = ROOT / "docs/index.md"
    reached = {(start.parent / target).resolve() for start in _starts() for target in LINK.findall(start.read_text())}
    assert page == index or page.resolve() in reached


def _starts() -> list[Path]:
    return [ROOT / "docs/index.md", ROOT / "docs/decisions/README.md", ROOT / "docs/reference/cli.md"]


@pytest.mark.parametrize("command", sorted(set(typed_commands())))
def test_every_command_of_the_guides_is_understood(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(command.partition(" >")[0], comments=True)
    for file in map(Path, re.findall(r"[\w/-]+\.(?:yaml|plan|qcow2|py)", command)):
        file.parent.mkdir(exist_ok=True)
        file.write_text(EXAMPLE.read_text())
    for folder in re.findall(r"--plugins ([\w/-]+)", command):
        Path(folder).mkdir()
    for folder in re.findall(r"\bcdk\.out\b", command):
        Path(folder).mkdir(exist_ok=True)
        (Path(folder) / "manifest.json").write_text("{}")
    assert program.rpartition("/")[2] == "tenuto"
    found: click.Command | None = root
    context = root.make_context("tenuto", words, obj=Session(Settings.load({}, ())))
    while isinstance(found, click.Group):
        name, *rest = [*context._protected_args, *context.args]
        found = found.get_command(context, name)
        assert found is not None, name
        context = found.make_context(name, rest, parent=context)


def test_the_two_commands_of_the_readme_are_there() -> None:
    readme = (ROOT / "README.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    demo, test = list(blocks(ROOT / "README.md", "sh"))[:2]
    assert "'.[demo]'" in demo
    assert "demo" in project["optional-dependencies"]
    assert "tenuto" in project["scripts"]
    assert test.strip() == "scripts/test"
    assert os.access(ROOT / "scripts/test", os.X_OK)
    assert project["readme"] == "README.md"
    assert readme.count("\n```") % 2 == 0


def test_the_policy_allows_every_change_of_ec2_that_the_provider_can_make_and_no_other() -> None:
    (text,) = blocks(ROOT / "docs/guide/aws-account.md", "json")
    policy = json.loads(text)
    allowed = {action for statement in policy["Statement"] for action in statement["Action"]}
    source = "".join(path.read_text() for path in sorted((ROOT / "src/tenuto/providers/aws").rglob("*.py")))
    operations = botocore.session.get_session().get_service_model("ec2").operation_names
    changing = {name for name in operations if not name.startswith(("Describe", "Get"))}
    # A name that is only compared with is a value that AWS answers, not a call.
    made = {name for name in changing if re.search(rf'(?<![!=]= )"{name}"', source)} | _composed(source, changing)
    stated = {action.removeprefix("ec2:") for action in allowed if action.startswith("ec2:")}
    stated = {name for name in stated if not name.startswith(("Describe", "Get"))}
    assert (stated - made, made - stated) == (set(), set()), "too much, too little in docs/guide/aws-account.md"


def _composed(source: str, changing: set[str]) -> set[str]:
    """Operations whose names are put together from a stem and a direction (`…SecurityGroup{direction}`)."""
    stems = set(re.findall(r'f"([A-Za-z]+)\{[a-z_.]+\}"', source))
    return {f"{stem}{direction}" for stem in stems for direction in ("Ingress", "Egress")} & changing
