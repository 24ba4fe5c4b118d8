"""The provider of the guide, typed as printed into a package of its own: it conforms, and a real Conductor runs it."""

import os
import re
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from live import Live

from tenuto.errors import UserError
from tenuto.lifecycles.catalogue import Catalogue
from tenuto.lifecycles.resource import RESOURCE
from tenuto.model.account import Account
from tenuto.model.ids import JsonMap, LogicalId, ObjectId, Partition, TypeName
from tenuto.model.observation import Condition
from tenuto.model.outcome import Request
from tenuto.ports.accounts import CheckedSettings, GivenSettings
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ops import RecordedOps

GUIDE = Path(__file__).parents[2] / "docs/guide/writing-a-provider.md"
BLOCK = re.compile(r"```(toml|python|yaml)\n(.*?)```", re.DOTALL)
POINT = re.compile(r"beside the first one: `(\w+) = \"([\w:]+)\"`")

HERE = Partition(account="default", region="here-1")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of packages in which the provider is installed, with the metadata that an installer would write."""
    folder = tmp_path / "site"
    info = folder / "tenuto_files-1.0.dist-info"
    info.mkdir(parents=True)
    blocks = {"python": [], "toml": [], "yaml": []}  # type: dict[str, list[str]]
    for kind, text in BLOCK.findall(GUIDE.read_text()):
        blocks[kind].append(text)
    provider, careful, test, drafts, facts, tidy, _settings = blocks["python"]
    (project,) = blocks["toml"]
    composition, draft = blocks["yaml"]
    (folder / "files_provider.py").write_text(provider)
    (folder / "test_files_provider.py").write_text(test)
    (folder / "drafts_provider.py").write_text(drafts)
    (folder / "careful_provider.py").write_text(careful)
    (folder / "careful_table.py").write_text(facts)
    (folder / "tidy_table.py").write_text(tidy)
    (folder / "draft.yaml").write_text(draft)
    (folder / "motd.yaml").write_text(composition)
    points = tomllib.loads(project)["project"]["entry-points"]
    points["tenuto.providers"] |= dict([POINT.findall(GUIDE.read_text())[0]])
    lines = [
        line
        for group, named in points.items()
        for line in (f"[{group}]", *(f"{one} = {at}" for one, at in named.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tenuto-files\nVersion: 1.0\n")
    return folder


def test_the_settings_of_the_guide_are_checked_kept_and_refused() -> None:
    *_, (_, code) = (found for found in BLOCK.findall(GUIDE.read_text()) if found[0] == "python")
    names: dict[str, Any] = {}
    exec(code, names)
    rack = Account(name="rack", settings={"host": "rack-1"}, secrets={"key": "sealed"})

    def check(given: JsonMap, before: Account | None) -> CheckedSettings:
        wish = GivenSettings(given=given, before=before, region=None, name_of=lambda reference: reference)
        found: CheckedSettings = names["check_settings"](None, wish)
        return found

    made = check({"host": "rack-1", "key": "k"}, None)
    assert (made.settings, made.secrets, made.description) == ({"host": "rack-1"}, {"key": "k"}, "the host rack-1")
    moved = check({"host": "rack-2"}, rack)
    assert (moved.settings, moved.secrets) == ({"host": "rack-2"}, {"key": None})
    with pytest.raises(UserError, match="host and key"):
        check({"hots": "rack-1"}, None)


def path_with(site: Path) -> str:
    return os.pathsep.join(part for part in (str(site), os.environ.get("PYTHONPATH", "")) if part)


@pytest.fixture
def live(tmp_path: Path, site: Path) -> Iterator[Live]:
    found = Live(tmp_path, "http://127.0.0.1:9", TENUTO_PROVIDERS="files simulated", PYTHONPATH=path_with(site))
    found.start()
    yield found
    found.stop()


def test_the_provider_of_the_guide_conforms(site: Path) -> None:
    pytest_here = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={site}/runs"]
    done = subprocess.run(
        [*pytest_here, "test_files_provider.py"],
        cwd=site,
        env={**os.environ, "PYTHONPATH": path_with(site)},
        capture_output=True,
        text=True,
        timeout=360,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\d\d passed", done.stdout, re.MULTILINE)


def loaded(site: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> ModuleType:
    """A module of the guide's package, which is forgotten after the test with those that it imports."""
    monkeypatch.syspath_prepend(str(site))
    for one in ("files_provider", "drafts_provider", name):
        monkeypatch.delitem(sys.modules, one, raising=False)
    found = import_module(name)
    for one in ("files_provider", "drafts_provider", name):
        monkeypatch.setitem(sys.modules, one, sys.modules.get(one, found))
    return found


def test_files_that_are_no_text_are_told_as_unsure_and_the_others_are_shown(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = loaded(site, monkeypatch, "files_provider").FilesProvider(
        tmp_path, clock=VirtualClock(), ops=RecordedOps()
    )
    folder = tmp_path / HERE.account / HERE.region
    (folder / "folder").mkdir(parents=True)
    (folder / "motd").write_text("Wëlcome.", encoding="utf-8")
    (folder / "picture").write_bytes(b"\xff\xd8")
    (sweep,) = provider.sweep(HERE, "files", {}).values()
    assert {name: item.properties["Content"] for name, item in sweep.items.items()} == {"motd": "Wëlcome."}
    assert {name: "cannot be read as text" in why for name, why in sweep.unsure.items()} == {
        "folder": True,
        "picture": True,
    }
    request = Request(
        object_id=ObjectId("o"),
        fid=None,
        process_name="p",
        logical_id=LogicalId("P"),
        type=TypeName("Files::Text"),
        token="t",
        properties={"Name": "picture"},
    )
    assert provider.find(HERE, [request]) == [None]


def test_the_conditions_of_the_guide_are_shown(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = loaded(site, monkeypatch, "careful_provider").CarefulFilesProvider(
        tmp_path, clock=VirtualClock(), ops=RecordedOps()
    )
    folder = tmp_path / HERE.account / HERE.region
    folder.mkdir(parents=True)
    (folder / "empty").touch()
    (folder / "full").write_text("text")
    (folder / "link").symlink_to("full")
    (sweep,) = provider.sweep(HERE, "files", {}).values()
    shown = {name: item.condition for name, item in sweep.items.items()}
    assert shown == {"empty": Condition.PENDING, "full": Condition.READY, "link": Condition.BROKEN}


def test_the_facts_of_the_guide_make_a_table_that_can_be_turned_back_and_skipped(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = loaded(site, monkeypatch, "careful_table").CAREFUL
    Catalogue([RESOURCE]).admit(table, origin="the guide")
    assert table.next_state("removing", "standing") == "editing"
    assert table.allows("appearing", "standing")


def test_a_failure_of_the_guide_takes_two_steps(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = loaded(site, monkeypatch, "tidy_table").TIDY
    Catalogue([RESOURCE]).admit(table, origin="the guide")
    assert (table.failure["writing"], table.failure["cleaning"]) == ("cleaning", "broken")
    assert table.next_state("cleaning", "broken") == "broken"


def test_a_conductor_runs_repairs_and_kills_what_the_provider_of_the_guide_makes(live: Live, site: Path) -> None:
    composition = site / "motd.yaml"
    live.tenuto("compile", str(composition), check=True)
    live.tenuto("run", str(composition), "--alias", "motd", "--wait", check=True)
    file = live.database.parent / "tenuto.files/default/us-east-1/motd"
    assert live.status("motd")["outputs"]["Path"] == str(file)
    assert file.read_text() == "Welcome."
    (file.parent / "foreign").write_bytes(b"\xff\xfe")
    file.write_text("Go away.")
    live.until(lambda: file.read_text() == "Welcome.", "the edited file is restored")
    file.unlink()
    live.until(file.exists, "the deleted file is written again")
    live.tenuto("kill", "motd", "--wait", check=True)
    assert not file.exists()


def test_a_mistake_is_shown_with_its_line_and_without_a_conductor(live: Live, site: Path) -> None:
    live.stop()
    composition = site / "motd.yaml"
    composition.write_text(composition.read_text().replace("Content:", "Contents:"))
    told = live.tenuto("compile", str(composition))
    assert told.code == 3
    assert "motd.yaml:4" in told.err
    assert "Content" in told.err
    composition.write_text(composition.read_text().replace("Files::Text", "Files::Txet"))
    assert "Did you mean Files::Text?" in live.tenuto("compile", str(composition)).err


def test_a_table_of_the_guide_is_walked_failed_acknowledged_deleted_and_cleaned(tmp_path: Path, site: Path) -> None:
    settings = {"TENUTO_PROVIDERS": "drafts simulated", "PYTHONPATH": path_with(site), "TENUTO_KEEP": "objects=1s"}
    live = Live(tmp_path, "http://127.0.0.1:9", **settings)
    file = tmp_path / "tenuto.drafts/default/us-east-1/letter"
    file.parent.mkdir(parents=True)
    file.write_text("not ours")
    try:
        live.start()
        live.tenuto("run", str(site / "draft.yaml"), "--alias", "draft", "--wait")
        letter = live.status("draft")["resources"]["Letter"]
        assert (letter["state"], letter["status"]) == ("broken", "failed")
        assert "exists already" in letter["message"]
        assert "'tenuto resume draft' acknowledges that" in live.tenuto("explain", "draft", check=True).out
        live.tenuto("doctor", check=True)
        drawn = live.tenuto("types", "Drafts::Draft", "--diagram", check=True).out
        assert "  writing --> broken" in drawn
        assert file.read_text() == "not ours"

        file.unlink()
        live.tenuto("resume", "draft", "--wait", check=True)
        letter = live.status("draft")["resources"]["Letter"]
        assert (letter["state"], letter["incarnation"], file.read_text()) == ("standing", 2, "Dear friend.")

        live.stop()
        live.settings["TENUTO_PROVIDERS"] = "simulated"
        live.start()
        assert live.status("draft")["resources"]["Letter"]["state"] == "standing"
        assert "standing (letter, incarnation 2)" in live.tenuto("explain", "draft", check=True).out
        live.tenuto("doctor", check=True)
        live.stop()
        live.tenuto("store", "check", check=True)

        live.settings["TENUTO_PROVIDERS"] = "drafts simulated"
        live.start()
        live.tenuto("kill", "draft", "--wait", check=True)
        assert not file.exists()
        live.until(lambda: objects_in(live.database) == 0, "the cleaner removes both incarnations", patience_s=180)
    finally:
        live.stop()


def objects_in(database: Path) -> int:
    """How many drafts the database holds."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
        found: int = opened.execute("SELECT count(*) FROM object WHERE lifecycle = 'draft'").fetchone()[0]
        return found


def test_a_provider_with_a_wrong_table_is_left_out_with_the_reason(tmp_path: Path, site: Path) -> None:
    module = site / "drafts_provider.py"
    module.write_text(module.read_text().replace("State.BROKEN: frozenset({State.REMOVING, State.GONE}),", "", 1))
    live = Live(tmp_path, "http://127.0.0.1:9", TENUTO_PROVIDERS="drafts simulated", PYTHONPATH=path_with(site))
    try:
        live.start()
        assert "lifecycle draft: state broken has no row" in live.log()
    finally:
        live.stop()
