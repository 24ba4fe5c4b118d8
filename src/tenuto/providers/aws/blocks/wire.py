"""The two spellings of one value: as a composition declares it, and as a call of AWS takes or shows it. Pure functions.

Theory of operation. CloudFormation's schema and the service's own model describe the same thing, mostly with the same
words in another case (`KmsKeyId`, `kmsKeyId`). So members are paired by name, however deep, without regard to case; a
block names only those that are called otherwise. A document that a service keeps as text is a text there and a mapping
here: which of the two follows from the schema on one side and from the shape on the other.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

import jmespath
from botocore.model import Shape

from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.client.texts import text_of

Names = Mapping[str, str]
"""Declared names with those of the service. A declared name is a path with dots through members and lists; the
service's is the name at that place."""
Path = str | Callable[[JsonMap], Json]
"""The place of a value in an answer: JMESPath, or a function where that has no words for it."""
Paths = Mapping[str, Path]


@lru_cache(maxsize=1024)
def _compiled(path: str) -> Any:
    return jmespath.compile(path)


def at(value: Json, path: Path) -> Json:
    """The value at a path of an answer; None where there is none."""
    if not isinstance(path, str):
        return path(value)
    return value if path in ("", "@") else _compiled(path).search(value)


def declared(
    answer: JsonMap, schema: TypeSchema, properties: Iterable[str], names: Names, shown: Paths
) -> dict[str, Json]:
    """The properties that an answer shows, in the shape in which they are declared. `shown` are paths of the answer for
    properties that it shows in another place than where a call takes them."""
    rules = schema.document.get("properties", {})
    spelled = spelled_in(answer)
    found: dict[str, Json] = {}
    for name in properties:
        value = at(answer, shown[name]) if name in shown else answer.get(word_of(spelled, name, names, name))
        if value is not None and name in rules:
            found[name] = _declared(value, rules[name], schema.document, names, name)
    return found


def _declared(value: Json, rule: JsonMap, document: JsonMap, names: Names, path: str) -> Json:
    rule = follow(rule, document)
    if isinstance(value, Mapping):
        members = _members(rule, document)
        if not members:
            return dict(value)
        spelled = spelled_in(value)
        pairs = (
            (name, value.get(word_of(spelled, name, names, f"{path}.{name}")), one) for name, one in members.items()
        )
        return {
            name: _declared(one, inner, document, names, f"{path}.{name}")
            for name, one, inner in pairs
            if one is not None
        }
    if isinstance(value, list | tuple):
        return [_declared(one, rule.get("items") or {}, document, names, path) for one in value]
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, str) and _kinds(rule) & {"object", "array"}:
        return parsed(value)
    return value


def _members(rule: JsonMap, document: JsonMap) -> dict[str, JsonMap]:
    """The members that a mapping may have, also those that only one of several forms has."""
    found: dict[str, JsonMap] = dict(rule.get("properties") or {})
    for key in ("oneOf", "anyOf", "allOf"):
        for one in rule.get(key) or ():
            found = {**_members(follow(one, document), document), **found}
    return found


def _kinds(rule: JsonMap) -> set[str]:
    kinds = rule.get("type")
    return set(kinds) if isinstance(kinds, list) else {str(kinds)}


def parsed(text: Json) -> Json:
    """A document that is kept as a text; anything else as it is."""
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text) if text[:1] in "{[" else text
    except ValueError:
        return text


def sent(shape: Shape, properties: JsonMap, names: Names) -> dict[str, Json]:
    """The properties as members of the parameters of a call; without those that the call does not take."""
    found: dict[str, Json] = {}
    spelled = spelled_in(shape.members)
    for name, value in properties.items():
        first, _, rest = word_of(spelled, name, names, name).partition(".")
        if first not in shape.members or value is None:
            continue
        member = shape.members[first]
        if not rest:
            found[first] = _sent(member, value, names, name)
        elif rest in member.members:
            found.setdefault(first, {})[rest] = _sent(member.members[rest], value, names, name)
    return found


def _sent(shape: Shape, value: Json, names: Names, path: str) -> Json:
    kind = shape.type_name
    if kind == "structure" and isinstance(value, Mapping):
        spelled = spelled_in(shape.members)
        found: dict[str, Json] = {}
        for name, one in value.items():
            place = f"{path}.{name}"
            member = word_of(spelled, name, names, place)
            # An unknown member goes along: the SDK refuses it by its name, before anything is sent.
            found[member] = _sent(shape.members[member], one, names, place) if member in shape.members else one
        return found
    if kind == "list" and isinstance(value, list | tuple):
        return [_sent(shape.member, one, names, path) for one in value]
    if kind == "list" and isinstance(value, str):
        return [_sent(shape.member, value, names, path)]
    if kind == "map" and isinstance(value, Mapping):
        return {name: _sent(shape.value, one, names, path) for name, one in value.items()}
    # A mapping of texts has numbers and truth values as people write them.
    return (
        text_of(value) if kind == "string" and isinstance(value, Mapping | list | tuple | bool | int | float) else value
    )


def without_settled(shape: Shape, value: Json, name: str, settled: Iterable[str]) -> Json:
    """A value for a call without the members that only a new thing can have, where the call does not take them.

    `settled` are paths of the schema; those below the name are looked at, through mappings alone.
    """
    found = value
    member = shape.members.get(word_of(spelled_in(shape.members), name, {}, name))
    for path in settled:
        first, *rest = path.split(".")
        if first == name and rest and member is not None:
            found = _without(member, found, rest)
    return found


def emptied(value: Json, shown: Json) -> Json:
    """A mapping with an empty text for each name that is shown and not declared; any other value as it is."""
    if not isinstance(value, Mapping) or not isinstance(shown, Mapping):
        return value
    return {**dict.fromkeys(sorted(shown.keys() - value.keys()), ""), **value}


def _without(shape: Shape, value: Json, path: list[str]) -> Json:
    if shape.type_name != "structure" or not isinstance(value, Mapping) or path[0] not in value:
        return value
    taken = spelled_in(shape.members).get(path[0].casefold())
    if taken is None:
        return {key: one for key, one in value.items() if key != path[0]}
    return {**value, path[0]: _without(shape.members[taken], value[path[0]], path[1:])} if path[1:] else value


def spelled_in(members: Iterable[str]) -> Mapping[str, str]:
    return {name.casefold(): name for name in members}


def word_of(spelled: Mapping[str, str], name: str, names: Names, path: str) -> str:
    """The service's word for a declared name at a path."""
    return names.get(path) or spelled.get(name.casefold(), name)
