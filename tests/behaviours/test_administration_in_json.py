"""Behaviour 80: each command that administers a Conductor answers `-o json` with one document, also for an act.

Two stories give every such command once, where it succeeds: in a simulated world, and in a local cloud. A command that
no story has, and that is not left out by name, fails the last test.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from desk import NET, SECRET, Desk
from images import disk
from structlog.testing import capture_logs
from terminal import Ended
from town import a_town

from tenuto.cli.objects.object_kinds import OBJECT_KINDS, VERBS
from tenuto.cli.root import root
from tenuto.cli.terminal.exits import Exit
from tenuto.model.ids import JsonMap

GROUPS = (
    *("account", "artifact", "blob", "metrics", "namespace", "notification", "object", "policy", "runtime"),
    *("store", "upload", "user", "validation"),
)
SINGLE = ("config", "doctor", "events", "find", "history", "nodes", "phases", "rates", "types")

POLICY = "TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: [ann], Commands: all, Accounts: ['*']}]\n"

LEFT_OUT = {
    ("account", "add"): "needs a cloud that has accounts; tests/unit/cli/test_cli_accounts.py has it",
    ("account", "check"): "as add",
    ("account", "remove"): "as add",
    ("account", "update"): "as add",
    ("artifact", "fetch"): "needs a server of images; tests/behaviours/test_images.py has it",
    ("artifact", "share"): "needs a second namespace with artifacts; tests/behaviours/test_images.py has it",
    ("artifact", "unshare"): "as share",
    ("notification", "redeliver"): "needs a delivery that failed; tests/integration/test_notifications_live.py has it",
    ("notification", "test"): "needs a receiver; tests/integration/test_notifications_live.py has it",
    ("store", "backup"): "works on a file; tests/unit/cli/test_store_commands.py has it",
    ("store", "check"): "works on a file; tests/unit/cli/test_store_commands.py has it",
    ("user", "end-session"): "needs a browser; tests/unit/web has it",
}


def leaves(command: click.Command, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield words, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, *words, name)


EVERY = dict(leaves(root))
WANTED = {words for words in EVERY if words[0] in (*GROUPS, *SINGLE)}


class Story:
    """Commands as they are typed, each with `-o json`."""

    def __init__(self, type_command: object) -> None:
        self._type = type_command
        self.told: set[tuple[str, ...]] = set()

    def __call__(self, *words: str) -> JsonMap:
        name = next(words[:count] for count in (3, 2, 1) if words[:count] in EVERY)
        is_form = any("-o" in one.opts and "json" in getattr(one.type, "choices", ()) for one in EVERY[name].params)
        with capture_logs():  # The Conductor runs in this process, and its log would stand on the same stdout.
            ended: Ended = self._type("-y", *words, *(("-o", "json") if is_form else ("--json",)))  # type: ignore[operator]
        assert ended.code == Exit.DONE, (words, ended)
        self.told.add(name)
        return ended.document


@pytest.fixture
def town_story(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Story]:
    with a_town(tmp_path, capsys) as town:
        environ = town.shell.environ(TENUTO_SECRET=SECRET, TENUTO_REGION="zone-1")
        yield Story(lambda *words: town.shell(*words, environ=environ))


def told_at_the_desk(desk: Desk) -> Story:
    """Give the commands about processes, users, rules, sinks and objects; one document each."""
    tell = Story(desk)
    desk.runs(NET)
    for name in SINGLE:
        tell(name, *{"find": ("web",), "history": ("web",)}.get(name, ()))
    assert tell("policy", "check", desk.file("policy.yaml", POLICY))
    tell("policy", "set", desk.file("policy.yaml", POLICY))
    tell("policy", "show")
    assert tell("user", "generate-secret", "ann")["secret"]
    assert [one["name"] for one in tell("user", "list")["users"]] == ["ann"]
    tell("user", "token", "add", "ann", "ci", "--expires", "90d")
    tell("user", "token", "list", "ann")
    tell("user", "token", "revoke", "ann", "ci")
    tell("user", "whoami")
    tell("user", "sessions")
    tell("user", "revoke", "ann")
    tell("policy", "remove")
    rule = desk.rule("labelled", "Simulated::Network", "true")
    tell("validation", "add", rule)
    tell("validation", "list")
    tell("validation", "show", "labelled")
    tell("validation", "check", rule, desk.template(NET))
    tell("validation", "remove", "labelled")
    tell("notification", "add", "chat", "--webhook", "https://chat.example.com/hook")
    tell("notification", "list")
    tell("notification", "dead", "chat")
    tell("notification", "remove", "chat")
    key = tell("runtime", "list")["settings"][0]["key"]
    value = tell("runtime", "get", key)["settings"][0]["value"]
    tell("runtime", "set", key, str(value))
    tell("runtime", "unset", key)
    tell("metrics", "alerts")
    tell("metrics", "dashboard")
    tell("account", "list")
    tell("account", "show", "default")
    tell("object", "types")
    for group in ("object", *(one.name for one in OBJECT_KINDS)):
        if group in GROUPS:
            told_of_a_kind(tell, desk, group)
    return tell


def told_of_a_kind(tell: Story, desk: Desk, group: str) -> None:
    """Make, show and delete an object by the commands of its kind."""
    fields = {
        "blob": ("--field", "Sha512=abc"),
        "upload": ("--field", "SizeBytes=10"),
        "artifact": ("--field", "Kind=image"),
    }
    named = () if group in ("blob", "upload") else (f"a-{group}",)
    kind = ("namespace",) if group == "object" else ()
    made = tell(group, "create", *kind, *named, *fields.get(group, ()))
    reference = str(made["id"])
    desk.advance(60.0)
    for verb in [one for one in VERBS if (group, one) in EVERY and one not in ("create", "delete")]:
        tell(group, verb, *(() if verb == "list" else (reference,)))
    if (group, "tag") in EVERY:
        tell(group, "tag", reference, "team=red")
    tell(group, "delete", reference)
    desk.advance(60.0)


def told_in_town(tell: Story, folder: Path) -> Story:
    """Give the commands about namespaces, their keys, and their images."""
    for name in ("red", "blue"):
        tell("namespace", "create", name)
    tell("namespace", "trust", "red", "blue")
    tell("namespace", "limits", "red")
    assert tell("namespace", "key", "add", "red", "ci", "--commands", "all")
    tell("namespace", "key", "list", "red")
    tell("namespace", "key", "delete", "red", "ci")
    file = folder / "base.img"
    for mark in ("one", "two"):
        file.write_bytes(disk(mark))
        tell("artifact", "upload", "--account", "red", "base", str(file))
    [artifact] = tell("artifact", "list")["objects"]
    reference = str(artifact["id"])
    blob = tell("artifact", "versions", reference)["versions"][0]["blob"]
    tell("artifact", "download", reference, str(folder / "copy.img"))
    tell("artifact", "label", "--account", "red", "golden", "base")
    tell("artifact", "delete-version", reference, "1")
    tell("blob", "verify", str(blob))
    return tell


def test_behaviour_80_each_act_at_a_conductor_is_told_in_one_document(desk: Desk) -> None:
    assert len(told_at_the_desk(desk).told) > 60


def test_behaviour_80_each_act_in_a_local_cloud_is_told_in_one_document(town_story: Story, tmp_path: Path) -> None:
    assert len(told_in_town(town_story, tmp_path).told) > 8


def test_behaviour_80_no_command_that_administers_is_in_no_story(desk: Desk, town_story: Story, tmp_path: Path) -> None:
    told = told_at_the_desk(desk).told | told_in_town(town_story, tmp_path).told
    assert sorted(WANTED - told - LEFT_OUT.keys()) == []
    assert sorted(told & LEFT_OUT.keys()) == []


@pytest.mark.parametrize("form", [("-o", "json"), ("--output", "json"), ("--output=json",), ("-ojson",), ("--json",)])
@pytest.mark.parametrize("where", ["nobody", "--no-such-option"])
def test_an_error_is_one_document_in_each_way_to_ask_for_it(desk: Desk, form: tuple[str, ...], where: str) -> None:
    ended = desk("account", "show", where, *form)
    assert ended.code == json.loads(ended.out)["error"]["exit_code"] != Exit.DONE


@pytest.mark.parametrize("words", [("user", "generate-secret", "ann"), ("kill", "web", "--dry-run")])
def test_a_file_is_not_called_json_by_mistake(desk: Desk, tmp_path: Path, words: tuple[str, ...]) -> None:
    ended = desk(*words, "-o", "json")
    assert (ended.code, "-o names the file to write here" in ended.err) == (Exit.USAGE, True)
    assert not (tmp_path / "json").exists()
