"""Behaviour 80: every command prints one JSON document on request, and ends with a code that tells the failure."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from terminal import Shell

from tenuto.cli.objects.object_kinds import OBJECT_KINDS, VERBS
from tenuto.cli.root import root
from tenuto.cli.terminal.exits import Exit

MISSING = "00000000-0000-4000-8000-000000000000"


def _commands(command: click.Command, *words: str) -> Iterator[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        yield words
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from _commands(found, *words, name)


EVERY = tuple(_commands(root))


def test_the_commands_of_objects_and_of_the_local_cloud_are_among_them() -> None:
    groups = ("object", *(one.name for one in OBJECT_KINDS))
    assert {(group, verb) for group in groups for verb in VERBS} <= set(EVERY)
    assert {("local", "list"), ("local", "delete")} <= set(EVERY)


@pytest.fixture
def alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A command line without a Conductor: what it does must need none."""
    return Shell("http://127.0.0.1:1", tmp_path, capsys)


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_behaviour_80_every_command_tells_wrong_usage_in_one_document_and_by_its_code(
    alone: Shell, words: tuple[str, ...]
) -> None:
    ended = alone("--json", *words, "--no-such-option")
    error = ended.document["error"]
    assert (ended.code, error["exit_code"]) == (Exit.USAGE, Exit.USAGE)
    assert "--no-such-option" in error["message"]


@pytest.mark.parametrize("group", ["object", *(one.name for one in OBJECT_KINDS)])
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("create", "list")])
def test_behaviour_80_an_object_that_is_missing_is_one_document_with_the_code_of_it(
    tenuto: Shell, group: str, verb: str
) -> None:
    ended = tenuto("--json", "-y", group, verb, MISSING)
    error = ended.document["error"]
    assert (ended.code, error["exit_code"], error["code"]) == (Exit.NOT_FOUND, Exit.NOT_FOUND, "not-found")


def test_behaviour_80_a_list_of_objects_is_one_document(tenuto: Shell) -> None:
    assert tenuto("--json", "object", "list").document == {"objects": []}


@pytest.mark.parametrize("words", [("list",), ("stop", MISSING), ("break", MISSING, "x"), ("delete", MISSING)])
def test_behaviour_80_what_is_done_to_hosts_that_are_not_there_is_one_document(
    alone: Shell, words: tuple[str, ...]
) -> None:
    database = str(alone.folder / "nothing.db")
    ended = alone("--json", "-y", "local", *words, "--database", database)
    assert ended.code == ended.document["error"]["exit_code"] != Exit.DONE
