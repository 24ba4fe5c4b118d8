"""Text to tree: the choice of JSON or YAML, and the limits against a hostile or broken file."""

from tenuto.compositions.cloudformation.reading import json_reader, yaml_reader
from tenuto.compositions.cloudformation.reading.building import UnreadableError
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Node
from tenuto.compositions.diagnostics.problems import Problems

LARGEST_FILE_BYTES = 67_108_864
"""100,000 resources of 600 bytes each. CloudFormation allows a template a sixty-fourth of it, and 500 resources."""


def read(text: str, problems: Problems) -> Fields | None:
    """The document as a mapping; None, with a problem reported, when it is none."""
    size = len(text.encode())
    if size > LARGEST_FILE_BYTES:
        detail = f"The file has {size:,} bytes; {LARGEST_FILE_BYTES:,} are allowed."
        problems.add(codes.FILE_TOO_LARGE, None, detail)
        return None
    if not text.strip():
        problems.add(codes.FILE_EMPTY, None, "There is nothing but white space in the file.")
        return None
    try:
        root = _root(text, problems)
    except UnreadableError as unreadable:
        problems.add(unreadable.code, unreadable.position, unreadable.detail, hint=unreadable.hint)
        return None
    if root is None:
        problems.add(codes.FILE_EMPTY, None, "There is nothing but comments in the file.")
        return None
    if not isinstance(root, Fields):
        problems.add(codes.NOT_A_MAPPING, root, "The file holds a single value or a list.")
        return None
    return root


def _root(text: str, problems: Problems) -> Node | None:
    """Parse JSON first where it can be meant: YAML would refuse its tabs, and explain its errors badly."""
    if not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return yaml_reader.parse(text, problems)
    try:
        return json_reader.parse(text, problems)
    except UnreadableError as unreadable:
        if unreadable.code is not codes.JSON_SYNTAX or problems.file.endswith(".json"):
            raise
        trial = Problems(problems.file, text)
        try:
            yaml_reader.parse(text, trial)
        except UnreadableError:
            raise unreadable from None
        return yaml_reader.parse(text, problems)
