"""Patterns of events, as EventBridge and the filters of event sources take them.

A leaf of a pattern is a list of values and filters, of which the event must have one: `source: [aws.ec2]`.
https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern.html
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tenuto.compositions.checks.schema_check import as_a_list
from tenuto.compositions.cloudformation.property_rules.json_texts import parsed
from tenuto.compositions.cloudformation.property_rules.rule import Fault, Place, Rule
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Items, Node, Scalar, describe, located, nodes_at

_OR = "$or"
"""The word before a list of patterns, of which one must match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern(Rule):
    """Each leaf of the patterns at `of` is a list. A text that is no JSON has a rule of its own."""

    of: str

    def faults(self, mapping: Fields, place: Place) -> Iterator[Fault]:
        for where, node, _ in nodes_at(mapping, self.of.split(".")):
            pattern = located(parsed(node.text), node.position) if isinstance(node, Scalar) else node
            yield from _faults(pattern, place.name(where))


def _faults(node: Node, name: str) -> Iterator[Fault]:
    for entry in node.entries if isinstance(node, Fields) else ():
        inner = f"{name}.{entry.name}"
        if isinstance(entry.value, Scalar):
            told = f"{inner} is {describe(entry.value)}, and must be a list of the values that match"
            hint = as_a_list(entry.value)
            yield Fault(code=codes.REFUSED_VALUE, at=entry.value.position, told=told, name=inner, hint=hint)
        elif entry.name == _OR and isinstance(entry.value, Items):
            for number, one in enumerate(entry.value.items):
                yield from _faults(one, f"{inner}.{number}")
        else:
            yield from _faults(entry.value, inner)
