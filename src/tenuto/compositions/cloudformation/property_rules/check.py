"""The check of properties by the rules of their type, which the published schema of the type does not have.

Theory of operation. A rule is data: the mappings that it is about, the conditions under which it counts, and the
demand. It counts only by values that stand in the file: one that is known when the composition runs is left to AWS.
Only rules whose violation makes AWS refuse the creation are here, by the documentation of the type: a false error is
worse than a late one.
"""

from collections.abc import Iterator, Mapping

from tenuto.compositions.cloudformation.property_rules.conditions import reasons
from tenuto.compositions.cloudformation.property_rules.rule import Fault, Place, Rule
from tenuto.compositions.cloudformation.property_rules.tables import data, documents, machines, networks, services
from tenuto.compositions.diagnostics.nodes import Fields, nodes_at
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.model.diagnostic import Position

TABLES: tuple[Mapping[str, tuple[Rule, ...]], ...] = (
    networks.RULES,
    machines.RULES,
    data.RULES,
    services.RULES,
    documents.RULES,
)


def check_rules(
    type_name: str, properties: Fields, subject: str, problems: Problems, at: Position, *, is_adopted: bool = False
) -> None:
    """Report the properties that break a rule of the type. `at` is where something missing is shown that has no
    neighbour. `is_adopted` tells that the resource says which existing thing it is."""
    for rule in rules_of(type_name):
        if rule.of_new and is_adopted:
            continue
        for fault, ending in _broken(rule, type_name, properties, at):
            named = f"{subject}.{fault.name}".rstrip(".")
            problems.add(fault.code, fault.at, f"{fault.told}{ending}.", hint=fault.hint, subject=named)


def rules_of(type_name: str) -> tuple[Rule, ...]:
    """All rules of a type."""
    return tuple(rule for table in TABLES for rule in table.get(type_name, ()))


def _broken(rule: Rule, type_name: str, properties: Fields, at: Position) -> Iterator[tuple[Fault, str]]:
    """The faults by one rule, each with the conditions that make it one."""
    given = reasons(properties, rule.given)
    if given is None:
        return
    for where, mapping, _ in nodes_at(properties, rule.path.split(".") if rule.path else ()):
        found = reasons(mapping, rule.when) if isinstance(mapping, Fields) else None
        if isinstance(mapping, Fields) and found is not None:
            ending = f" where {' and '.join((*given, *found))}" if given or found else ""
            for fault in rule.faults(mapping, Place(type_name=type_name, path=where, at=at)):
                yield fault, ending
