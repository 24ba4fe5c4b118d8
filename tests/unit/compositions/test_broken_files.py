"""Files that cannot be read: what is said of each, in plain words, and the line where the mistake begins.

`broken.txt` is what a person sees of all of them; TENUTO_GOLDEN=update writes it anew.
"""

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenuto.compositions.compile import compile_text
from tenuto.compositions.diagnostics.render import render_diagnostics
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

HERE = Path(__file__).parent
FILES = sorted((HERE / "broken").iterdir())
GOLDEN = HERE / "broken.txt"
JARGON = re.compile(
    r"block (mapping|end|collection)|flow|scalar|token|stream|parsing|scanning|<|delimiter|surrogate|expecting", re.I
)
WHOLE = """Description: "A shop: with a queue"
Parameters: {Stage: {Type: String, Default: test}}
Resources:
  Queue:
    Type: AWS::SQS::Queue
    Properties:
      QueueName: !Sub '${AWS::StackName}-q'
      DelaySeconds: 3  # a while
      Tags:
      - Key: a
        Value: |
          two
          lines
      - {Key: "b", Value: [1, 'it''s']}
"""
AS_JSON = """{
  "Description": "A shop",
  "Resources": {
    "Queue": {
      "Type": "AWS::SQS::Queue",
      "Properties": {"DelaySeconds": 3, "Tags": [{"Key": "a", "Value": "b"}]},
      "DependsOn": []
    }
  }
}
"""


def diagnostics_of(text: str, name: str) -> tuple[Diagnostic, ...]:
    try:
        return compile_text(text, file=name, parameters={}, region="us-east-1").diagnostics
    except CompileError as failed:
        return tuple(one for one in failed.diagnostics if isinstance(one, Diagnostic))


def test_what_is_said_of_each_broken_file_is_what_was_agreed() -> None:
    told = "\n".join(render_diagnostics(diagnostics_of(path.read_text(), path.name)) for path in FILES)
    if os.environ.get("TENUTO_GOLDEN") == "update":
        GOLDEN.write_text(told)
    assert told == GOLDEN.read_text()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_broken_file_is_one_mistake_with_a_place_and_advice(path: Path) -> None:
    [found] = diagnostics_of(path.read_text(), path.name)
    assert found.code in ("T003", "T004", "T007", "T013")
    assert found.position is not None
    assert found.source_line
    assert found.hint
    assert not JARGON.search(f"{found.summary} {found.detail} {found.hint}")


def test_there_are_many_kinds_of_broken_files() -> None:
    assert len(FILES) >= 50


@settings(max_examples=300)
@given(st.integers(0, len(WHOLE) - 1), st.sampled_from(["", "\t", '"', "'", ":", "[", "}", " ", "- ", "\n", "*", "{"]))
def test_whatever_happens_to_one_place_of_a_yaml_file_is_told_without_jargon(at: int, sign: str) -> None:
    check(WHOLE[:at] + sign + WHOLE[at + 1 :], "x.yaml")


@settings(max_examples=300)
@given(
    st.integers(0, len(AS_JSON) - 1), st.sampled_from(["", "\t", '"', "'", ":", "[", "}", ",", "\\", "\n", "/", "x"])
)
def test_whatever_happens_to_one_place_of_a_json_file_is_told_without_jargon(at: int, sign: str) -> None:
    check(AS_JSON[:at] + sign + AS_JSON[at + 1 :], "x.json")


def check(text: str, name: str) -> None:
    for found in diagnostics_of(text, name):
        if found.code not in ("T003", "T004"):
            continue
        assert found.position is not None
        assert 1 <= found.position.line <= len(text.splitlines()) + 1
        assert found.hint
        assert not JARGON.search(f"{found.detail} {found.hint}"), found


@pytest.mark.parametrize(
    ("output", "advice"),
    [
        ("!Ref Queue", "Write `Y: {Value: !Ref Queue}`."),
        ("!GetAtt Queue.Arn", "Write `Y: {Value: !GetAtt Queue.Arn}`."),
        ("{Ref: Queue}", "Write `Y: {Value: !Ref Queue}`."),
        ("!Join [a, [b]]", "Write `Y: {Value: !Join …}`."),
        ("text", "Write `Y: {Value: …}`."),
    ],
)
def test_a_value_in_the_place_of_an_output_is_one_mistake_with_the_way_to_write_it(output: str, advice: str) -> None:
    text = f"Resources: {{Queue: {{Type: AWS::SQS::Queue}}}}\nOutputs:\n  Y: {output}\n"
    [found] = diagnostics_of(text, "x.yaml")
    assert (found.code, found.hint, found.position and found.position.line) == ("T601", advice, 3)
