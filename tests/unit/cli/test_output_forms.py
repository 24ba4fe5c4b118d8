"""Forms of output for scripts, colours with one meaning each, and terminals with little room."""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from desk import Desk, a_desk
from front import Front, submission
from ruamel.yaml import YAML
from terminal import Shell

from tenuto.cli.render import insights as render_insights
from tenuto.cli.render.ci_formats import PLAN_FORMATS
from tenuto.cli.render.history import render_events
from tenuto.cli.render.plan import render_plan
from tenuto.cli.render.process import render_processes, resource_table
from tenuto.cli.root import root
from tenuto.cli.terminal.output_forms import CI_FORMS, either, joined, keyed, listed, shown
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import filled, table
from tenuto.compositions.yaml_writer import to_plain_yaml
from tenuto.model.ids import JsonMap
from tenuto.service.common.value_leaves import leaves_of
from tenuto.settings import Settings


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    with a_desk(tmp_path, capsys) as found:
        yield found


@pytest.fixture
def front() -> Front:
    made = Front()
    for name in ("web", "shop"):
        made.commands.run(submission(), alias=name)
    return made


def test_names_alone_are_one_a_line(tenuto: Shell) -> None:
    assert sorted(tenuto("status", "-o", "name").out.splitlines()) == ["shop", "web"]
    assert tenuto("status", "web", "-o", "name").out.splitlines() == ["Net", "Sub"]


def test_json_and_yaml_hold_the_same_document(tenuto: Shell) -> None:
    found = json.loads(tenuto("status", "web", "-o", "json").out)
    assert found == tenuto("status", "web", "--json").document
    assert YAML(typ="safe").load(tenuto("status", "web", "-o", "yaml").out)["alias"] == "web"


def test_wide_shows_every_column(tenuto: Shell) -> None:
    assert "FID" in tenuto("status", "-o", "wide").out
    assert "FID" not in tenuto("status").out


def _commands(command: click.Command, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield words, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from _commands(found, *words, name)


LISTS = {
    "list", "show", "status", "events", "history", "ops", "find", "rates", "phases", "nodes", "proposals", "types",
    "explain", "config", "whoami", "sessions", "versions", "dead", "get",
}  # fmt: skip
"""The last words of the commands that list things, or show one."""


def forms(command: click.Command) -> list[str]:
    return [
        str(form)
        for one in command.params
        if "-o" in one.opts and isinstance(one.type, click.Choice)
        for form in one.type.choices
    ]


def test_every_list_and_show_has_the_four_forms_and_every_other_command_has_two() -> None:
    found = dict(_commands(root))
    assert len(found) > 100
    lists = {words for words in found if words[-1] in LISTS} - {("instance", "get")}
    assert [words for words in lists if forms(found[words]) != ["wide", "name", "json", "yaml"]] == []
    others = [forms(one) for words, one in found.items() if words not in lists]
    assert all({"json", "yaml"} <= set(one) for one in others if one and "github" not in one)


def test_a_form_is_completed() -> None:
    [option] = [one for one in dict(_commands(root))["account", "list"].params if "-o" in one.opts]
    told = option.type.shell_complete(click.Context(root), option, "y")
    assert [one.value for one in told] == ["yaml"]


def test_every_list_has_its_names_and_the_same_document_in_json_and_yaml(desk: Desk) -> None:
    desk.runs()
    desk.does("policy", "set", desk.file("p.yaml", "TenutoPolicy: 1\nUsers: [ann]\nGrants: []\n"))
    desk.does("notification", "add", "chat", "--webhook", "https://hooks.example.org/x")
    known = {
        ("account", "list"): "default",
        ("account", "show", "default"): "default",
        ("status", "web"): "Net",
        ("show", "web"): "Net",
        ("show", "web", "Net"): "Net",
        ("explain", "web"): "Net",
        ("policy", "show"): "ann",
        ("user", "list"): "ann",
        ("user", "whoami"): "root",
        ("notification", "list"): "chat",
        ("runtime", "get", "jobs.period"): "jobs.period",
        ("runtime", "list"): "jobs.period",
        ("events",): "1",
        ("find", "web"): desk.status()["fid"],
        ("history", "web"): desk.document("history", "web")["jobs"][0]["id"],
        ("ops", "web"): desk.document("ops", "web")["ops"][0]["request_id"],
        ("phases",): "resource.create",
        ("types", "network"): "Simulated::Network",
        ("types", "Simulated::Network"): "Simulated::Network",
        ("config",): "database",
        ("examples", "list"): "vpc",
    }
    volatile = {"as_of", "observed_at", "at"}
    for words, name in known.items():
        assert name in desk.does(*words, "-o", "name").out.splitlines(), words
        whole = desk.does(*words, "-o", "wide").out
        assert whole.strip(), words
        assert not whole.startswith("{"), words
        plain = desk.document(*words)
        again = YAML(typ="safe").load(desk.does(*words, "-o", "yaml").out)
        assert {key: one for key, one in again.items() if key not in volatile} == {
            key: one for key, one in plain.items() if key not in volatile
        }, words


def test_the_order_of_names_is_that_of_the_list_and_what_has_none_is_left_out() -> None:
    document = {"a": [{"x": "2"}, {"x": None, "y": 1}, {"x": ""}], "b": ["word"]}
    assert joined(listed("a", "x", "y"), listed("b"))(document) == ["2", "1", "", "word"]
    assert either("a", listed("a", "x"), shown("c"))({"c": 7}) == ["7"]
    assert keyed("k")({"k": {"one": 1, "two": 2}}) == ["one", "two"]


def test_a_failure_with_yaml_is_one_document(tenuto: Shell) -> None:
    ended = tenuto("show", "nothing", "-o", "yaml")
    assert ended.code == 4
    assert YAML(typ="safe").load(ended.out)["error"]["code"] == "not-found"


def test_a_value_of_a_reference_stays_a_plain_value_in_yaml() -> None:
    document: JsonMap = {"a": {"Ref": "X"}, "b": {"Fn::GetAtt": ["X", "Y"]}, "c": "\u202e"}
    assert YAML(typ="safe").load(to_plain_yaml(document)) == document


@pytest.mark.parametrize("columns", [6, 8, 12])
@pytest.mark.parametrize("width", [40, 60, 69])
def test_a_table_of_many_columns_is_blocks_where_there_is_little_room(columns: int, width: int) -> None:
    headings = [f"Heading{number}" for number in range(columns)]
    told = table(headings, [["a word or two of text"] * columns] * 2, width=width)
    assert all(len(line) <= width for line in told.splitlines())
    assert "…" not in told
    assert told.count("Heading0") == 2
    assert table(headings, [["x"] * columns], width=200).count("Heading0") == 1


def test_columns_without_a_value_do_not_make_blocks() -> None:
    told = table(["A", "B", "C", "D", "E", "F"], [["1", "2", "3", "", "", ""]], width=60)
    assert told.splitlines()[0] == "A  B  C"


def test_a_watch_has_no_form(tenuto: Shell) -> None:
    assert tenuto("status", "--watch", "-o", "name").code == 2


def test_force_color_paints_where_no_terminal_is_and_no_color_goes_before(tenuto: Shell) -> None:
    assert "\x1b[36m" in tenuto("status", environ=tenuto.environ(FORCE_COLOR="1")).out
    assert "\x1b[" not in tenuto("status", environ=tenuto.environ(FORCE_COLOR="1", NO_COLOR="1")).out
    assert "\x1b[" not in tenuto("status").out


def process(state: str, *, converged: bool, status: str | None) -> JsonMap:
    job = None if status is None else {"status": status}
    return {
        "fid": "f", "alias": "web", "state": state, "converged": converged, "last_job": job, "last_message": None,
        "updated": None, "created": "2026-01-01T00:00:00Z", "account": "default", "region": "eu-west-1", "lock": False,
        "enforcement": True, "next_command": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (process("Running", converged=True, status="SUCCEEDED"), "32"),
        (process("Suspended", converged=False, status="HALTED"), "31"),
        (process("Killing", converged=False, status="RUNNING"), "31"),
        (process("Suspended", converged=False, status="SUCCEEDED"), "33"),
        (process("Running", converged=False, status="RUNNING"), "36"),
    ],
)
def test_a_colour_means_one_thing(one: JsonMap, code: str) -> None:
    assert f"\x1b[{code}m" in render_processes({"processes": [one]}, is_painted=True)


RESOURCE = {
    "PrivateSubnetAlpha": {
        "type": "AWS::EC2::SubnetRouteTableAssociation", "id": "rtbassoc-0123456789abcdef0", "state": "Configuration",
        "status": "running", "drift": [], "message": "waits for something that takes a long time", "leaving": [],
    }
}  # fmt: skip


@pytest.mark.parametrize("width", [60, 69, 70, 99, 100, 140])
def test_ids_states_and_statuses_are_never_cut(width: int) -> None:
    shown = resource_table(RESOURCE, width=width)
    assert all(text in shown for text in ("rtbassoc-0123456789abcdef0", "Configuration", "running"))
    assert ("AWS::" in shown or "…EC2::" in shown) == (width >= 100)


def test_a_row_is_a_block_where_there_is_little_room() -> None:
    shown = table(("A", "B", "C", "D", "E"), [("one", "two", "three", "four", "five")], width=40, has_blocks=True)
    assert shown.splitlines() == ["A  one", "B  two", "C  three", "D  four", "E  five"]


def test_leaves_name_the_member_that_they_are_in() -> None:
    rule = {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "0.0.0.0/0"}
    found = list(leaves_of("Rules", [rule], [{**rule, "FromPort": 8443}]))
    assert [(one["before"], one["after"]) for one in found] == [(443, 8443)]
    assert found[0]["path"].startswith("Rules[")
    assert found[0]["path"].endswith("].FromPort")


def test_leaves_of_a_document_in_a_text_are_those_of_the_document() -> None:
    found = list(leaves_of("Policy", '{"A": 1, "B": [1, 2]}', '{"A": 2, "B": [1, 2, 3]}'))
    assert [(one["path"], one["before"], one["after"]) for one in found] == [
        ("Policy.A", 1, 2),
        ("Policy.B[]", None, 3),
    ]


def test_equal_values_have_no_leaves_but_another_order_is_one() -> None:
    assert not list(leaves_of("P", {"a": {"b": 1}}, {"a": {"b": 1}}))
    assert len(list(leaves_of("P", [1, 2], [2, 1]))) == 1


def test_a_tree_keeps_its_branches_in_a_table_and_a_cell_does_not() -> None:
    shown = table(("Resource", "Message"), [("Net", "  one   two"), ("  Front", ""), ("    App", "")])
    assert shown.splitlines()[2:] == ["Net       one two", "  Front", "    App"]


def test_a_block_begins_with_the_name_that_a_reader_looks_for() -> None:
    shown = table(("State", "Region", "Process"), [("Running", "", "shop")], width=40, has_blocks=True, named="Process")
    assert shown.splitlines() == ["Process  shop", "State    Running"]


def test_the_labels_of_blocks_have_the_width_of_those_that_are_shown() -> None:
    headings = ("A", "B", "C", "D", "E", "F", "A heading without a value")
    shown = table(headings, [("one", "two", "three", "four", "five", "six", "")], width=40)
    assert shown.splitlines()[0] == "A  one"


@pytest.mark.parametrize("width", [40, 60, 200])
def test_prose_is_broken_between_words_and_ids_stay_whole(width: int) -> None:
    line = "  Last message: arn:aws:iam::123456789012:role/a-long-name is refused, and this is told at some length."
    shown = filled(line, width, indent=16)
    assert " ".join(shown.split()) == " ".join(line.split())
    assert all(len(one) <= width or len(one.split()) == 1 for one in shown.splitlines()[1:])
    assert all(one.startswith(" " * 16) for one in shown.splitlines()[1:])
    assert filled(line, None, indent=16) == line


PROPERTIES = {
    "logical_id": "Web", "type": "Simulated::Group", "id": "grp-1", "status": "ready", "source": None,
    "observed_at": None, "properties": [
        {"path": "SecurityGroupIngress", "verdict": "not-declared", "is_declared": True, "declared": [443] * 50,
         "is_live": True, "live": [443] * 50, "note": "left alone", "difference": []},
    ],
}  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_verdict_and_the_name_of_a_property_are_never_cut(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_insights, "terminal_width", lambda: width)
    shown = render_insights.render_properties(PROPERTIES)
    assert "SecurityGroupIngress" in shown
    assert "not-declared" in shown


EVENT = {
    "number": 1, "at": "2026-01-01T00:00:00Z", "type": "object.state", "fid": "f", "process": "shop", "object_id": "o",
    "subject": "Net", "before": None, "after": "Validation", "actor": "root", "request": None, "reason": None,
    "data": {},
}  # fmt: skip


def test_an_event_names_its_process_unless_all_are_of_one() -> None:
    head, _, row = render_events({"events": [EVENT]}).splitlines()
    assert "Process" in head
    assert "shop" in row
    assert "Net" in row
    assert "shop" not in render_events({"events": [EVENT]}, is_of_one=True)
    own = {**EVENT, "type": "process.state", "subject": "shop"}
    assert render_events({"events": [own]}).count("shop") == 1


def test_a_plan_and_a_compiled_composition_have_the_forms_of_documents_beside_those_of_ci(
    tenuto: Shell, tmp_path: Path
) -> None:
    assert set(CI_FORMS) == set(PLAN_FORMATS)
    file = tmp_path / "web.yaml"
    file.write_text("Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}}\n")
    for words in (("plan", "web"), ("plan", "web", str(file)), ("compile", str(file))):
        made = [
            json.loads(tenuto(*words, "-o", "json").out),
            tenuto(*words, "--json").document,
            YAML(typ="safe").load(tenuto(*words, "-o", "yaml").out),
        ]
        # Each plan has an id of its own.
        first, *others = ({key: value for key, value in one.items() if key != "plan_id"} for one in made)
        assert first
        assert others == [first, first]
    assert tenuto("compile", str(file), "-o", "github").out == ""


def test_the_newest_operations_and_commands_are_asked_for_by_number(tenuto: Shell, front: Front) -> None:
    tenuto("suspend", "web", "-y")

    def commands(*words: str) -> list[str]:
        return [one["command"] for one in tenuto("history", "web", "--json", *words).document["commands"]]

    assert commands() == ["run", "suspend"]
    assert commands("--limit", "1") == ["suspend"]
    assert tenuto("ops", "web", "--limit", "1").code == 0
    assert tenuto("history", "web", "--timeline", "--limit", "2000").code == 0
    assert tenuto("history", "--request", "r", "--limit", "1").code == 2


def test_a_value_with_a_hidden_character_is_escaped_once(capsys: pytest.CaptureFixture[str]) -> None:
    changes = [{"path": "Label", "before": "a\x7fb\u202ec", "after": "\x1b[31m", "forces_replacement": False}]
    operation = {"op": "modify", "logical_id": "Net", "type": "T", "id": "", "reason": "", "changes": changes}
    document = {"operations": [operation], "summary": {"modify": 1, "unchanged": 0}}
    Session(Settings.from_environment({})).emit(document, render_plan)
    assert 'Label: "a\\u007fb\\u202ec" → "\\u001b[31m"' in capsys.readouterr().out


@pytest.mark.parametrize("form", ["markdown", "wide", "name", "sarif"])
def test_a_word_for_a_form_is_no_file_for_a_plan(tenuto: Shell, form: str) -> None:
    ended = tenuto("kill", "web", "--dry-run", "-o", form)
    assert (ended.code, "names the file to write" in ended.err) == (2, True)
    assert not list(tenuto.folder.glob(f"{form}*"))
