"""`Metadata: {Tenuto: {accept: [CODE, …]}}`: what AWS decides is a warning for one resource, an error for others."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tenuto.compositions.compile import Compiled, compile_text
from tenuto.compositions.diagnostics.codes import ACCEPTABLE
from tenuto.compositions.diagnostics.render import render_diagnostics
from tenuto.compositions.documents.document import from_document, to_document
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Severity
from tenuto.model.ids import Json

NEW_RUNTIME = {
    "Role": "arn:aws:iam::123456789012:role/run",
    "Code": {"ZipFile": "x"},
    "Handler": "a.b",
    "Runtime": "python9.99",
}


GUIDE = Path(__file__).parents[3] / "docs/guide/what-aws-decides.md"


def function(**metadata: Json) -> dict[str, Any]:
    return {"Type": "AWS::Lambda::Function", "Metadata": {"Tenuto": metadata}, "Properties": NEW_RUNTIME}


def compiled(resources: Mapping[str, Json]) -> Compiled:
    text = json.dumps({"Resources": resources})
    return compile_text(text, file="web.json", parameters={}, region="us-east-1")


def refused(resources: Mapping[str, Json]) -> list[tuple[str, str, str]]:
    """The severity, the code and the subject of each diagnostic of what is refused."""
    with pytest.raises(CompileError) as found:
        compiled(resources)
    return [(one.severity.value, one.code, one.subject) for one in found.value.diagnostics]


@pytest.mark.parametrize("accept", ["T507", ["T507"], ["T527", "T507"]])
def test_a_value_that_is_newer_than_the_release_is_kept_with_a_warning(accept: Json) -> None:
    done = compiled({"Run": function(accept=accept)})
    assert done.composition.resources[0].properties["Runtime"] == "python9.99"
    assert [(one.severity, one.code) for one in done.diagnostics] == [(Severity.WARNING, "T507")]
    assert done.diagnostics[0].hint == "The composition accepts it: AWS decides."


def test_it_is_accepted_for_this_resource_and_this_code_alone() -> None:
    runtime = "Resources.{}.Properties.Runtime"
    assert refused({"A": function(accept="T507"), "B": function(), "C": function(accept="T508")}) == [
        ("warning", "T507", runtime.format("A")),
        ("error", "T507", runtime.format("B")),
        ("error", "T507", runtime.format("C")),
    ]


def test_it_is_not_accepted_for_another_resource_with_the_same_text() -> None:
    text = """
Resources:
  A:
    Type: AWS::SQS::Queue
    Metadata: {Tenuto: {accept: T509}}
    Properties: &same {DelaySeconds: 9999}
  B:
    Type: AWS::SQS::Queue
    Properties: *same
"""
    with pytest.raises(CompileError) as found:
        compile_text(text, file="web.yaml", parameters={}, region="us-east-1")
    assert [one.severity.value for one in found.value.diagnostics] == ["warning", "error"]


def test_an_error_that_can_be_accepted_says_how() -> None:
    with pytest.raises(CompileError) as found:
        compiled({"Queue": {"Type": "AWS::SQS::Queue", "Properties": {"DelaySeconds": 9999}}})
    [one] = found.value.diagnostics
    assert one.hint == "If AWS takes it, write 'Metadata: {Tenuto: {accept: [T509]}}' into the resource."


@pytest.mark.parametrize("accept", ["T504", "T506", "t507", "507", "everything", ""])
def test_what_tenuto_could_not_go_on_with_is_not_accepted(accept: str) -> None:
    assert ("error", "T529", accept) in refused({"Run": function(accept=accept)})


@pytest.mark.parametrize("accept", [None, 7, {"T507": True}, [["T507"]]])
def test_anything_but_texts_is_refused(accept: Json) -> None:
    assert [code for severity, code, _ in refused({"Run": function(accept=accept)}) if severity == "error"][
        -1
    ] == "T507"


@pytest.mark.parametrize("code", [one.code for one in ACCEPTABLE])
def test_a_type_of_tenuto_has_no_rules_of_others(code: str) -> None:
    """Its schema keeps what runs on a host within its bounds."""
    network = {
        "Type": "Tenuto::Compute::Network",
        "Metadata": {"Tenuto": {"accept": code}},
        "Properties": {"CidrBlock": "10.0.0.0/16"},
    }
    assert refused({"Net": network}) == [("error", "T529", code)]


def test_a_compiled_document_keeps_what_is_accepted() -> None:
    composition = compiled({"Run": function(accept="T507")}).composition
    assert from_document(to_document(composition)) == composition


def test_the_page_says_what_is_told_and_what_helps() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    told, template = (re.search(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("text", "yaml"))
    assert told is not None
    assert template is not None
    without = template[1].replace("accept: [T507]", "ignore: []")
    with pytest.raises(CompileError) as refused:
        compile_text(without, file="resize.yaml", parameters={}, region="us-east-1")
    shown = render_diagnostics(refused.value.diagnostics)
    for line in told[1].splitlines():
        assert line.strip() in shown
    done = compile_text(template[1], file="resize.yaml", parameters={}, region="us-east-1")
    assert [(one.severity, one.code) for one in done.diagnostics] == [(Severity.WARNING, "T507")]
    assert set(re.findall(r"T\d{3}", text)) == {one.code for one in ACCEPTABLE} | {"T529"}
