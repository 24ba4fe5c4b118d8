"""The facts of a type that goes through Cloud Control, from its published schema alone.

Theory of operation. A schema says which handlers a type has, which properties identify a thing, are settled at its
creation or are never shown, and whether it carries tags. A block says the same of its type. A question that the schema
leaves open is decided for the careful: the deletion of a thing may lose data, and a service may retell the sent values
in words of its own (`core.planning.equality.retelling`).

Nothing here knows a type by name. The value of `Ref`, and the words that mean the same, are in no schema and have
tables (`cloud_control_references`, `cloud_control_words`), and so have the values that change only sometimes
(`cloud_control_settled`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.core.planning.equality.scalars import scalar
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import EVERYTHING, Comparison, ResourceType, Rule, Watch
from tenuto.model.spelling import Documents, Words
from tenuto.providers.aws.client.owner import TAGS_OF_SERVICES
from tenuto.providers.aws.comparisons import CLUSTER_ZONES, POLICY, WORDS
from tenuto.providers.aws.types.cloud_control_references import REFERENCES
from tenuto.providers.aws.types.cloud_control_settled import SETTLED_MEMBERS_OF, SETTLED_OF
from tenuto.providers.aws.types.cloud_control_words import WORDS_OF
from tenuto.providers.aws.types.facts import calls
from tenuto.providers.aws.types.schema_places import is_document, is_map_of_texts, places, types_in, zeros

THROUGH = "Cloud Control"
_EACH = "*"
"""The name of every member of a list in a path of a schema."""
_DRAFT = "DRAFT"
"""The default state of things that can be published. No service makes a draft of it again."""
_NEEDED = ("create", "read", "delete")
"""The handlers without which a type is refused: a thing that cannot be seen is never called in sync."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagging:
    """The tags of a type: the property that holds them, and their shape. `fixed` are the members that each tag of ours
    has besides its key and value, `members` all that a tag can have: a service may show more."""

    property: str
    is_mapping: bool
    fixed: Mapping[str, Json]
    members: frozenset[str] = frozenset({"Key", "Value"})


def has_handlers(schema: TypeSchema) -> bool:
    """Whether things of the type can be made, seen and deleted through Cloud Control."""
    handlers = schema.document.get("handlers") or {}
    return bool(schema.primary_identifier) and all(name in handlers for name in _NEEDED)


def tagging_of(schema: TypeSchema) -> Tagging | None:
    """The tags that a thing can be given when it is made; None where it can be given none."""
    told = schema.document.get("tagging") or {}
    if not told.get("taggable") or not told.get("tagOnCreate", True) or not told.get("tagUpdatable", True):
        return None
    name = str(told.get("tagProperty", "/properties/Tags")).rpartition("/")[2]
    shape = follow(schema.document.get("properties", {}).get(name) or {}, schema.document)
    item = follow(shape.get("items") or {}, schema.document)
    members = item.get("properties") or {}
    if {"Key", "Value"} <= members.keys():
        more = [one for one in item.get("required", ()) if one not in ("Key", "Value")]
        return Tagging(property=name, is_mapping=False, fixed=dict.fromkeys(more, False), members=frozenset(members))
    is_mapping = "object" in types_in(shape) and "properties" not in shape
    return Tagging(property=name, is_mapping=True, fixed={}) if is_mapping else None


def facts_of(schema: TypeSchema) -> ResourceType:
    """The facts of a type that has the handlers."""
    tagging = tagging_of(schema)
    identifier = schema.primary_identifier
    is_declared = not any(name in schema.read_only for name in identifier)
    is_named = is_declared and len(identifier) == 1 and "." not in identifier[0]
    no_tags: Json = {} if tagging is not None and tagging.is_mapping else []
    return ResourceType(
        name=schema.name,
        provider="aws",
        source=schema.name,
        create_only=_plain(schema.create_only | SETTLED_OF.get(schema.name, frozenset())),
        settled_members=SETTLED_MEMBERS_OF.get(schema.name, {}),
        write_only=_hidden(schema),
        required=_plain(schema.required),
        attributes=schema.attributes | frozenset(identifier),
        when_absent={} if tagging is None else {tagging.property: no_tags},
        defaults=_defaults(schema),
        costly=frozenset({EVERYTHING}),
        compare_as=_rules(schema, tagging),
        of_services={} if tagging is None else {tagging.property: TAGS_OF_SERVICES},
        retelling=WORDS,
        watch=Watch.SINGLE,
        through=THROUGH,
        exclusive=(tuple(identifier),) if is_declared else (),
        id_form="|".join(identifier) if len(identifier) > 1 else "",
        named_by=identifier[0] if is_named else "",
        ref_attribute=REFERENCES.get(schema.name, ""),
        calls=calls("cloudcontrol:CreateResource", "cloudcontrol:DeleteResource", "cloudcontrol:UpdateResource"),
        makes_once=True,
        repeats_as_sent=True,
        notes_tell_wish=True,
        mutable="update" in schema.document["handlers"],
        bears_data=True,
    )


def _plain(paths: frozenset[str]) -> frozenset[str]:
    """The paths that lead through no list; without members of properties that are among them as a whole."""
    plain = {path for path in paths if _EACH not in path.split(".")}
    return frozenset(path for path in plain if not any(path.startswith(f"{other}.") for other in plain))


def _hidden(schema: TypeSchema) -> frozenset[str]:
    """The paths that are never shown, and those of lists of which no member shows anything."""
    hidden = schema.write_only - schema.read_only
    nothing = {path for path in map(_list_of, hidden) if path and _members_of(schema, path) <= hidden}
    return _plain(hidden | nothing)


def _list_of(path: str) -> str:
    """The list of which the path is a member's property; empty for another path."""
    found, _, name = path.rpartition(f".{_EACH}.")
    return found if "." not in name else ""


def _members_of(schema: TypeSchema, path: str) -> frozenset[str]:
    """The paths of the properties that a member of the list at a path can have."""
    rule: JsonMap = schema.document
    for name in [*path.split("."), _EACH]:
        inner = rule.get("items") if name == _EACH else (rule.get("properties") or {}).get(name)
        rule = follow(inner or {}, schema.document)
    return frozenset(f"{path}.{_EACH}.{name}" for name in rule.get("properties") or ())


def _defaults(schema: TypeSchema) -> dict[str, Json]:
    """The defaults of properties that change in place. A text may be prose: only one of the known values is taken."""
    fixed = schema.create_only | schema.read_only | schema.write_only
    rules = {
        name: follow(rule, schema.document)
        for name, rule in (schema.document.get("properties") or {}).items()
        if name not in fixed
    }
    return {name: rule["default"] for name, rule in sorted(rules.items()) if _is_value(rule.get("default"), rule)}


def _is_value(default: Json, rule: JsonMap) -> bool:
    is_word = isinstance(default, str) and default in rule.get("enum", ()) and default != _DRAFT
    return is_word or isinstance(default, bool | int | float)


_RAISED = frozenset({"EngineVersion", "KafkaVersion"})
_KUBERNETES = "AWS::EKS::"
"""Versions that a service raises by itself, at the latest when the support of one ends, and never lowers."""


def _rules(schema: TypeSchema, tagging: Tagging | None) -> dict[str, Rule]:
    """The comparisons that the schema asks for: of lists without order, of free documents, of properties with a
    default, which a service need not show, and of properties that no member of a list shows."""
    found: dict[str, Rule] = {}
    for path, rule in places(schema.document):
        if "array" in types_in(rule) and rule.get("insertionOrder") is False:
            found[path] = Comparison.SET
        elif is_map_of_texts(rule, schema.document):
            found[path] = Documents()
        elif is_document(rule):
            found[path] = POLICY
        elif rule.get("default") and isinstance(rule["default"], str | int | float):
            found.setdefault(path, Words(absent=scalar(rule["default"])))
    for path in sorted(schema.write_only - schema.read_only):
        if _EACH in path.split("."):
            found[path.replace(f".{_EACH}", "")] = Comparison.SHOWN
    if tagging is not None and not tagging.is_mapping:
        found[tagging.property] = Comparison.SET
    elif tagging is not None:
        found[tagging.property] = Documents()
    if schema.name.endswith("::DBCluster"):
        found |= CLUSTER_ZONES
    found = {**zeros(schema), **found, **WORDS_OF.get(str(schema.name), {})}
    raised = _RAISED | ({"Version"} if schema.name.startswith(_KUBERNETES) else set())
    return found | dict.fromkeys(raised & schema.properties, Comparison.RELEASE)
