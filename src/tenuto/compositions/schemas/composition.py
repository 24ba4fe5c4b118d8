"""The JSON Schema of compositions, made from the published schemas of resource types.

Theory of operation. An editor shall complete names and find slips, and never call a text wrong that the compiler takes:
the compiler has the last word, and knows places, types of functions and values that a schema cannot. So the schema is
looser than the published ones. A function may stand for every value; a number may be written as a text, and a text as a
number; patterns, lengths and combinations are left out. Names, shapes, required members and the words that a property
knows remain.
"""

from collections.abc import Iterable, Iterator, Mapping

from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.compositions.diagnostics.codes import ACCEPTABLE
from tenuto.model.cloud_node import CLOUD_NODE, IN_TEMPLATES
from tenuto.model.ids import Json, JsonMap

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FUNCTIONS = (
    "And", "Base64", "Cidr", "Contains", "EachMemberEquals", "EachMemberIn", "Equals", "FindInMap", "GetAtt", "GetAZs",
    "If", "ImportValue", "Join", "Length", "Not", "Or", "Select", "Split", "Sub", "ToJsonString", "Transform",
)  # fmt: skip
"""The functions of templates, without their `Fn::`."""
_ANY_FUNCTION: JsonMap = {"$ref": "#/$defs/function"}
_SCALARS: Mapping[str, tuple[str, ...]] = {
    "string": ("string", "number", "boolean"),
    "integer": ("integer", "number", "string"),
    "number": ("number", "string"),
    "boolean": ("boolean", "string"),
}
"""The spellings that are taken for a scalar: CloudFormation turns one into the other."""
_OF_FUNCTIONS: JsonMap = {"^Fn::": True}
"""A loop or an include may stand beside the members of any mapping."""


def composition_schema(types: Iterable[TypeSchema], other_names: Iterable[str] = ()) -> JsonMap:
    """The schema of templates with resources of these types. Types of `other_names` have a name and no properties."""
    found = sorted(types, key=lambda one: one.name)
    definitions: dict[str, Json] = dict(_COMMON)
    for one in found:
        definitions |= _definitions(one)
    rules = [
        {
            "if": {"properties": {"Type": {"enum": _spelled(one.name)}}, "required": ["Type"]},
            "then": {"properties": {"Properties": {"$ref": f"#/$defs/{_key(one.name)}"}}},
        }
        for one in found
    ]
    known = sorted({one.name for one in found} | set(other_names))
    resource: JsonMap = {**_RESOURCE, "allOf": rules}
    resource = {**resource, "properties": {**_RESOURCE["properties"], "Type": {"anyOf": [{"enum": known}, _TEXT]}}}
    return {
        "$schema": DIALECT,
        "title": "A composition of Tenuto: a CloudFormation template",
        "type": "object",
        "properties": {**_SECTIONS, "Resources": _mapping({"$ref": "#/$defs/resource"})},
        "patternProperties": _OF_FUNCTIONS,
        "additionalProperties": False,
        "required": ["Resources"],
        "$defs": {**definitions, "resource": resource},
    }


def _spelled(name: str) -> list[str]:
    return [CLOUD_NODE, IN_TEMPLATES] if name == CLOUD_NODE else [name]


def _mapping(value: JsonMap) -> JsonMap:
    """A mapping of names that people choose. A loop stands beside them."""
    return {"type": "object", "patternProperties": _OF_FUNCTIONS, "additionalProperties": value}


def _definitions(one: TypeSchema) -> dict[str, Json]:
    """The properties of a type, and the definitions of its schema for them."""
    shown = {name: rule for name, rule in _members(one.document).items() if name not in one.read_only}
    made: dict[str, Json] = {_key(one.name): _object({**one.document, "properties": shown}, one)}
    definitions = one.document.get("definitions")
    if isinstance(definitions, Mapping):
        made |= {_key(one.name, str(name)): _value(rule, one) for name, rule in definitions.items()}
    return made


def _key(*parts: str) -> str:
    return ".".join(parts).replace("::", "-")


def _value(rule: Json, one: TypeSchema) -> JsonMap:
    """The loose form of a rule: a function, or the rest of the rule."""
    if not isinstance(rule, Mapping):
        return {}
    reference = rule.get("$ref")
    if isinstance(reference, str):
        definitions, _, name = reference.rpartition("/")
        if definitions == "#/definitions":
            return {"$ref": f"#/$defs/{_key(one.name, name)}"}
        return {} if follow(rule, one.document) is rule else _value(follow(rule, one.document), one)
    forms = list(_forms(rule, one))
    about = {"description": rule["description"]} if isinstance(rule.get("description"), str) else {}
    return {**about, "anyOf": [*forms, _ANY_FUNCTION]} if forms else about


def _forms(rule: JsonMap, one: TypeSchema) -> Iterator[JsonMap]:
    """The forms that a value may have; none when the rule leaves that open."""
    words = rule.get("enum")
    if isinstance(words, list | tuple):
        yield {"enum": list(dict.fromkeys(form for word in words for form in _spellings(word)))}
        return
    named = rule.get("type")
    kinds = [named] if isinstance(named, str) else [str(kind) for kind in named] if isinstance(named, list) else []
    if not kinds and isinstance(rule.get("properties"), Mapping):
        kinds = ["object"]
    for kind in kinds:
        if kind in _SCALARS:
            yield {"type": list(_SCALARS[kind])}
        elif kind == "array":
            yield {"type": "array", "items": _value(rule.get("items"), one)}
        elif kind == "object":
            yield _object(rule, one)


def _spellings(word: Json) -> Iterator[Json]:
    yield word
    if isinstance(word, bool):
        yield str(word).lower()
    elif isinstance(word, int | float):
        yield str(word)
    elif isinstance(word, str) and word.lstrip("-").isdecimal():
        yield int(word)


def _object(rule: JsonMap, one: TypeSchema) -> JsonMap:
    members = _members(rule)
    if not members and "patternProperties" not in rule:
        return {"type": "object"}
    # The names of a map are left to the compiler: their patterns are of a dialect that few editors know.
    patterns = rule.get("patternProperties")
    values = [_value(value, one) for value in patterns.values()] if isinstance(patterns, Mapping) else []
    made: JsonMap = {
        "type": "object",
        "properties": {name: _value(value, one) for name, value in members.items()},
        "patternProperties": _OF_FUNCTIONS,
        "additionalProperties": {"anyOf": values} if values else rule.get("additionalProperties", True) is not False,
    }
    required = [name for name in rule.get("required", ()) if name in members]
    return {**made, "required": required} if required else made


def _members(rule: JsonMap) -> JsonMap:
    found = rule.get("properties")
    return found if isinstance(found, Mapping) else {}


_TEXT: JsonMap = {"type": "string"}
_FUNCTION: JsonMap = {
    "type": "object",
    "minProperties": 1,
    "maxProperties": 1,
    "properties": {"Ref": {}, "Condition": {}, **{f"Fn::{name}": {} for name in FUNCTIONS}},
    "patternProperties": {"^Fn::ForEach::": True},
    "additionalProperties": False,
}
_ACCEPTED: JsonMap = {"enum": [one.code for one in ACCEPTABLE]}
_TENUTO: JsonMap = {
    "type": "object",
    "properties": {
        "ignore": {
            "description": "Properties that are set once and then left to others.",
            "anyOf": [_TEXT, {"type": "array", "items": _TEXT}],
        },
        "accept": {
            "description": "Codes of problems that are warnings here, because AWS decides.",
            "anyOf": [_ACCEPTED, {"type": "array", "items": _ACCEPTED}],
        },
    },
}
_KEPT: JsonMap = {"anyOf": [{"enum": ["Delete", "Retain", "Snapshot", "RetainExceptOnCreate"]}, _ANY_FUNCTION]}
_RESOURCE: JsonMap = {
    "type": "object",
    "properties": {
        "Properties": {},
        "DependsOn": {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}, _ANY_FUNCTION]},
        "Condition": {},
        "Metadata": {"type": "object", "properties": {"Tenuto": _TENUTO}},
        "DeletionPolicy": _KEPT,
        "UpdateReplacePolicy": _KEPT,
        "UpdatePolicy": {},
        "CreationPolicy": {},
        "Description": {},
    },
    "patternProperties": _OF_FUNCTIONS,
    "additionalProperties": False,
    "required": ["Type"],
}
_PARAMETER: JsonMap = {
    "type": "object",
    "properties": {
        "Type": {"anyOf": [{"enum": ["String", "Number", "CommaDelimitedList", "List<Number>"]}, _TEXT]},
        "NoEcho": {"type": ["boolean", "string"]},
        **{name: {} for name in ("Default", "AllowedValues", "MinValue", "MaxValue", "MinLength", "MaxLength")},
        **{name: {"type": ["string", "number"]} for name in ("AllowedPattern", "ConstraintDescription", "Description")},
    },
    "additionalProperties": False,
    "required": ["Type"],
}
_OUTPUT: JsonMap = {
    "type": "object",
    "properties": {
        "Value": {},
        "Description": {},
        "Condition": {},
        "Export": {"type": "object", "properties": {"Name": {}}, "required": ["Name"]},
    },
    "additionalProperties": False,
    "required": ["Value"],
}
_SECTIONS: JsonMap = {
    "AWSTemplateFormatVersion": {},
    "Description": {},
    "Metadata": {},
    "Transform": {},
    "Globals": {},
    "Hooks": {},
    "Parameters": _mapping(_PARAMETER),
    "Mappings": {"type": "object"},
    "Conditions": {"type": "object"},
    "Rules": {"type": "object"},
    "Outputs": _mapping(_OUTPUT),
}
_COMMON: JsonMap = {"function": _FUNCTION}
