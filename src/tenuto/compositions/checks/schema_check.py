"""Checks the properties of one resource against its schema, and gives them the types that the schema wants.

Theory of operation. The walk follows the declared value, not the schema, so that its cost is that of the value. A
scalar is turned into the type that is asked for, as CloudFormation does: "true" is true where a boolean belongs, 100 is
"100" where a text does. An expression that stays open satisfies every scalar type; only where it surely gives a list
and a text is needed, or the other way round, is it refused. A schema says more than can be held against a declaration
without ever being wrong (`if`, `not`, formats); those parts are left to the provider: a false error is worse than a
late one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.compositions.checks import schema_values
from tenuto.compositions.checks.plain_texts import text_faults
from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.compositions.checks.schema_alternatives import Alternatives
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import (
    Broken,
    Entry,
    Expression,
    Fields,
    Items,
    Node,
    Scalar,
    describe,
    to_json,
)
from tenuto.compositions.diagnostics.problems import Problems, listed
from tenuto.kit.nearest import nearest
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json, JsonMap

_OUTSIDE = frozenset({"DependsOn", "Condition", "DeletionPolicy", "UpdateReplacePolicy", "Metadata", "CreationPolicy"})
_GIVES_TEXT = frozenset({"Ref", "Fn::Join", "Fn::Base64", "Fn::ToJsonString", "Tenuto::Secret"})
_GIVES_LIST = frozenset({"Fn::Split", "Fn::GetAZs", "Fn::Cidr"})


_IN_ANY_CASE = frozenset({("AWS::EC2::FlowLog", "DestinationOptions")})
"""Mappings, by type and path, whose names count in any case. The CDK writes `fileFormat` here, and CloudFormation warns
that the names do not fit and makes the flow log with them."""


class SchemaCheck:
    """The check of one resource. `subject` is the path of its properties, for people."""

    def __init__(self, schema: TypeSchema, subject: str, problems: Problems) -> None:
        self._schema = schema
        self._subject = subject
        self._problems = problems
        self._alternatives = Alternatives(self._fits, self._problems)

    def check(self, node: Fields, at: Position) -> dict[str, Json]:
        """The properties in their types. `at` is where a missing property is shown."""
        return self._mapping(node, self._schema.document, (), at)

    def _value(self, node: Node, rule: JsonMap, path: tuple[str, ...], at: Position) -> Json:
        rule = follow(rule, self._schema.document)
        if isinstance(node, Broken):
            return None
        types = _types(rule)
        if not types and "properties" not in rule:
            branches = self._branches(rule)
            if branches:
                return self._best(node, branches, path, at)
        if isinstance(node, Expression):
            self._expression(node, types, rule, path)
            return node.value
        if isinstance(node, Fields):
            if types and "object" not in types:
                return self._wrong(node, types, path)
            return self._mapping(node, rule, path, at)
        if isinstance(node, Items):
            if types and "array" not in types:
                return self._wrong(node, types, path)
            return self._list(node, rule, path)
        return self._scalar(node, types, rule, path)

    def _mapping(self, node: Fields, rule: JsonMap, path: tuple[str, ...], at: Position) -> dict[str, Json]:
        found: dict[str, Json] = {}
        if (self._schema.name, ".".join(path)) in _IN_ANY_CASE:
            node = respelled(node, {name.casefold(): name for name in rule.get("properties", ())})
        there = list(node.names)
        for entry in node.entries:
            inner = (*path, entry.name)
            if self._is_read_only(inner):
                detail = f"{entry.name} is set by the provider and cannot be declared."
                self._report(codes.READ_ONLY, entry.key, inner, detail)
                continue
            member = self._member(rule, entry.name)
            if member is None:
                # The property that was probably meant counts as there: one slip of the pen is one problem.
                there.append(self._unknown(entry, rule, path))
                continue
            found[entry.name] = self._value(entry.value, member, inner, entry.key.position)
        for name in rule.get("required", ()):
            if name not in there and not self._is_read_only((*path, name)):
                where = ".".join(path) or self._schema.name
                self._report(codes.MISSING_PROPERTY, at, (*path, name), f"{where} needs {name}.", hint=f"Add {name}.")
        what = ".".join(path) or self._schema.name
        self._alternatives.check(node, frozenset(there), rule, what, at, ".".join((self._subject, *path)))
        return found

    def _member(self, rule: JsonMap, name: str) -> JsonMap | None:
        """The rule of one member of a mapping, an empty one when anything goes; None when it may not be there."""
        properties = rule.get("properties", {})
        if name in properties:
            member: JsonMap = properties[name]
            return member
        for branch in self._branches(rule):
            if name in branch.get("properties", {}):
                return {}
        patterns = rule.get("patternProperties", {})
        for pattern, member in patterns.items():
            if schema_values.matches(pattern, name) is not False:
                return follow(member, self._schema.document)
        additional = rule.get("additionalProperties", not properties)
        if isinstance(additional, Mapping):
            return additional
        return {} if additional or not (properties or patterns) else None

    def _unknown(self, entry: Entry, rule: JsonMap, path: tuple[str, ...]) -> str:
        """Report an unknown property; the name that was probably meant."""
        writable = [name for name in rule.get("properties", ()) if not self._is_read_only((*path, name))]
        where = ".".join(path) or self._schema.name
        guess = nearest(entry.name, writable)
        hint = f"Did you mean {guess}?" if guess else ""
        if not path and entry.name in _OUTSIDE:
            hint = f"Write {entry.name} beside Properties, not below it."
        detail = f"{where} has no property {entry.name}; it has {listed(writable)}."
        if patterns := [] if writable else sorted(rule.get("patternProperties", ())):
            detail = f"{where} takes no name {entry.name}: a name in it must match {' or '.join(patterns)}."
            hint = "Choose a name that matches."
        self._report(codes.UNKNOWN_PROPERTY, entry.key, (*path, entry.name), detail, hint=hint)
        return guess

    def _list(self, node: Items, rule: JsonMap, path: tuple[str, ...]) -> list[Json]:
        items = rule.get("items")
        member = items if isinstance(items, Mapping) else {}
        count = len(node.items)
        fewest, most = rule.get("minItems", 0), rule.get("maxItems", count)
        if not fewest <= count <= most:
            limit = f"at least {fewest}" if count < fewest else f"at most {most}"
            detail = f"{'.'.join(path)} has {count} items, and must have {limit}."
            self._report(codes.PROPERTY_LENGTH, node, path, detail)
        if len(path) == 1 and path[0].endswith("Tags"):
            self._tags(node, follow(member, self._schema.document), path)
        return [
            self._value(item, member, (*path, str(number)), item.position) for number, item in enumerate(node.items)
        ]

    def _tags(self, node: Items, member: JsonMap, path: tuple[str, ...]) -> None:
        """Report each key that the tags of a resource have twice: a service refuses them, or keeps one alone. Every
        service needs a key, also where a schema does not."""
        is_unasked = {"Key", "Value"} <= member.get("properties", {}).keys() and "Key" not in member.get("required", ())
        seen: set[str] = set()
        for number, item in enumerate(node.items):
            key = item.get("Key") if isinstance(item, Fields) else None
            if is_unasked and isinstance(item, Fields) and key is None:
                where = f"{path[0]}.{number}"
                missing = (*path, str(number), "Key")
                self._report(codes.MISSING_PROPERTY, item.position, missing, f"{where} needs Key.", hint="Add Key.")
            if isinstance(key, Scalar):
                if key.text in seen:
                    detail = f"{path[0]} has the key {key.text} twice, and a resource has one tag of a key."
                    self._report(codes.DUPLICATE_KEY, key, (*path, str(number), "Key"), detail)
                seen.add(key.text)

    def _scalar(self, node: Scalar, types: frozenset[str], rule: JsonMap, path: tuple[str, ...]) -> Json:
        if types <= {"object"} and types and "properties" not in rule and _is_json_object(node.text):
            return node.text
        value = schema_values.coerce(node, types)
        if value is schema_values.IMPOSSIBLE:
            return self._wrong(node, types, path)
        for code, detail, hint in schema_values.faults(value, rule, ".".join(path), self._schema.name):
            self._report(code, node, path, detail, hint=hint)
        for code, detail in text_faults(value, path):
            self._report(code, node, path, detail)
        return value

    def _expression(self, node: Expression, types: frozenset[str], rule: JsonMap, path: tuple[str, ...]) -> None:
        function = next(iter(node.value))
        gives_text = function in _GIVES_TEXT and types == {"array"}
        gives_mapping = function in _GIVES_TEXT and types == {"object"} and "properties" in rule
        gives_list = function in _GIVES_LIST and bool(types) and "array" not in types
        if not (gives_text or gives_mapping or gives_list):
            return
        given = "a list" if gives_list else "a text"
        detail = f"{'.'.join(path)} must be {_wanted(types)}, and {function} gives {given}."
        hint = "Put it into a list: [VALUE]." if gives_text else "Choose an item with Fn::Select." if gives_list else ""
        self._report(codes.WRONG_TYPE, node, path, detail, hint=hint)

    def _branches(self, rule: JsonMap) -> list[JsonMap]:
        return [
            follow(branch, self._schema.document)
            for key in ("anyOf", "oneOf", "allOf")
            for branch in rule.get(key, ())
            if isinstance(branch, Mapping)
        ]

    def _best(self, node: Node, branches: Sequence[JsonMap], path: tuple[str, ...], at: Position) -> Json:
        """Return the value as the first branch without a fault takes it; as it is, with a report, when each has one."""
        for branch in branches:
            trial = Problems(self._problems.file, "")
            value = SchemaCheck(self._schema, self._subject, trial)._value(node, branch, path, at)
            if not trial.has_errors:
                return value
        forms = "the form" if len(branches) == 1 else f"none of the {len(branches)} forms"
        has = "does not have" if len(branches) == 1 else "has"
        detail = f"{'.'.join(path)} {has} {forms} that {self._schema.name} knows for it."
        self._report(codes.NO_ALTERNATIVE, node, path, detail)
        return to_json(node)

    def _fits(self, node: Fields, branch: JsonMap) -> bool:
        """Whether the declared properties could be meant by this branch of several."""
        branch = follow(branch, self._schema.document)
        if any(name not in node.names for name in branch.get("required", ())):
            return False
        trial = Problems(self._problems.file, "")
        check = SchemaCheck(self._schema, self._subject, trial)
        for name, rule in branch.get("properties", {}).items():
            value = node.get(name)
            if value is not None and isinstance(rule, Mapping):
                check._value(value, rule, (name,), value.position)
        return not trial.has_errors

    def _is_read_only(self, path: tuple[str, ...]) -> bool:
        dotted = ".".join("*" if part.isdecimal() else part for part in path)
        if dotted not in self._schema.read_only:
            return False
        return not any(dotted in group for group in (self._schema.create_only, self._schema.write_only))

    def _wrong(self, node: Node, types: frozenset[str], path: tuple[str, ...]) -> Json:
        shown = f" {node.text!r}" if isinstance(node, Scalar) and node.value is not None else ""
        detail = f"{'.'.join(path)} must be {_wanted(types)}, and is {describe(node)}{shown}."
        self._report(codes.WRONG_TYPE, node, path, detail, hint=as_a_list(node) if types == {"array"} else "")
        return to_json(node)

    def _report(
        self, code: codes.Code, at: Position | Node, path: tuple[str, ...], detail: str, *, hint: str = ""
    ) -> None:
        self._problems.add(code, at, detail, subject=".".join((self._subject, *path)), hint=hint)


def respelled(node: Fields, names: Mapping[str, str]) -> Fields:
    """The mapping with the spelling of known `names`, given by their casefold, where only the case differs."""
    spelled = [(entry, names.get(entry.name.casefold(), entry.name)) for entry in node.entries]
    entries = tuple(replace(one, key=replace(one.key, value=name, text=name)) for one, name in spelled)
    return replace(node, entries=entries)


def _types(rule: JsonMap) -> frozenset[str]:
    types = rule.get("type", ())
    return frozenset({types} if isinstance(types, str) else types)


_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
}


_LONGEST_EXAMPLE = 40
"""Longer texts are not repeated in a hint."""


def as_a_list(node: Node) -> str:
    """The value that is there, in the form of a list."""
    if isinstance(node, Scalar) and node.value is not None and len(node.text) < _LONGEST_EXAMPLE:
        return f"Write it as a list of one: [{node.text}]."
    if isinstance(node, Fields):
        return "Begin each item of the list with a dash, such as `- Key: …`, also where there is one only."
    return ""


def _wanted(types: frozenset[str]) -> str:
    return " or ".join(_WORDS.get(name, name) for name in sorted(types))


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
