"""`Metadata: {Tenuto: {ignore: [PATH, …]}}`: the properties of a resource that are set once and then left to others."""

from collections.abc import Mapping

from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.compositions.cloudformation.reading import shape
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Scalar
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.core.planning.comparing.adoption import IDENTIFIER, SECTION
from tenuto.core.planning.comparing.ignores import EVERYTHING, IGNORE
from tenuto.kit.nearest import did_you_mean
from tenuto.model.ids import JsonMap

_KEYS = (IDENTIFIER, IGNORE)


def check_ignored(metadata: Fields, schema: TypeSchema | None, resource: str, problems: Problems) -> None:
    """Report every path that names no property of the type, and every key that means nothing."""
    node = metadata.get(SECTION)
    ours = shape.fields(node, problems, f"The metadata {SECTION} of {resource}") if node is not None else None
    if ours is None:
        return
    known = shape.known_fields(ours, _KEYS, problems, codes.UNKNOWN_METADATA_KEY, f"The metadata {SECTION}")
    ignore = known.get(IGNORE)
    paths = shape.texts(ignore, problems, f"'{IGNORE}'") if ignore is not None else None
    for path in paths or ():
        _check(path, schema, resource, problems)


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
            # What the schema leaves open may hold anything.
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
