"""Models of resources as the handlers of Cloud Control keep them: all of it follows from the published schema.

Theory of operation. A schema is enough to refuse the mistakes that AWS refuses (an unknown property, a wrong type, a
pattern that does not fit), to make up the values that AWS makes up (an id, an ARN), and to hide the properties that AWS
hides. Nothing here knows a type by name, so every published type behaves alike: strictly, and without the service's own
ideas.
"""

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any

from jsonschema import Draft7Validator

from tenuto.compositions.checks.schema import HOME_REGION, AwsSchemas, TypeSchema, follow
from tenuto_testing.cloud.minting import minted
from tenuto_testing.cloud.world import Data

_SCHEMAS = AwsSchemas(HOME_REGION)
_KEPT = ("additionalProperties", "allOf", "anyOf", "definitions", "oneOf", "properties", "required", "type")
_ARN = re.compile("Arn$|ARN$")


def schema_of(type_name: str) -> TypeSchema | None:
    """The schema of a type with handlers."""
    found = _SCHEMAS.find(type_name)
    return found if found is not None and found.document.get("handlers") else None


def refusal_of(schema: TypeSchema, model: Data, *, is_new: bool = True) -> str:
    """The reason why a handler would refuse a model; empty for a good one."""
    forbidden = sorted(path for path in schema.read_only if "*" not in path and _at(model, path.split(".")) is not None)
    if forbidden and is_new:
        return f"#: extraneous key [{forbidden[0]}] is not permitted: it is read-only"
    given = deepcopy(model)
    for path in sorted(schema.read_only - frozenset(schema.primary_identifier)):
        _drop(given, path.split("."))
    found = sorted(
        _validator(schema.name).iter_errors(given), key=lambda one: [str(part) for part in one.absolute_path]
    )
    if not found:
        return ""
    place = "/".join(str(part) for part in found[0].absolute_path)
    return f"Model validation failed (#/{place}: {found[0].message[:200]})"


def completed(schema: TypeSchema, model: Data, *, name: str, arn: str) -> Data:
    """The model of a new thing with the values that its service makes up: every read-only value, and an identifier."""
    found = deepcopy(model)
    wanted = sorted(path for path in {*schema.read_only, *schema.primary_identifier} if "*" not in path)
    for path in wanted:
        keys = path.split(".")
        if _at(found, keys) is None and (value := _made_up(schema, keys, name, arn)) is not None:
            _put(found, keys, value)
    return found


def identifier_of(schema: TypeSchema, model: Data) -> str:
    return "|".join(str(_at(model, path.split("."))) for path in schema.primary_identifier)


def shown(schema: TypeSchema, model: Data) -> Data:
    """The model as a read handler shows it: without write-only properties, and with lists that have no order in another
    one."""
    found = deepcopy(model)
    for path in sorted(schema.write_only - schema.read_only):
        _drop(found, path.split("."))
    _settle(schema.document, schema.document, found)
    return found


def settled_at_creation(schema: TypeSchema, before: Data, after: Data) -> str:
    """The create-only property in which two models differ; empty when there is none."""
    paths = sorted(path for path in schema.create_only | schema.read_only if "*" not in path)
    return next((path for path in paths if _at(before, path.split(".")) != _at(after, path.split("."))), "")


def tags_of(schema: TypeSchema, model: Data) -> list[Data]:
    """The tags of a model, in the shape that the rest of the cloud has."""
    told = schema.document.get("tagging") or {}
    value = model.get(str(told.get("tagProperty", "/properties/Tags")).rpartition("/")[2])
    if isinstance(value, Mapping):
        return [{"Key": key, "Value": str(one)} for key, one in value.items()]
    return [tag for tag in value or () if isinstance(tag, dict) and "Key" in tag]


@lru_cache(maxsize=256)
def _validator(type_name: str) -> Draft7Validator:
    schema = _SCHEMAS.find(type_name)
    document = (
        {}
        if schema is None
        else _without_patterns({key: value for key, value in schema.document.items() if key in _KEPT})
    )
    return Draft7Validator(document)


def _without_patterns(rule: Any) -> Any:
    """The rule without patterns that Python cannot read, and without formats of AWS's own. A member of such a pattern
    may have any name."""
    if isinstance(rule, list):
        return [_without_patterns(one) for one in rule]
    if not isinstance(rule, dict):
        return rule
    rule = {key if _is_readable(key) else ".*": value for key, value in rule.items()}
    return {
        key: _without_patterns(value)
        for key, value in rule.items()
        if not (key == "pattern" and isinstance(value, str) and not _is_readable(value)) and key != "format"
    }


def _is_readable(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _made_up(schema: TypeSchema, keys: Sequence[str], name: str, arn: str) -> Any:
    rule: Any = schema.document
    for key in keys:
        rule = follow((follow(rule, schema.document).get("properties") or {}).get(key) or {}, schema.document)
    kinds = rule.get("type")
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if rule.get("enum"):
        return rule["enum"][0]
    match kind:
        case "string" | None:
            made = arn if _ARN.search(keys[-1]) else name
            pattern = rule.get("pattern") or _pattern_elsewhere(schema.name, keys)
            if not isinstance(pattern, str) or not _is_readable(pattern) or re.search(pattern, made):
                return made
            return minted(pattern, name) or made
        case "integer" | "number":
            return max(1, int(rule.get("minimum", 1)))
        case "boolean":
            return False
        case _:
            return None


@lru_cache(maxsize=256)
def _patterns_of(service: str) -> Mapping[str, str]:
    """The patterns of the properties of a service's types, by name. An id that its own schema says nothing of is told
    to the types that refer to it."""
    found: dict[str, str] = {}
    for name in sorted(_SCHEMAS.names()):
        schema = _SCHEMAS.find(name) if str(name).startswith(f"{service}::") else None
        for word, declared in (schema.document.get("properties") or {}).items() if schema is not None else ():
            pattern = follow(declared, schema.document).get("pattern") if schema is not None else None
            if isinstance(pattern, str) and _is_readable(pattern):
                found.setdefault(word, pattern)
    return found


def _pattern_elsewhere(type_name: str, keys: Sequence[str]) -> str | None:
    """The pattern that other types of the service have for an identifier of this name."""
    is_id = len(keys) == 1 and keys[0].endswith("Id") and keys[0] != "Id"
    return _patterns_of(str(type_name).rpartition("::")[0]).get(keys[0]) if is_id else None


def _settle(rule: Any, document: Mapping[str, Any], value: Any) -> None:
    """Sort the lists that have no order, as a service may give them back."""
    rule = follow(rule, document)
    if isinstance(value, dict):
        for name, one in (rule.get("properties") or {}).items():
            if name in value:
                _settle(one, document, value[name])
    elif isinstance(value, list):
        for one in value:
            _settle(rule.get("items") or {}, document, one)
        if rule.get("insertionOrder") is False:
            value.sort(key=repr, reverse=True)


def _at(value: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _put(model: Data, keys: Sequence[str], value: Any) -> None:
    for key in keys[:-1]:
        inner = model.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        model = inner
    model[keys[-1]] = value


def _drop(value: Any, keys: Sequence[str]) -> None:
    if isinstance(value, list):
        for one in value:
            _drop(one, keys[1:] if keys[:1] == ["*"] else keys)
    elif isinstance(value, dict) and len(keys) == 1:
        value.pop(keys[0], None)
    elif isinstance(value, dict) and keys and keys[0] in value:
        _drop(value[keys[0]], keys[1:])
