"""The tags of a stack or of a nested template: CloudFormation puts them on everything in it that carries tags.

A tag that a resource declares itself counts. The schema of a type names the property of its tags and tells its shape.
Types whose tags need more than a key and a value are left alone, except that a tag of an Auto Scaling group says, too,
that the instances of the group get it: CloudFormation says so of the tags of a stack.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.core.language.expressions import is_list
from tenuto.core.language.resolve import referenced_resources
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, JsonMap, LogicalId

_TAGS = "Tags"
_PROPAGATE = "PropagateAtLaunch"


def tagged(declaration: Declaration, schema: TypeSchema | None, tags: Sequence[Mapping[str, Json]]) -> Declaration:
    """The declaration with these tags besides its own; the same object where it gets none."""
    name = tag_property(schema)
    if schema is None or not name or not tags:
        return declaration
    rule = follow(schema.document["properties"][name], schema.document)
    present = declaration.properties.get(name)
    merged: Json = None
    if _is_mapping(rule) and (present is None or isinstance(present, Mapping)):
        merged = {**{str(one["Key"]): one["Value"] for one in tags}, **(present or {})}
    elif (more := _more_of_each(rule, schema)) is not None and (present is None or is_list(present)):
        own = {one.get("Key") for one in present or () if isinstance(one, Mapping)}
        merged = [*(present or ()), *({**one, **more} for one in tags if one["Key"] not in own)]
    if merged is None or merged == present:
        return declaration
    needed = {LogicalId(name) for name in referenced_resources(list(tags))}
    return replace(
        declaration,
        properties={**declaration.properties, name: merged},
        depends_on=tuple(sorted({*declaration.depends_on, *needed})),
    )


def tag_property(schema: TypeSchema | None) -> str:
    """The property that holds the tags of a type: of a user pool, for example, it is `UserPoolTags`. Empty for a type
    without tags, or with tags that only its service writes."""
    if schema is None:
        return ""
    tagging = schema.document.get("tagging")
    named = tagging.get("tagProperty") if isinstance(tagging, Mapping) else None
    name = str(named or _TAGS).rpartition("/")[2]
    is_declarable = name in (schema.document.get("properties") or {}) and name not in schema.read_only
    return name if is_declarable else ""


def _is_mapping(rule: JsonMap) -> bool:
    """Whether tags are a mapping. Some schemas allow the text of one as well."""
    kind = rule.get("type")
    return kind == "object" or (isinstance(kind, list) and "object" in kind)


def _more_of_each(rule: JsonMap, schema: TypeSchema) -> JsonMap | None:
    """The members that each tag of a list has besides key and value; None for tags of another shape."""
    item = follow(rule.get("items") or {}, schema.document)
    required = set(item.get("required") or ())
    if not {"Key", "Value"} <= (item.get("properties") or {}).keys():
        return None
    if required <= {"Key", "Value"}:
        return {}
    return {_PROPAGATE: True} if required <= {"Key", "Value", _PROPAGATE} else None
