"""The metadata of a resource for Tenuto: `Metadata: {Tenuto: {ignore: [PATH, …], accept: [CODE, …]}}`.

`ignore` names properties that are set once and then left to others. `accept` names rules of AWS that hold no longer, or
not here: AWS adds values from week to week, and a release of Tenuto knows those of its day. A value that breaks such a
rule is a warning, and AWS decides. A problem that Tenuto itself could not go on with cannot be accepted.
"""

from collections.abc import Mapping

from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.compositions.cloudformation.reading import shape
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Entry, Fields, Scalar
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.core.planning.comparing.adoption import IDENTIFIER, SECTION
from tenuto.core.planning.comparing.ignores import EVERYTHING, IGNORE
from tenuto.kit.nearest import did_you_mean
from tenuto.model.ids import JsonMap

ACCEPT = "accept"
_KEYS = (IDENTIFIER, IGNORE, ACCEPT)


def check_metadata(
    metadata: Fields, type_name: str, schema: TypeSchema | None, resource: str, problems: Problems
) -> frozenset[str]:
    """The codes that are accepted. Keys that mean nothing, paths that name no property of the type, and codes that
    cannot be accepted are reported."""
    node = metadata.get(SECTION)
    ours = shape.fields(node, problems, f"The metadata {SECTION} of {resource}") if node is not None else None
    if ours is None:
        return frozenset()
    known = shape.known_fields(ours, _KEYS, problems, codes.UNKNOWN_METADATA_KEY, f"The metadata {SECTION}")
    for path in _texts(known, IGNORE, problems):
        _check(path, schema, resource, problems)
    given, acceptable = _texts(known, ACCEPT, problems), codes.acceptable(type_name)
    for code in given:
        if code.text not in acceptable:
            detail = f"{code.text} cannot be accepted. What can be is {', '.join(acceptable)}."
            if not acceptable:
                detail = f"Nothing can be accepted for {type_name}, whose rules are those of this release."
            problems.add(codes.UNACCEPTABLE_CODE, code, detail, subject=code.text)
    return frozenset(code.text for code in given if code.text in acceptable)


def names_existing(metadata: Entry | None) -> bool:
    """Whether the metadata of a resource say which existing thing it is."""
    top = metadata.value if metadata is not None else None
    ours = top.get(SECTION) if isinstance(top, Fields) else None
    return any(isinstance(one, Fields) and one.entry(IDENTIFIER) is not None for one in (top, ours))


def _texts(known: Fields, key: str, problems: Problems) -> tuple[Scalar, ...]:
    node = known.get(key)
    return (shape.texts(node, problems, f"'{key}'") if node is not None else None) or ()


def _check(path: Scalar, schema: TypeSchema | None, resource: str, problems: Problems) -> None:
    if path.text == EVERYTHING:
        return
    parts = path.text.split(".")
    if not all(parts):
        detail = f"{path.text!r} is no path: write Property, Property.Nested or {EVERYTHING}."
        problems.add(codes.UNKNOWN_IGNORED_PATH, path, detail, subject=path.text)
        return
    if schema is None or not schema.document:
        return
    rule: JsonMap = schema.document
    for depth, part in enumerate(parts):
        rule = follow(rule, schema.document)
        members = rule.get("properties")
        if not isinstance(members, Mapping):
            if depth and _is_list(rule):
                whole = ".".join(parts[:depth])
                detail = f"{whole} of {resource} is a list, and no path leads into a list."
                hint = f"Ignore {whole} as a whole."
                problems.add(codes.UNKNOWN_IGNORED_PATH, path, detail, subject=path.text, hint=hint)
            # A property that the schema leaves open may hold anything.
            return
        if part not in members:
            where = ".".join(parts[:depth]) or schema.name
            detail = f"{where} has no property {part}, so {resource} cannot ignore it."
            hint = did_you_mean(part, members)
            problems.add(codes.UNKNOWN_IGNORED_PATH, path, detail, subject=path.text, hint=hint)
            return
        rule = members[part]


def _is_list(rule: JsonMap) -> bool:
    kind = rule.get("type")
    return kind == "array" or (isinstance(kind, list) and "array" in kind)
