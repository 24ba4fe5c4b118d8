"""The first commands of a new user: every example runs as it is, and shells complete what is typed."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from emulation import emulated_aws
from live import Live

from tenuto.cli.compositions.example_files import EXAMPLES
from tenuto.cli.terminal.exits import Exit

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

FILES = Path(__file__).parents[2] / "src/tenuto/examples"
OF_THE_DEMONSTRATION = "virtual-pair.yaml"
"""It needs a host with QEMU, which the demonstration makes."""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with emulated_aws() as emulator:
        found = Live(tmp_path_factory.mktemp("ways-in"), emulator.url, TENUTO_PROVIDERS="aws local simulated")
        try:
            found.start()
            yield found
        finally:
            found.stop()


def test_every_file_of_an_example_is_listed() -> None:
    files = {path.name for path in FILES.glob("*.yaml")}
    assert {one.file for one in EXAMPLES.values()} == files - {OF_THE_DEMONSTRATION}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs_has_nothing_to_do_and_is_killed(live: Live, name: str) -> None:
    file = live.folder / f"{name}.yaml"
    live.tenuto("examples", "copy", name, str(file), check=True)
    live.tenuto("compile", str(file), check=True)
    live.tenuto("run", str(file), "-a", name, "--wait=80", check=True)
    nothing = live.tenuto("update", name, str(file), check=True)
    assert "Nothing to do" in nothing.err
    live.tenuto("kill", name, "--wait=80", check=True)
    again = live.tenuto("examples", "copy", name, str(file))
    assert (again.code, "is not overwritten" in again.err) == (Exit.USAGE, True)


def test_init_begins_with_an_example_and_overwrites_nothing(live: Live) -> None:
    folder = live.folder / "begun"
    told = live.tenuto("init", "simulated", "--folder", str(folder), check=True)
    assert f"tenuto run {folder / 'simulated.yaml'} -a simulated --wait" in told.out
    (folder / "simulated.yaml").write_text("mine")
    refused = live.tenuto("init", "simulated", "--folder", str(folder))
    assert (refused.code, (folder / "simulated.yaml").read_text()) == (Exit.USAGE, "mine")
    unknown = live.tenuto("init", "bukcet", "--folder", str(folder))
    assert "Did you mean bucket?" in unknown.err


@pytest.fixture(scope="module")
def shop(live: Live) -> Live:
    """An installation with the processes shop and shed."""
    for name in ("shop", "shed"):
        live.tenuto("run", str(FILES / "simulated.yaml"), "-a", name, "--wait=80", check=True)
    return live


def completed(shell: str, live: Live, line: str, **more: str) -> list[str]:
    """What the completion of a shell offers at the end of a line."""
    script = live.folder / f"completion.{shell}"
    script.write_text(live.tenuto("completion", shell, check=True).out)
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](script, line, {**live.environment, **more})


def _bash(script: Path, line: str, environment: Mapping[str, str]) -> list[str]:
    words = " ".join(f"'{word}'" for word in line.split(" "))
    code = (
        f". {script}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
        "_tenuto_completion tenuto; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    return _typed(["bash", "--norc", "-c", code], environment)


def _zsh(script: Path, line: str, environment: Mapping[str, str]) -> list[str]:
    # The functions that would draw are replaced: what they are given is what the shell would offer.
    code = (
        "compdef() { :; }; _describe() { local -a found; found=(${(P)@[-2]}); print -l -- ${found%%:*}; }; "
        "compadd() { local -a found; found=(${(P)@[-1]}); print -l -- $found; }; "
        f"words=({line if not line.endswith(' ') else line + chr(34) * 2}); CURRENT=${{#words}}; . {script}; "
        "_tenuto_completion"
    )
    return _typed(["zsh", "-f", "-c", code], environment)


def _fish(script: Path, line: str, environment: Mapping[str, str]) -> list[str]:
    found = _typed(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], environment)
    return [one.split("\t")[0] for one in found]


def _typed(words: list[str], environment: Mapping[str, str]) -> list[str]:
    done = subprocess.run(words, env=dict(environment), capture_output=True, text=True, timeout=60, check=False)
    return [one for one in done.stdout.splitlines() if one]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_processes_and_resources(shop: Live, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert "status" in completed(shell, shop, "tenuto sta")
    # On a busy machine the Conductor may be too late for one key, and none is offered then.
    shop.until(lambda: sorted(completed(shell, shop, "tenuto kill sh")) == ["shed", "shop"], "processes are offered")
    shop.until(lambda: completed(shell, shop, "tenuto explain shop W") == ["Web"], "resources are offered")
    for line, name in (
        ("tenuto show shop W", "Web"),
        ("tenuto account show de", "default"),
        ("tenuto status --account de", "default"),
        ("tenuto types Simulated", "Simulated::Bucket"),
    ):
        shop.until(lambda line=line, name=name: name in completed(shell, shop, line), f"{name} is offered")  # type: ignore[misc]


def test_completion_says_nothing_where_no_conductor_answers(shop: Live) -> None:
    nowhere = {"TENUTO_URL": "http://127.0.0.1:9", "TENUTO_SECRET": "none"}
    assert completed("bash", shop, "tenuto kill sh", **nowhere) == []


def test_names_are_those_that_a_user_may_see(shop: Live) -> None:
    policy = shop.folder / "policy.yaml"
    policy.write_text(
        "TenutoPolicy: 1\nUsers: [ann]\nGrants:\n  - {To: ann, Commands: status, Accounts: '*', Aliases: shed}\n"
    )
    shop.tenuto("policy", "set", str(policy), check=True)
    secret = json.loads(shop.tenuto("--json", "user", "generate-secret", "ann", check=True).out)["secret"]
    theirs = {"TENUTO_SECRET": secret, "TENUTO_URL": f"http://{shop.listen}"}
    shop.until(lambda: completed("bash", shop, "tenuto kill sh", **theirs) == ["shed"], "one process is offered")
