"""Every example of the commands about objects by request is run, as it is printed, on the simulated provider."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from live import Live

from tenuto.cli.objects.object_kinds import OBJECT_KINDS, VERBS, ObjectKind
from tenuto.cli.options.options import TenutoCommand
from tenuto.cli.root import root

NOWHERE = "http://127.0.0.1:9"
NEEDS = {"interface": "network"}
"""The kind whose example object must be there before the example of another kind."""
KINDS = {kind.name: kind for kind in OBJECT_KINDS}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """An installation with simulated objects alone."""
    found = Live(tmp_path, NOWHERE, TENUTO_PROVIDERS="simulated")
    found.start()
    yield found
    found.stop()


def examples_of(name: str) -> list[list[str]]:
    """The examples of one group, in the order of its help, as words."""
    context = click.Context(root)
    group = root.get_command(context, name)
    assert isinstance(group, click.Group)
    # The commands that one type alone has are typed by the page about images, on the provider that keeps them.
    verbs = (verb for verb in group.list_commands(context) if name not in KINDS or verb in VERBS)
    commands = (group.get_command(context, verb) for verb in verbs)
    return [shlex.split(text)[1:] for one in commands if isinstance(one, TenutoCommand) for text in one.examples]


def standing(live: Live, kind: ObjectKind) -> list[str]:
    """The live objects of a kind, by id."""
    return [one["id"] for one in live.tenuto(kind.name, "list", "--json", check=True).document["objects"]]


def made(live: Live, kind: ObjectKind, suffix: str = "") -> str:
    """An object of a kind that stands, made as the first example shows; its name in the other examples.

    A name is reserved for a while after its object was deleted, so another object gets a `suffix`.
    """
    if not standing(live, kind):
        if kind.name in NEEDS:
            made(live, KINDS[NEEDS[kind.name]])
        words = shlex.split(kind.example)
        live.tenuto(
            "-y", kind.name, "create", *(word + suffix if word == kind.named else word for word in words), check=True
        )
    [one] = live.tenuto(kind.name, "list", "--json", check=True).document["objects"]
    return str(one["name"]) if kind.is_named else str(one["id"])


@pytest.mark.parametrize("names", [tuple(KINDS)[::2], tuple(KINDS)[1::2]], ids=" ".join)
def test_the_examples_of_a_kind_do_what_they_show(live: Live, names: tuple[str, ...]) -> None:
    for kind in (KINDS[name] for name in names):
        for number, (_, verb, *words) in enumerate(examples_of(kind.name)):
            typed = words
            if verb not in VERBS:
                continue  # What acts inside instances is typed by test_local_live.py.
            if verb == "create":
                for one in standing(live, kind):
                    live.tenuto("-y", kind.name, "delete", one, "--wait", check=True)
                if kind.name in NEEDS:
                    made(live, KINDS[NEEDS[kind.name]])
            elif verb != "list":
                name = made(live, kind, f"-{number}")
                if verb == "wait":
                    live.tenuto("-y", kind.name, "delete", name, check=True)
                typed = [name if word == kind.named else word for word in words]
            live.tenuto("-y", kind.name, verb, *typed, check=True)


def test_the_examples_of_objects_of_any_type_do_what_they_show(live: Live) -> None:
    for words in examples_of("object"):
        live.tenuto("-y", *words, check=True)
