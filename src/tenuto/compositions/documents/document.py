"""The canonical document: a compiled composition as JSON, the only form in which one reaches the Conductor.

The client writes it and the Conductor reads it, and it trusts nothing that it reads: size, shape, names, expressions,
order and digest are checked before a composition is made of it. A document that passes here can be planned without a
doubt.
"""

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.compositions.documents.canonical import VERSION, canonical_json, digest, meaning
from tenuto.compositions.documents.document_checks import DocumentCheck
from tenuto.errors import CompileError
from tenuto.model.cloud_node import type_named
from tenuto.model.composition import Assertion, Composition, Declaration, DeletionPolicy, Output, Parameter
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json, JsonMap, LogicalId

__all__ = ["LARGEST_DOCUMENT", "canonical_json", "digest", "from_document", "to_document"]

LARGEST_DOCUMENT = 100_663_296
"""Characters of canonical JSON: a template of the largest size, with its references written out."""


def to_document(composition: Composition) -> JsonMap:
    """The document, with positions and the digest."""
    positions: dict[str, JsonMap] = {
        declaration.logical_id: _position(declaration.position)
        for declaration in sorted(composition.resources, key=lambda declaration: declaration.logical_id)
        if declaration.position
    }
    positions |= {
        _place(number): _position(one.position) for number, one in enumerate(composition.assertions) if one.position
    }
    return {**meaning(composition), "digest": composition.digest, "positions": positions}


def from_document(document: Json) -> Composition:
    """The composition of a document. Raises CompileError with a diagnostic for everything that is wrong with it."""
    problems = Problems("composition", "")
    check = DocumentCheck(problems)
    if check.size(document, LARGEST_DOCUMENT) and check.version(document, VERSION):
        check.shape(document)
    if problems.has_errors:
        raise CompileError("the compiled composition cannot be used", problems.diagnostics())
    composition = _composition(document)
    if digest(composition) != composition.digest:
        detail = f"Its digest should be {digest(composition)}, and is {composition.digest}."
        problems.add(codes.WRONG_DIGEST, None, detail, subject="digest")
        raise CompileError("the compiled composition cannot be used", problems.diagnostics())
    return composition


def _composition(document: JsonMap) -> Composition:
    positions = document.get("positions", {})
    return Composition(
        name=document["name"],
        digest=document["digest"],
        region=document["region"],
        description=document["description"],
        parameters={
            name: Parameter(
                name=name,
                fingerprint=one.get("fingerprint", ""),
                lookup=one.get("lookup", ""),
                is_kept=one.get("kept", False),
            )
            for name, one in sorted(document["parameters"].items())
        },
        values=dict(sorted(document["values"].items())),
        resources=tuple(
            _declaration(name, one, positions.get(name)) for name, one in sorted(document["resources"].items())
        ),
        outputs=tuple(
            Output(name=name, value=one["value"], description=one["description"], export=one["export"])
            for name, one in sorted(document["outputs"].items())
        ),
        assertions=tuple(
            Assertion(**one, position=_position_of(positions.get(_place(number))))
            for number, one in enumerate(document.get("assertions", ()))
        ),
    )


def _place(number: int) -> str:
    """Return the name under which the position of an assertion is kept: none that a resource can have."""
    return f"Rules/{number}"


def _declaration(name: str, one: JsonMap, position: JsonMap | None) -> Declaration:
    return Declaration(
        logical_id=LogicalId(name),
        type=type_named(one["type"]),
        properties=one["properties"],
        depends_on=tuple(LogicalId(other) for other in one["depends_on"]),
        deletion_policy=DeletionPolicy(one["deletion_policy"]),
        replace_policy=DeletionPolicy(one["replace_policy"]),
        metadata=one["metadata"],
        position=_position_of(position),
    )


def _position_of(position: JsonMap | None) -> Position | None:
    return Position(**position) if position else None


def _position(position: Position) -> JsonMap:
    return {"file": position.file, "line": position.line, "column": position.column, "length": position.length}
