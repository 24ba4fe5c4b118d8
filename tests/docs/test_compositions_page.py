"""The examples of the page about compositions compile, and say what the page says."""

import re
from pathlib import Path
from typing import Any

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.errors import CompileError

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "compositions.md"
LOOPS, RULES, *_ = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
AROUND = """
Parameters:
  Stage: {Type: String, Default: test}
  Size: {Type: String, Default: small}
Resources:
  Queue: {Type: AWS::SQS::Queue}
"""


def document(text: str, **parameters: str) -> Any:
    found = compile_text(text, file="page.yaml", parameters=parameters, region="eu-west-1")
    assert found.diagnostics == ()
    return to_document(found.composition)


def test_the_loops_of_the_page_make_a_queue_and_an_output_for_each_team() -> None:
    found = document(LOOPS, Teams="web,data,ops")
    assert sorted(found["resources"]) == ["Queuedata", "Queueops", "Queueweb"]
    assert found["outputs"]["Arnops"]["value"] == {"Fn::GetAtt": ["Queueops", "Arn"]}
    assert found["resources"]["Queueops"]["properties"]["Tags"] == [{"Key": "team", "Value": "ops"}]


def test_the_rule_of_the_page_asks_for_large_production() -> None:
    text = AROUND + RULES
    document(text)
    document(text, Stage="production", Size="huge")
    with pytest.raises(CompileError) as failed:
        document(text, Stage="production")
    assert [one.code for one in failed.value.diagnostics] == ["T410"]
