"""What the guides say of policies, options and settings is what there is."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tenuto.bootstrap.log import COMPONENTS, LogLevels
from tenuto.bootstrap.services import make_services
from tenuto.cli.root import root
from tenuto.compositions.policies.policy import compile_policy
from tenuto.compositions.policies.policy_codes import ACCESS_CODES
from tenuto.model.access import Right
from tenuto.settings import OPTIONS, Settings
from tenuto_testing.world import World

GUIDES = Path(__file__).parents[2] / "docs" / "guide"
ACCESS = (GUIDES / "users-and-policy.md").read_text()
CONFIGURATION = (GUIDES / "configuration.md").read_text()
TYPED = [line[2:] for line in (ACCESS + CONFIGURATION).splitlines() if line.startswith("$ tenuto")]


def rows(text: str) -> list[list[str]]:
    """The cells of all tables, without headings and rules."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_policy_of_the_guide_compiles() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", ACCESS, re.DOTALL)
    assert len(compile_policy(text, file="guide").grants) == 3


def test_the_first_statement_of_the_guide_to_an_account_changes_nothing() -> None:
    """The page says that a process can be watched with this statement alone."""
    text = (GUIDES / "aws-account.md").read_text()
    policy, *_ = (json.loads(one) for one in re.findall(r"```json\n(.*?)```", text, re.DOTALL))
    look = policy["Statement"][0]
    assert look["Sid"] == "Look"
    assert [one for one in look["Action"] if not re.fullmatch(r"\w+:(Describe|Get|List|Search)\w*\*?", one)] == []


def test_every_right_is_explained_and_no_other() -> None:
    told = {word for cells in rows(ACCESS) if len(cells) == 2 for word in re.findall(r"^(?:`[a-z]+` ?)+", cells[0])}
    assert {word for group in told for word in re.findall(r"[a-z]+", group)} == {right.value for right in Right}


def test_every_mistake_is_listed_as_the_compiler_tells_it() -> None:
    told = [cells for cells in rows(ACCESS) if re.fullmatch(r"P\d{3}", cells[0])]
    assert told == [[one.code, one.summary, one.hint] for one in ACCESS_CODES]


def test_every_option_is_listed_and_no_other(tmp_path: Path) -> None:
    told = [cells[0].strip("`") for cells in rows(CONFIGURATION) if len(cells) == 3 and cells[0].startswith("`")]
    assert told == list(OPTIONS)
    (text,) = re.findall(r"```toml\n(.*?)```", CONFIGURATION, re.DOTALL)
    (tmp_path / "tenuto.toml").write_text(text)
    assert Settings.load({}, [tmp_path / "tenuto.toml"]).region == "eu-west-1"


def test_every_setting_of_a_running_conductor_is_listed() -> None:
    world = World()
    services = make_services(world.system, clock=world.clock, secret="s", levels=LogLevels("INFO"))
    told = {cells[0].strip("`") for cells in rows(CONFIGURATION) if len(cells) == 2}
    keys = {one.key.name for one in services.runtime.values()}
    assert {key for key in keys if not key.endswith(".log-level")} == told - {"COMPONENT.log-level", "key"}
    assert all(f"`{component}`" in CONFIGURATION for component in COMPONENTS)


@pytest.mark.parametrize("command", TYPED)
def test_every_command_of_the_guides_can_be_typed(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("policy.yaml").write_text("TenutoPolicy: 1\n")
    _, name, *rest = shlex.split(command)
    context = root.make_context("tenuto", [name, *rest])
    found = root.get_command(context, name)
    assert found is not None
    inner = found.make_context(name, list(rest), parent=context)
    member, *words = inner._protected_args + inner.args
    found.get_command(inner, member).make_context(member, words, parent=inner)  # type: ignore[attr-defined]
