"""The canonical document: what is written is read again, and nothing else is believed."""

import copy
import json
from collections.abc import Callable

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.canonical import digest
from tenuto.compositions.documents.document import LARGEST_DOCUMENT, canonical_json, from_document, to_document
from tenuto.errors import CompileError
from tenuto.model.composition import Composition
from tenuto.model.ids import Json

pytestmark = pytest.mark.usefixtures("types_without_schemas")

TEMPLATE = """\
Description: Two things
Parameters:
  Secret: {Type: String, NoEcho: true, Default: hidden}
  Size: {Type: Number, Default: 3}
Resources:
  First:
    Type: Simulated::Thing
    DeletionPolicy: Retain
    Metadata: {Note: kept}
    Properties: {Size: !Ref Size, Password: !Ref Secret}
  Second:
    Type: Simulated::Thing
    Properties: {Other: !GetAtt First.Id}
Outputs:
  Id: {Value: !Ref Second, Description: the id, Export: {Name: !Sub '${AWS::StackName}-id'}}
"""


def composition() -> Composition:
    return compile_text(TEMPLATE, file="two.yaml", parameters={}, region="eu-west-1").composition


def document() -> dict[str, Json]:
    """As it arrives: through JSON, so that nothing is shared with the composition."""
    found: dict[str, Json] = json.loads(canonical_json(to_document(composition())))
    return found


def test_a_document_that_is_read_gives_the_composition_that_was_written() -> None:
    assert from_document(document()) == composition()


def test_the_canonical_text_is_the_same_however_the_keys_stand() -> None:
    turned = dict(reversed(list(document().items())))
    assert canonical_json(turned) == canonical_json(document())
    assert from_document(turned) == composition()


def test_positions_are_no_part_of_the_digest() -> None:
    moved = document()
    moved["positions"]["First"]["line"] = 99
    assert digest(from_document(moved)) == composition().digest


def _set(*path: str, to: Json) -> Callable[[dict[str, Json]], None]:
    def change(found: dict[str, Json]) -> None:
        node: Json = found
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = to

    return change


def _nested(levels: int) -> Json:
    value: Json = "deep"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("change", "code", "subject"),
    [
        (_set("version", to=2), "T903", "version"),
        (_set("name", to=5), "T901", "document.name"),
        (_set("extra", to=5), "T901", "document"),
        (_set("resources", to=[]), "T901", "document.resources"),
        (_set("resources", "First", "type", to=None), "T901", "resources.First.type"),
        (_set("resources", "First", "surprise", to=1), "T901", "resources.First"),
        (_set("resources", "First", "deletion_policy", to="Keep"), "T901", "resources.First.deletion_policy"),
        (_set("resources", "First", "properties", to=[]), "T901", "resources.First.properties"),
        (_set("resources", "First", "properties", "Size", to={"Ref": "Gone"}), "T901", "resources.First.properties"),
        (_set("resources", "First", "properties", "Size", to={"Fn::If": []}), "T901", "resources.First.properties"),
        (_set("resources", "First", "properties", "Size", to={"Ref": 5}), "T901", "resources.First.properties"),
        (
            _set("resources", "Second", "properties", "Other", "Fn::GetAtt", to=["First", {}]),
            "T901",
            "resources.Second.properties",
        ),
        (_set("resources", "First", "properties", "Size", to=_nested(200)), "T901", "document"),
        (_set("resources", "First", "properties", "Size", to="\ud800"), "T901", "document"),
        (_set("resources", "First", "depends_on", to=["Second"]), "T901", "resources"),
        (_set("resources", "First", "depends_on", to=["Gone"]), "T901", "resources.First.depends_on"),
        (_set("resources", "Second", "depends_on", to=[]), "T901", "resources.Second.depends_on"),
        (_set("resources", "not-a-name", to={}), "T901", "resources.not-a-name"),
        (_set("parameters", "Secret", to={}), "T901", "parameters.Secret"),
        (_set("parameters", "Secret", to={"lookup": "a", "fingerprint": "b"}), "T901", "parameters.Secret"),
        (_set("values", "Size", to=3), "T901", "values.Size"),
        (_set("outputs", "Id", "value", to={"Fn::Sub": "${Second}"}), "T901", "outputs.Id"),
        (_set("positions", "First", "line", to=0), "T901", "positions.First.line"),
        (_set("digest", to="0" * 64), "T902", "digest"),
        (_set("resources", "First", "properties", "Size", to=4), "T902", "digest"),
    ],
)
def test_a_document_that_was_tampered_with_is_refused(
    change: Callable[[dict[str, Json]], None], code: str, subject: str
) -> None:
    found = copy.deepcopy(document())
    change(found)
    with pytest.raises(CompileError) as caught:
        from_document(found)
    assert [(one.code, one.subject) for one in caught.value.diagnostics] == [(code, subject)]


@pytest.mark.parametrize("found", [None, [], "text", {}, {"version": None}])
def test_what_is_no_document_is_refused(found: Json) -> None:
    with pytest.raises(CompileError) as caught:
        from_document(found)
    assert [one.code for one in caught.value.diagnostics] == ["T901"]


def test_a_document_beyond_the_largest_is_refused_with_both_numbers() -> None:
    with pytest.raises(CompileError) as caught:
        from_document(document() | {"description": "x" * LARGEST_DOCUMENT})
    (one,) = caught.value.diagnostics
    assert one.code == "T904"
    assert f"{LARGEST_DOCUMENT:,} are allowed" in one.detail
