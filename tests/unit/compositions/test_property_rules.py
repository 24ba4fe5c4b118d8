"""The tables of rules about properties: each names what its type has, and judges nothing that only a run knows."""

from collections.abc import Iterator, Mapping

import pytest

from tenuto.compositions.checks.schema import HOME_REGION, AwsSchemas, follow
from tenuto.compositions.cloudformation.property_rules.check import TABLES, check_rules, rules_of
from tenuto.compositions.cloudformation.property_rules.companions import Companions
from tenuto.compositions.cloudformation.property_rules.conditions import ABSENT, DECLARED, When
from tenuto.compositions.cloudformation.property_rules.event_patterns import Pattern
from tenuto.compositions.cloudformation.property_rules.rule import Rule
from tenuto.compositions.cloudformation.property_rules.values import Named, Order, Pair, Texts, Unique, Value
from tenuto.compositions.diagnostics.nodes import Broken, Entry, Expression, Fields, Items, Node, scalar
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.model.diagnostic import Position
from tenuto.model.ids import JsonMap

HERE = Position(file="a.yaml", line=1, column=1)
TYPES = sorted({name for table in TABLES for name in table})
OPEN = Expression(value={"Ref": "Known"}, position=HERE)


def about(rule: Rule) -> tuple[str, ...]:
    """The paths that a rule is about, within each of its mappings."""
    match rule:
        case Companions():
            return (*rule.needs, *rule.needs_one, *rule.excludes)
        case Value() | Unique() | Pattern() | Texts():
            return (rule.of,)
        case Named():
            return (rule.of, rule.among, *([rule.beside] if rule.beside else ()))
        case Order():
            return (rule.low, rule.high)
        case Pair():
            return (rule.one, rule.other)
    raise AssertionError(rule)


def paths(rule: Rule) -> Iterator[str]:
    yield from rule.given
    yield from (f"{rule.path}.{name}".strip(".") for name in (*rule.when, *about(rule)))


def exists(node: JsonMap, path: list[str], document: JsonMap) -> bool:
    """Whether a schema has the path. A mapping of any keys has every one."""
    node = follow(node, document)
    choices = [one for key in ("anyOf", "oneOf") for one in node.get(key, ()) if isinstance(one, Mapping)]
    if not path:
        return True
    name, *rest = path
    inner = node.get("items") if name == "*" else node.get("properties", {}).get(name)
    is_open = name != "*" and not node.get("properties") and "object" in node.get("type", "object")
    return (
        (isinstance(inner, Mapping) and exists(inner, rest, document))
        or any(exists(one, path, document) for one in choices if "properties" in one or "items" in one)
        or (is_open and not choices)
    )


def planted(values: Mapping[str, Node]) -> Node:
    """A tree with each value at its path; a star is the only member of a list."""
    if "" in values:
        return values[""]
    below: dict[str, dict[str, Node]] = {}
    for path, value in values.items():
        name, _, rest = path.partition(".")
        below.setdefault(name, {})[rest] = value
    if "*" in below:
        return Items(items=(planted(below["*"]),), position=HERE)
    entries = tuple(Entry(key=scalar(name, HERE), value=planted(inner)) for name, inner in below.items())
    return Fields(entries=entries, position=HERE)


def held(when: When, path: str = "") -> dict[str, Node]:
    """Values by which the conditions hold."""
    found = {}
    for name, words in when.items():
        if ABSENT not in words:
            word = "any" if words >= DECLARED else min(words)
            found[f"{path}.{name}".strip(".")] = scalar(word, HERE)
    return found


def codes_of(type_name: str, node: Node) -> set[str]:
    problems = Problems("a.yaml", "")
    assert isinstance(node, Fields)
    check_rules(type_name, node, "Resources.One.Properties", problems, HERE)
    return {one.code for one in problems.diagnostics()}


@pytest.mark.parametrize("type_name", TYPES)
def test_a_rule_names_properties_that_its_type_has(type_name: str) -> None:
    schema = AwsSchemas(HOME_REGION).find(type_name)
    assert schema is not None
    missing = [
        path
        for rule in rules_of(type_name)
        for path in paths(rule)
        if not exists(schema.document, path.split("."), schema.document)
    ]
    assert missing == []


@pytest.mark.parametrize("value", [OPEN, Broken(position=HERE), scalar("", HERE)], ids=["open", "broken", "empty"])
@pytest.mark.parametrize("type_name", TYPES)
def test_a_value_that_is_not_known_is_never_judged(type_name: str, value: Node) -> None:
    for rule in rules_of(type_name):
        if not isinstance(rule, Companions):
            values = {f"{rule.path}.{name}".strip("."): value for name in about(rule)}
            node = planted({**values, **held(rule.given), **held(rule.when, rule.path)})
            assert codes_of(type_name, node) & {"T527", "T528"} == set()


@pytest.mark.parametrize(
    "nothing", [Items(items=(), position=HERE), Broken(position=HERE), scalar("", HERE)], ids=["list", "broken", "text"]
)
def test_a_property_without_value_is_not_one_too_many(nothing: Node) -> None:
    table = {"BillingMode": scalar("PAY_PER_REQUEST", HERE), "ProvisionedThroughput": nothing}
    assert codes_of("AWS::DynamoDB::Table", planted(table)) == set()


REFUSED = ("~", "-7", "99999999", "rate(0 minutes)", "10.0.0.0/31", "alias/aws/a", "default", "sg-a")


@pytest.mark.parametrize("type_name", TYPES)
def test_each_rule_of_a_value_refuses_one(type_name: str) -> None:
    for rule in rules_of(type_name):
        if isinstance(rule, Value):
            conditions = {**held(rule.given), **held(rule.when, rule.path)}
            at = f"{rule.path}.{rule.of}".strip(".")
            trees = (planted({**conditions, at: scalar(text, HERE)}) for text in REFUSED)
            assert any("T527" in codes_of(type_name, tree) for tree in trees), rule
