"""The wheel and the source distribution, as a user installs them; and the files that run a Conductor for good."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
TOOLS = Path(sys.executable).parent
SCHEMA = (TOOLS / "check-jsonschema", "--builtin-schema")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel, made of the source distribution: what is missing there is missing for users."""
    folder = tmp_path_factory.mktemp("index")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return folder


@pytest.fixture(scope="module")
def tenuto(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of the wheel, installed from the folder in an environment that has its dependencies only."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
    install = ("install", "--quiet", "--no-index", "--no-deps", "--only-binary", ":all:", "--find-links", str(index))
    subprocess.run([str(folder / "bin/pip"), *install, "tenuto"], check=True, timeout=120)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(f"{_without_tenuto(site.parent.parent.parent)}\n")
    return folder / "bin" / "tenuto"


def _without_tenuto(folder: Path) -> Path:
    """A folder of links to the installed packages, without the checkout's own."""
    links = folder / "dependencies"
    links.mkdir()
    for site in {Path(path) for path in sys.path if path.endswith(("site-packages", "dist-packages"))}:
        for found in site.iterdir() if site.is_dir() else ():
            if "tenuto" not in found.name.casefold() and not (links / found.name).exists():
                (links / found.name).symlink_to(found)
    return links


def asked(tenuto: Path, *words: str, folder: Path) -> str:
    """What the installed program says, away from the checkout."""
    done = subprocess.run(
        [str(tenuto), *words], capture_output=True, text=True, check=True, timeout=60, cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
    )  # fmt: skip
    return done.stdout


def test_the_wheel_holds_code_and_data_and_nothing_else(index: Path) -> None:
    [wheel] = index.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl"), "no compiler made it"
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"tenuto"}
    assert {"tenuto/examples/vpc.yaml", "tenuto/py.typed"} <= set(names)
    assert [name for name in names if name.endswith(".sql")]
    [source] = index.glob("*.tar.gz")
    with tarfile.open(source) as opened:
        held = {name.split("/", 1)[1] for name in opened.getnames() if "/" in name}
    assert {"LICENSE", "README.md", "pyproject.toml", "deploy/tenuto.service"} <= held
    assert not [name for name in held if name.startswith(("tests", ".venv"))]


def test_the_installed_program_answers_and_brings_its_examples(tenuto: Path, tmp_path: Path) -> None:
    assert asked(tenuto, "--version", folder=tmp_path).startswith("tenuto ")
    asked(tenuto, "init", "vpc", folder=tmp_path)
    assert '"Resources"' in asked(tenuto, "compile", "vpc.yaml", folder=tmp_path) or "resources" in asked(
        tenuto, "compile", "vpc.yaml", folder=tmp_path
    )
    assert "_TENUTO_COMPLETE" in asked(tenuto, "completion", "bash", folder=tmp_path)


def test_every_dependency_has_a_wheel_that_needs_no_compiler() -> None:
    """The lower bounds are a promise; a package without wheels would need a compiler on the machine of the user."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = text[text.index("dependencies = [") : text.index("[project.optional-dependencies]")]
    assert re.findall(r'"([\w.-]+)', section), "dependencies are listed"
    assert " @ " not in section, "none comes from a place of its own"


def _judged(*words: str | Path) -> None:
    """Run a program that judges files; what it finds fails the test."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "tenuto.service"
    text = (DEPLOY / "tenuto.service").read_text(encoding="utf-8")
    # The program is not installed where the unit names it; everything else is checked as it is.
    unit.write_text(text.replace("/opt/tenuto/bin/tenuto", shutil.which("true") or "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False, timeout=60
    )
    about = [line for line in done.stderr.splitlines() if "tenuto.service" in line]
    assert about == [], done.stderr
    # An exposure of 2.0 of 10, in tenths: a service that listens cannot come much lower.
    _judged("systemd-analyze", "security", "--offline=true", "--threshold=20", unit)


def test_the_container_files_are_well_formed() -> None:
    _judged(TOOLS / "hadolint", "--no-color", DEPLOY / "Containerfile")
    _judged(*SCHEMA, "vendor.compose-spec", DEPLOY / "compose.yaml")


def test_the_files_of_the_ci_systems_are_well_formed(tmp_path: Path) -> None:
    _judged(*SCHEMA, "vendor.github-actions", ROOT / "ci" / "github" / "action.yml")
    # A component is two documents: its inputs, and the jobs that they go into. The schema is that of the jobs.
    inputs, _, jobs = (ROOT / "ci" / "gitlab" / "template.yml").read_text(encoding="utf-8").partition("\n---\n")
    assert "inputs:" in inputs
    (tmp_path / "jobs.yml").write_text(jobs, encoding="utf-8")
    transform = ("--data-transform", "gitlab-ci")
    _judged(*SCHEMA, "vendor.gitlab-ci", *transform, tmp_path / "jobs.yml")


def test_the_container_has_no_rights_and_no_plain_http() -> None:
    compose: Any = YAML(typ="safe").load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    service = compose["services"]["conductor"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "TENUTO_TLS_CERT" in service["environment"]
    image = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    assert "\nUSER 10001\n" in image
    assert "--insecure" not in image + str(compose)
