"""Slips of the finger and files that are no texts: what is said names the slip."""

from pathlib import Path

import pytest

from tenuto.compositions.compile import compile_file
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

QUEUE = "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n"


def said_of(folder: Path, content: bytes) -> list[Diagnostic]:
    path = folder / "web.yaml"
    path.write_bytes(content)
    with pytest.raises(CompileError) as failed:
        compile_file(path, parameters={}, region="us-east-1")
    return [one for one in failed.value.diagnostics if isinstance(one, Diagnostic)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (QUEUE.encode("utf-16"), "text in UTF-16"),
        (b"\x1f\x8b\x08\x00", "compressed by gzip"),
        (b"PK\x03\x04\xff", "a ZIP archive"),
        ("# a\n# é\n".encode("latin-1"), "on line 2, cannot be part of UTF-8 text"),
    ],
)
def test_a_file_that_is_no_text_in_utf_8_is_called_what_it_is(tmp_path: Path, content: bytes, words: str) -> None:
    [found] = said_of(tmp_path, content)
    assert found.code == "T005"
    assert words in found.detail


def test_a_colon_without_a_space_is_named(tmp_path: Path) -> None:
    [found] = said_of(tmp_path, f"{QUEUE}    Properties:\n      QueueName:abc\n".encode())
    assert (found.code, found.hint) == (
        "T104",
        "Put a space after the colon: without one, YAML takes the line for a text.",
    )


def test_a_resource_whose_lines_are_not_indented_is_told_to_be(tmp_path: Path) -> None:
    first = said_of(tmp_path, b"Resources:\n  Q:\n  Type: AWS::SQS::Queue\n")[0]
    assert first.hint == "Put what belongs to it below it, indented by two more spaces."


def test_a_condition_that_is_missing_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    [none] = said_of(tmp_path, f"{QUEUE}    Condition: Nope\n".encode())
    assert none.detail == "There is no condition Nope; the composition declares none."
