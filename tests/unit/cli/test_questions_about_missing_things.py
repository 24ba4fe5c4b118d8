"""No command asks a question about a thing that is not there: it says so first, with what is meant perhaps."""

import io
import sys
from collections.abc import Iterator

import click
import pytest
from front import Front, submission
from terminal import Shell

from tenuto.cli.objects.object_kinds import OBJECT_KINDS
from tenuto.cli.root import root
from tenuto.cli.terminal.exits import Exit
from tenuto.provider_plugins import file_beside
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.making import ENDING
from tenuto.providers.simulated.kept import KeptCloud, cloud_file
from tenuto_testing.clock import VirtualClock

POLICY = "TenutoPolicy: 1\nUsers: [ann]\n"
ABOUT_MISSING_THINGS = {
    ("kill", "wbe"): "Did you mean web?",
    ("release", "wbe"): "Did you mean web?",
    ("suspend", "wbe"): "Did you mean web?",
    ("resume", "wbe"): "Did you mean web?",
    ("retry", "wbe"): "Did you mean web?",
    ("retry", "web", "Nte"): "Did you mean Net?",
    ("property", "wbe", "lock", "--set", "on"): "Did you mean web?",
    ("property", "web", "lock", "--set", "maybe"): "The property lock is 'on' or 'off', not 'maybe'.",
    ("property", "web", "alias", "--set", "a b"): "'a b' cannot be an alias",
    ("kill", "wbe", "--plan", "PLAN"): "Did you mean web?",
    ("update", "wbe", "TEMPLATE"): "Did you mean web?",
    ("approve", "9"): "There is no proposal 9",
    ("reject", "9"): "There is no proposal 9",
    ("account", "update", "tset", "--region", "eu-west-1"): "no account",
    ("account", "remove", "tset"): "no account",
    ("notification", "remove", "caht"): "no notification",
    ("notification", "redeliver", "caht"): "no notification",
    ("validation", "remove", "no-shs"): "no validation",
    ("object", "create", "namespcae", "red"): "Did you mean",
    ("object", "delete", "rde"): "no object",
    ("instance", "power", "web/Nte", "off"): "no instance",
    ("instance", "reboot", "web/Nte"): "no instance",
    ("object", "retry", "rde"): "no object",
    **{(kind.name, verb, "rde"): "no object" for kind in OBJECT_KINDS for verb in ("delete", "retry")},
    ("object", "tag", "rde", "a=b"): "no object",
    ("namespace", "key", "add", "rde", "ci", "--commands", "run"): "There is no namespace",
    ("namespace", "key", "delete", "rde", "ci"): "There is no namespace",
    ("namespace", "trust", "rde", "blue"): "There is no namespace",
    ("namespace", "limits", "rde", "instances=1"): "There is no namespace",
    ("artifact", "delete-version", "rde", "1"): "no object",
    ("artifact", "download", "rde", "file"): "no object",
    ("artifact", "share", "rde"): "no object",
    ("artifact", "unshare", "rde"): "no object",
    ("user", "generate-secret", "anne"): "Did you mean ann?",
    ("user", "revoke", "anne"): "Did you mean ann?",
    ("user", "token", "add", "anne", "ci", "--expires", "1d"): "Did you mean ann?",
    ("user", "token", "revoke", "ann", "ic"): "has no token",
    ("runtime", "set", "jobs.perid", "5"): "no setting",
    ("runtime", "unset", "jobs.perid"): "no setting",
    ("simulated", "delete", "net-1", "--database", "DATABASE"): "There is no net-1",
    ("node", "stop", "h1"): "There are no hosts",
    ("node", "purge", "h1"): "There are no hosts",
    ("node", "delete", "h1", "--force"): "There are no hosts",
    ("local", "delete", "5b1f", "--database", "DATABASE"): "nothing on the hosts",
    ("doctor", "wbe", "--delete", "vpc-0", "--no-sweep"): "always sweep first",
}
OF_WHAT_IS_NEW = {"account add", "apply", "import", "notification add", "policy set", "run", "validation add"} | {
    f"{kind.name} create" for kind in OBJECT_KINDS
}
"""The things that these ask about are given with the question; `import` asks about a file that is there."""
OF_ALL = {"policy remove"}


@pytest.fixture
def front() -> Front:
    made = Front()
    made.commands.run(submission(), alias="web")
    return made


def asking(group: click.Group, name: str = "") -> Iterator[str]:
    """The commands that have a question, by their names."""
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        if isinstance(command, click.Group):
            yield from asking(command, f"{name}{word} ")
        elif command is not None and any(one.name == "yes" for one in command.params):
            yield f"{name}{word}"


class Person(io.StringIO):
    """A terminal at which someone says no to every question."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("words", ABOUT_MISSING_THINGS, ids=" ".join)
def test_a_missing_thing_is_told_before_a_question(
    tenuto: Shell, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tenuto.folder
    (folder / "policy.yaml").write_text(POLICY)
    (folder / "plan.json").write_text('{"command": "kill", "operations": []}')
    (folder / "web.yaml").write_text("Resources:\n  B: {Type: AWS::S3::Bucket}\n")
    with KeptCloud(cloud_file(folder / "tenuto.db"), VirtualClock()).session():
        pass
    SimulatedDriver(VirtualClock(), file_beside(folder / "tenuto.db", ENDING)).hosts("here")
    assert tenuto("policy", "set", str(folder / "policy.yaml"), "-y").code == 0
    files = {"PLAN": "plan.json", "TEMPLATE": "web.yaml", "DATABASE": "tenuto.db"}
    monkeypatch.setattr(sys, "stdin", Person("n\n"))
    ended = tenuto(*(str(folder / files[word]) if word in files else word for word in words))
    assert ended.code in (Exit.NOT_FOUND, Exit.USAGE), ended
    assert "[y/N]" not in ended.err, ended
    assert ABOUT_MISSING_THINGS[words] in ended.err, ended


def test_every_command_that_asks_is_tried() -> None:
    tried = {" ".join(words[:count]) for words in ABOUT_MISSING_THINGS for count in (1, 2, 3, 4)}
    assert set(asking(root)) - tried - OF_WHAT_IS_NEW - OF_ALL == set()


def test_a_question_is_asked_about_what_may_be_changed_and_not_seen(
    tenuto: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = tenuto.folder / "policy.yaml"
    policy.write_text(f"{POLICY}Grants:\n  - {{To: ann, Commands: suspend, Accounts: '*'}}\n")
    tenuto("policy", "set", str(policy), "-y")
    secret = tenuto("user", "generate-secret", "ann", "-y").out.strip()
    monkeypatch.setattr(sys, "stdin", Person("n\n"))
    ended = tenuto("suspend", "web", environ=tenuto.environ(TENUTO_SECRET=secret))
    assert (ended.code, "[y/N]" in ended.err) == (Exit.DECLINED, True), ended
    assert tenuto("suspend", "web", "-y", environ=tenuto.environ(TENUTO_SECRET=secret)).code == 0
