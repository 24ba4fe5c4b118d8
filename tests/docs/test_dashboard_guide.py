"""docs/guide/dashboard.md: each command that it names answers, and its picture is there."""

import re
import shlex
from pathlib import Path

import pytest
from desk import a_desk

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "dashboard.md"
STANDS_FOR = {"shop": "web", "Web": "Grp"}
"""The names of the guide, and those of the process here."""


def test_each_command_of_the_guide_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    commands = [shlex.split(line)[1:] for line in re.findall(r"`(tenuto [^`]+)`", text)]
    with a_desk(tmp_path, capsys) as desk:
        desk.runs()
        desk.does("policy", "set", desk.file("p.yaml", "TenutoPolicy: 1\nUsers: [ann]\nGrants: []\n"))
        for words in commands:
            if words[:2] in (["user", "end-session"], ["user", "generate-secret"], ["conductor"]):
                continue  # They need a name; the journeys and the tests of users give them one.
            said = desk.does(*(STANDS_FOR.get(word, word) for word in words))
            assert said.out.strip(), words
    assert len(commands) > 12


def test_the_pictures_of_the_guide_are_there() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", GUIDE.read_text(encoding="utf-8"))
    assert pictures
    for name in pictures:
        assert (GUIDE.parent / name).read_bytes().startswith(b"\x89PNG")
