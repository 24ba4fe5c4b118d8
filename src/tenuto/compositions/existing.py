"""A composition of existing things: the template whose import adopts everything and changes nothing.

Theory of operation. Each thing becomes a resource with its identifier in the metadata and with all shown properties
that can be declared: nothing read-only, nothing that only repeats another property or the meaning of its absence,
nothing that the provider chose (`ResourceType.unsaid`), nothing empty. The thing could be made again from these
properties. An id of another thing of the same template becomes a reference, unless that would close a circle. The
template is given to the compiler: a property that it refuses (two spellings of one thing that exclude each other) is
taken out again, because a template that does not compile is of no use, and adoption changes no property that is not
declared.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tenuto.compositions.checks.provided import default_schemas
from tenuto.compositions.checks.schema import SchemaSource, TypeSchema
from tenuto.compositions.compile import compile_text
from tenuto.core.language.expressions import is_list
from tenuto.core.planning.comparing.adoption import IDENTIFIER, SECTION, refuse
from tenuto.core.planning.comparing.paths import at
from tenuto.core.planning.comparing.references import reference_of
from tenuto.core.planning.equality.values import means_same
from tenuto.errors import CompileError, NotDeclarableError
from tenuto.model.diagnostic import Diagnostic, Severity
from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import ObservedItem
from tenuto.model.resource import ResourceType, Unsaid

_LONGEST_ID = 60
_NAMES = ("Id", "Key", "Name")
"""The ends of the names of members that tell an item of a list from the others."""
_OWN_NAMES = ("Id", "Identifier", "Name")
"""The ends of the names of properties that name the thing itself, where they alone identify it."""
_ATTEMPTS = 20
"""Each attempt takes out every property that was refused, so a handful is far more than any type has needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """An existing thing, with the facts of its type."""

    facts: ResourceType
    item: ObservedItem


def template_of(things: Sequence[Thing], *, region: str) -> JsonMap:
    """The template, its functions in the long form. Raises NotDeclarableError for a thing that could not be made again
    from its shown properties, and CompileError when no part of the template can be left out."""
    known = default_schemas(region)
    names = _names(things)
    plain = {name: _declared(thing, known.find(thing.facts.name)) for name, thing in zip(names, things, strict=True)}
    refuse([problem for name, thing in zip(names, things, strict=True) if (problem := _problem(thing, plain[name]))])
    properties = _Linking(dict(zip(names, things, strict=True)), known).link(plain)
    resources = {
        name: {
            "Type": str(thing.facts.name),
            "Metadata": {SECTION: {IDENTIFIER: str(thing.item.physical_id)}},
            "Properties": dict(properties[name]),
        }
        for name, thing in zip(names, things, strict=True)
    }
    return _compiling({"AWSTemplateFormatVersion": "2010-09-09", "Resources": resources}, region, known)


def _declared(thing: Thing, schema: TypeSchema | None) -> dict[str, Json]:
    facts, shown = thing.facts, thing.item.properties
    if schema is not None and schema.document and not schema.is_open:
        shown = {name: value for name, value in shown.items() if name in schema.properties - schema.read_only}
    shown = {name: _without_unsaid(name, value, facts) for name, value in shown.items()}
    return {
        name: value
        for name, value in sorted(shown.items())
        if (name not in facts.write_only or facts.through)
        and not (name in facts.when_absent and means_same(facts.when_absent[name], value, facts.compare_as, name))
        and (not _is_empty(value) or name in facts.required or name in facts.when_absent)
        and not _is_said_before(name, shown, facts)
        and not any(name in one.names and _is_left_out(one, shown) for one in facts.unsaid)
    }


def _problem(thing: Thing, declared: JsonMap) -> NotDeclarableError | None:
    """Return why no composition made from the shown properties could make the thing again; None where one can."""
    facts = thing.facts
    hidden = {path.partition(".")[0] for path in facts.write_only}
    missing = sorted(name for name in facts.required & hidden if name not in declared)
    if not missing:
        return None
    return NotDeclarableError(
        f"{facts.name} {thing.item.physical_id} cannot be described: the provider never shows {', '.join(missing)}, "
        f"which a composition must declare. Declare it by hand, with 'Metadata: {{{SECTION}: {{{IDENTIFIER}: "
        f"{thing.item.physical_id}}}}}', and adopt it with 'tenuto run --import'"
    )


def _is_said_before(name: str, shown: JsonMap, facts: ResourceType) -> bool:
    """Whether a property that says the same in another way is shown, too."""
    before = (other for group in facts.synonyms if name in group for other in group[: group.index(name)])
    return any(not _is_empty(shown.get(other)) for other in before)


def _without_unsaid(name: str, value: Json, facts: ResourceType) -> Json:
    """A property without the members that a description leaves out."""
    paths = [path.split(".")[1:] for one in facts.unsaid for path in one.names if path.startswith(f"{name}.")]
    for keys in paths:
        value = _without(value, keys)
    return value


def _without(value: Json, keys: Sequence[str]) -> Json:
    """A value without the part at a path, in every member of a list on the way."""
    if is_list(value):
        return [_without(member, keys) for member in value]
    if not isinstance(value, Mapping) or keys[0] not in value:
        return value
    if len(keys) == 1:
        return {name: one for name, one in value.items() if name != keys[0]}
    return {**value, keys[0]: _without(value[keys[0]], keys[1:])}


def _is_left_out(unsaid: Unsaid, shown: JsonMap) -> bool:
    """Whether its conditions hold for the shown properties of a thing."""
    has_other = not unsaid.beside or not _is_empty(shown.get(unsaid.beside))
    return has_other and all(str(at(shown, path)) in values for path, values in unsaid.where.items())


def _is_empty(value: Json) -> bool:
    return value is None or value == "" or (isinstance(value, Mapping | list | tuple) and not value)


def _names(things: Sequence[Thing]) -> list[str]:
    """Logical ids: that of its last owner, else its `Name` tag, else its type; numbered where several want the same."""
    wanted = [_wanted_name(thing) for thing in things]
    names: list[str] = []
    for position, name in enumerate(wanted):
        number = wanted[:position].count(name) + 1
        candidate = name if number == 1 else f"{name}{number}"
        while candidate in names or (number > 1 and candidate in wanted):
            number += 1
            candidate = f"{name}{number}"
        names.append(candidate)
    return names


def _wanted_name(thing: Thing) -> str:
    short = re.split(r"::|\.", thing.facts.name)[-1]
    if thing.item.owner is not None and thing.item.owner.logical_id.isalnum():
        return str(thing.item.owner.logical_id)
    tags = thing.item.properties.get("Tags") or ()
    by_key = tags if isinstance(tags, Mapping) else {tag.get("Key"): tag.get("Value", "") for tag in tags}
    given = str(by_key.get("Name", ""))
    words = re.findall(r"[A-Za-z0-9]+", given)
    name = "".join(word[:1].upper() + word[1:] for word in words)[:_LONGEST_ID]
    return name if name[:1].isalpha() else f"{short}{name}"


def _is_name_of_another(reference: str, thing: Thing, schema: TypeSchema | None) -> bool:
    """Whether `Ref` of it is the name of the thing that it is declared on: a bucket policy is known by its bucket."""
    identifier = schema.primary_identifier if schema is not None else ()
    own = {thing.facts.named_by, *(name for name in identifier if len(identifier) == 1 and name.endswith(_OWN_NAMES))}
    return any(value == reference and name not in own for name, value in thing.item.properties.items())


class _Linking:
    """The replacement of the ids of things of the template by references to them."""

    def __init__(self, things: Mapping[str, Thing], schemas: SchemaSource) -> None:
        self._calls: dict[str, tuple[str, JsonMap]] = {}
        for name, thing in things.items():
            short = thing.facts.name.rpartition("::")[2]
            schema = schemas.find(thing.facts.name)
            identity = {*(schema.primary_identifier if schema else ()), f"{short}Id"}
            for attribute, value in sorted(thing.item.attributes.items()):
                # A property that can be declared is a wish, and no identity: a range of addresses names nothing.
                is_identity = attribute not in thing.item.properties and (
                    attribute in identity or attribute.endswith("Arn")
                )
                if is_identity and attribute in thing.facts.attributes and isinstance(value, str) and value:
                    self._calls.setdefault(value, (name, {"Fn::GetAtt": [name, attribute]}))
        for name, thing in things.items():
            reference = str(reference_of(thing.item))
            if not _is_name_of_another(reference, thing, schemas.find(thing.facts.name)):
                self._calls[reference] = (name, {"Ref": name})
        self._uses: dict[str, set[str]] = {name: set() for name in things}

    def link(self, properties: Mapping[str, JsonMap]) -> dict[str, JsonMap]:
        return {
            name: {path: self._linked(value, name) for path, value in values.items()}
            for name, values in properties.items()
        }

    def _linked(self, value: Json, inside: str) -> Json:
        if isinstance(value, Mapping):
            return {key: self._linked(member, inside) for key, member in value.items()}
        if isinstance(value, list | tuple):
            return [self._linked(member, inside) for member in value]
        if not isinstance(value, str) or value not in self._calls:
            return value
        name, call = self._calls[value]
        if name == inside or self._reaches(name, inside):
            return value
        self._uses[inside].add(name)
        return call

    def _reaches(self, start: str, goal: str) -> bool:
        seen: set[str] = set()
        todo = [start]
        while todo:
            name = todo.pop()
            if name == goal:
                return True
            if name not in seen:
                seen.add(name)
                todo.extend(sorted(self._uses[name]))
        return False


def _compiling(template: JsonMap, region: str, schemas: SchemaSource) -> JsonMap:
    """The template without the properties that the compiler refuses."""
    for _ in range(_ATTEMPTS):
        try:
            compile_text(json.dumps(template), file="template.json", parameters={}, region=region, schemas=schemas)
        except CompileError as refused:
            if not _take_out(template, refused.diagnostics):
                raise
        else:
            break
    return template


def _take_out(template: JsonMap, diagnostics: Iterable[object]) -> bool:
    """Take the refused properties out, and return whether there was any. One of each mapping at a time: of two that
    exclude each other, the other may stay.
    """
    touched: set[tuple[str, ...]] = set()
    for one in diagnostics:
        if not isinstance(one, Diagnostic) or one.severity is not Severity.ERROR:
            continue
        parts = one.subject.split(".")
        place = tuple(parts[:-1])
        if len(parts) < 4 or parts[0] != "Resources" or parts[2] != "Properties" or place in touched:
            continue
        if _remove(template["Resources"][parts[1]]["Properties"], parts[3:]):
            touched.add(place)
    return bool(touched)


def _remove(properties: dict[str, Json], path: Sequence[str]) -> bool:
    """Take one property out, a nested one by its path. One that is not there at all is missing: then its holder
    goes."""
    name, *rest = path
    name = name.partition("[")[0]
    if rest and _remove_inside(properties.get(name), rest):
        return True
    return properties.pop(name, None) is not None


def _remove_inside(value: Json, path: Sequence[str]) -> bool:
    """Take a property out of a mapping or of a member of a list, if it is there. A member keeps the property that tells
    it from the others: without that, the whole list goes."""
    if isinstance(value, dict):
        return path[0] in value and _remove(value, path)
    is_member = isinstance(value, list) and len(path) > 1 and path[0].isdigit() and int(path[0]) < len(value)
    if not is_member or (len(path) == 2 and path[1].endswith(_NAMES)):
        return False
    return _remove_inside(value[int(path[0])], path[1:])
