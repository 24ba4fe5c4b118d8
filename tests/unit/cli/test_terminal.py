"""The terminal is the one place where the command line writes, and nothing passes it raw."""

import ast
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import click
import pytest
from front import Front, Http, entry, served, submission
from rich.console import Console
from rich.live import Live
from terminal import Shell

from tenuto.cli.terminal import terminal
from tenuto.compositions.yaml_writer import to_yaml
from tenuto.kit.visible import has_hidden, visible, visible_json
from tenuto.model.command import ProcessState
from tenuto.model.plan import Operation
from tenuto.model.verb import Verb
from tenuto.ports.store_changes import Move, SaveProcess

CLI = Path(__file__).parents[3] / "src" / "tenuto" / "cli"
THE_PLACE = CLI / "terminal" / "terminal.py"
RAW = "\x1b]52;c;cHdu\x07 \x9b2J \u202ecod.exe \u2066x\u2069 \x00 \x7f \r \ufeff \u200b \u2028 \U000e0041 \udc9b"


def writers(tree: ast.AST) -> Iterator[str]:
    """Every way to write to a stream that a module uses."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id="print" | "input"):
                yield node.id
            case ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "stderr" | "__stdout__" | "__stderr__"):
                yield f"sys.{node.attr}"
            case ast.Attribute(value=ast.Name(id="traceback"), attr=name) if name.startswith("print"):
                yield f"traceback.{name}"
            case ast.Attribute(value=ast.Name(id="click"), attr=name) if name in {
                "echo", "secho", "echo_via_pager", "prompt", "confirm", "pause", "progressbar", "edit", "clear",
                "get_text_stream", "get_binary_stream",
            }:  # fmt: skip
                yield f"click.{name}"
            case ast.Import(names=names):
                yield from (one.name for one in names if one.name.partition(".")[0] in ("rich", "logging", "warnings"))
            case ast.ImportFrom(module=str(module), names=names):
                is_stream = module in ("sys", "traceback", "click", "click.utils", "click.termui")
                if module.partition(".")[0] in ("rich", "logging", "warnings") or is_stream:
                    yield f"from {module}"


def test_nothing_of_the_command_line_writes_past_the_terminal() -> None:
    found = {
        (path.relative_to(CLI).as_posix(), way)
        for path in CLI.rglob("*.py")
        if path != THE_PLACE
        for way in writers(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set()


def test_the_reader_of_the_source_finds_each_way_to_write() -> None:
    for line in (
        "print(1)",
        "sys.stdout.write('')",
        "say = click.echo",
        "traceback.print_exc()",
        "from rich.console import Console",
        "import rich",
        "from click import echo",
    ):
        assert list(writers(ast.parse(line))), line


def test_nothing_reaches_either_stream_raw(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.out(RAW, color=True)
    terminal.out(RAW, is_painted=True, color=True)
    terminal.tell(RAW, color=True)
    terminal.out_json({RAW: [RAW]})
    with redirect_stdout(terminal.Told()):
        print(RAW)  # noqa: T201 - as a rule would that is run here
    try:
        raise ValueError(RAW)
    except ValueError:
        terminal.tell_traceback()
    out, err = capsys.readouterr()
    assert not has_hidden(out + err)
    assert out.count(r"\x1b]52;c;cHdu\x07 \x9b2J \u202ecod.exe") == 2
    assert err.count(r"\x1b]52;c;cHdu\x07 \x9b2J \u202ecod.exe") == 3


def test_line_feeds_tabs_and_letters_of_all_scripts_stay(capsys: pytest.CaptureFixture[str]) -> None:
    text = "Größe\tпример\n日本語 → ± … ‘x’ 🚀 e\u0301"
    terminal.out(text)
    assert capsys.readouterr().out == f"{text}\n"


def test_our_own_colours_survive_and_no_other_sequence(capsys: pytest.CaptureFixture[str]) -> None:
    painted = click.style("ready", fg="green") + click.style("bad", fg="red", bold=True) + "\x1b[31;1mx\x1b[0m"
    terminal.out(f"{painted}\x1b[2J\x1b[8m", is_painted=True, color=True)
    assert capsys.readouterr().out == f"{painted}\\x1b[2J\\x1b[8m\n"
    terminal.out(painted, color=True)
    assert not has_hidden(capsys.readouterr().out)


def test_json_loses_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    document = {"alias": RAW, RAW: [RAW, {"é": "ü"}]}
    terminal.out_json(document)
    out = capsys.readouterr().out
    assert json.loads(out) == document
    assert "ü" in out
    assert json.loads(visible_json(json.dumps(RAW, ensure_ascii=False))) == RAW


def test_a_template_as_yaml_loses_nothing() -> None:
    from ruamel.yaml import YAML

    raw = "\x1b]0;x\x07 \x9b \u202e \ufeff \u2028 \U000e0041 ü"
    template = {"Resources": {"A": {"Type": "T", "Properties": {"Name": raw, "Tags": [raw], raw: "x" * 200 + raw}}}}
    text = to_yaml(template)
    assert not has_hidden(text)
    assert YAML(typ="safe").load(text) == template


def test_what_is_drawn_is_visible() -> None:
    screen = Console(width=200, height=20, file=io.StringIO(), force_terminal=True, no_color=True)
    with Live(console=screen, auto_refresh=False) as live:
        terminal.Drawing(live, screen).draw([(RAW, "bold red"), ("second", "")])
        screen.print(live.renderable)
    assert isinstance(screen.file, io.StringIO)
    shown = screen.file.getvalue()
    assert visible(RAW) in shown
    assert "\x1b]" not in shown
    assert not any(sign in shown for sign in "\x07\x9b\u202e\u200b\ufeff")


def test_a_user_without_any_right_cannot_write_to_the_terminal_of_the_owner(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A denied command is an event with the alias that was asked for, whatever that holds."""
    front = Front()
    front.services.administration.set_policy("TenutoPolicy: 1\nUsers: [eve]\n", file="p.yaml", actor="root")
    eve = front.services.administration.generate_secret("eve", actor="root")
    alias = "\x1b]52;c;cHdu\x07\x9b2J\u202etxt"
    with served(front) as url:
        body = {"alias": alias, "composition": submission().document}
        assert Http(url, eve)("POST", "/v1/processes", body).status == 403
        shell = Shell(url, tmp_path, capsys)
        for words in (("events",), ("--json", "events"), ("events", "--type", "command.denied")):
            ended = shell(*words)
            assert ended.code == 0
            assert "52;c;cHdu" in ended.out
            assert not has_hidden(ended.out + ended.err)
        [event] = shell("--json", "events", "--type", "command.denied").document["events"]
        assert event["subject"] == alias


FORGED = "no way\r\n\n  Last job:     fake"


def test_a_message_of_a_plugin_forges_no_line_of_a_status_an_explanation_or_a_plan(tenuto: Shell, front: Front) -> None:
    made = front.commands.run(submission(), alias="web")
    process = replace(made, state=ProcessState.SUSPENDED, last_message=FORGED)
    move = Move(before=made.state, after=process.state, at=front.clock.now(), actor="conductor", reason=FORGED)
    front.store.commit((SaveProcess(process=process, expected_generation=made.generation, moves=(move,)),))
    failed = entry("acme.make", "Failed", code="Odd\nCode", message=FORGED)
    found = front.add_object(process, "Net", message=FORGED, phases={failed.phase: failed})
    reason = f"it differs: {FORGED}"
    front.conductor.drift = (
        Operation(
            verb=Verb.MODIFY, type=found.type, logical_id=found.logical_id, object_id=found.object_id, reason=reason
        ),
    )
    for words in (["status", "web"], ["status", "web", "-o", "wide"], ["explain", "web"], ["plan", "web"], ["events"]):
        out = tenuto(*words).out
        assert "no way Last job:" in " ".join(out.split()), words
        assert not [line for line in out.splitlines() if "fake" in line and line.lstrip().startswith("Last job")], words
        assert not [line for line in out.splitlines() if line.startswith("Code")], words
    assert tenuto("--json", "status", "web").document["last_message"] == FORGED, "a program gets it as it is"


def test_a_message_is_broken_between_words_and_what_is_laid_out_is_not() -> None:
    prose = (
        "There is no file vpc.yaml. Did you mean vpc1.yaml? Check the path. 'tenuto run --help' shows how it is used."
    )
    shown = terminal.broken(prose, 60)
    assert [len(line) <= 60 for line in shown.split("\n")] == [True, True]
    assert shown.split() == prose.split()
    path = f"The file is {'/a-long-folder' * 6}/vpc.yaml."
    assert path.split()[-1] in terminal.broken(path, 40).split("\n"), "a path is copied whole"
    columns = f"State    Updated{' ' * 40}Created"
    snippet = f"  3 | Type: {'x' * 80}"
    assert terminal.broken(f"{columns}\n{snippet}\n\n", 40) == f"{columns}\n{snippet}\n\n"
    assert terminal.broken(f"{prose} [y/N]: ", 60).endswith("[y/N]: ")
    assert terminal.broken("Suspend process shop? [y/N]: ", 200) == "Suspend process shop? [y/N]: "
    assert terminal.broken(prose, None) == prose
