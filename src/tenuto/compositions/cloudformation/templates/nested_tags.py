"""The tags of a nested template: CloudFormation puts them on everything in it that carries tags.

A tag that a resource declares itself counts. Types whose tags need more than a key and a value are left alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.core.language.expressions import is_list
from tenuto.core.language.resolve import referenced_resources
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, LogicalId

_TAGS = "Tags"


def tagged(declaration: Declaration, schema: TypeSchema | None, tags: Sequence[Mapping[str, Json]]) -> Declaration:
    """The declaration with these tags besides its own."""
    present = declaration.properties.get(_TAGS)
    shape = _shape(schema)
    if not tags or not shape:
        return declaration
    merged: Json = None
    if shape == "object" and (present is None or isinstance(present, Mapping)):
        merged = {**{str(one["Key"]): one["Value"] for one in tags}, **(present or {})}
    elif shape == "array" and (present is None or is_list(present)):
        own = {one.get("Key") for one in present or () if isinstance(one, Mapping)}
        merged = [*(present or ()), *(dict(one) for one in tags if one["Key"] not in own)]
    if merged is None:
        return declaration
    needed = {LogicalId(name) for name in referenced_resources(list(tags))}
    return replace(
        declaration,
        properties={**declaration.properties, _TAGS: merged},
        depends_on=tuple(sorted({*declaration.depends_on, *needed})),
    )


def _shape(schema: TypeSchema | None) -> str:
    """The shape of the tags of a type: a list of keys and values, a mapping, or none."""
    document = schema.document if schema else {}
    found = (document.get("properties") or {}).get(_TAGS)
    if not isinstance(found, Mapping) or f"/properties/{_TAGS}" in (document.get("readOnlyProperties") or ()):
        return ""
    rule = follow(found, document)
    if rule.get("type") == "object":
        return "object"
    item = follow(rule.get("items") or {}, document)
    members = item.get("properties") or {}
    is_plain = {"Key", "Value"} <= members.keys() and set(item.get("required") or ()) <= {"Key", "Value"}
    return "array" if is_plain else ""
