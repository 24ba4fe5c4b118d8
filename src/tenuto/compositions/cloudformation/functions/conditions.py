"""The Conditions section: which of them hold, decided once, when they are first asked for.

Conditions never survive compilation, so the values that they compare must be known now, or be known to differ: an id
that only the running process knows is not empty. One that is never used may compare something unknown: only its form
and its names are checked.
"""

import json
from collections.abc import Callable, Collection, Mapping
from graphlib import CycleError, TopologicalSorter

from tenuto.compositions.cloudformation.functions.possible_texts import can_become
from tenuto.compositions.cloudformation.functions.undecidable import report_undecidable
from tenuto.compositions.cloudformation.reading import forms, shape
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Expression, Fields, Items, Node, Scalar, is_broken, to_json, walk
from tenuto.compositions.diagnostics.problems import Problems, listed
from tenuto.compositions.documents.circles import find_circles
from tenuto.kit.nearest import did_you_mean


class Conditions:
    """Answers for conditions by name. `evaluate` folds the values that they compare, with all that is known now."""

    def __init__(
        self, conditions: Mapping[str, Node], evaluate: Callable[[Node, bool], Node | None], problems: Problems
    ) -> None:
        self._conditions = conditions
        self._evaluate = evaluate
        self._problems = problems
        self._values: dict[str, bool | None] = {}
        self._mentioned = {name: _mentioned(node) for name, node in conditions.items()}

    def check(self) -> None:
        """Check the form and the names of every condition, used or not, and that there is no circle."""
        for node in self._conditions.values():
            self._decide(node, live=False)
        for circle in find_circles(self._mentioned):
            node = self._conditions[circle[0]]
            self._values.update(dict.fromkeys(circle))
            chain = " -> ".join([*circle, circle[0]])
            self._problems.add(codes.CIRCULAR_CONDITION, node, f"{chain}.", subject=circle[0])

    def knows(self, node: Node) -> bool:
        """Whether the node names a condition; reported when it does not."""
        name = shape.text(node, self._problems, "The name of a condition")
        if name is None:
            return False
        if name not in self._conditions:
            self._problems.add(
                codes.UNKNOWN_CONDITION,
                node,
                f"There is no condition {name}; {_declared(self._conditions)}.",
                subject=name,
                hint=did_you_mean(name, self._conditions),
                once=name,
            )
            return False
        return True

    def value(self, name: str) -> bool | None:
        """Whether the condition holds; None when it cannot be told, which was reported."""
        for needed in self._in_order(name):
            self._values[needed] = self._decide(self._conditions[needed], live=True)
        return self._values[name]

    def _in_order(self, name: str) -> tuple[str, ...]:
        """The undecided conditions that must be decided before this one, and it, in order: the chain may be long."""
        edges: dict[str, list[str]] = {}
        waiting = [name]
        while waiting:
            one = waiting.pop()
            if one not in edges and one not in self._values:
                edges[one] = [other for other in self._mentioned[one] if other in self._conditions]
                waiting.extend(edges[one])
        try:
            order = tuple(TopologicalSorter(edges).static_order())
        except CycleError:
            # A circle that was not shown because there are many; nothing in it has a value.
            self._values.update(dict.fromkeys(edges))
            return ()
        return tuple(one for one in order if one in edges)

    def _decide(self, node: Node, *, live: bool) -> bool | None:
        name, argument = self._function(node)
        if argument is None:
            return None
        if name == "Condition":
            known = self.knows(argument)
            return self.value(forms.text(argument)) if live and known else None
        if not isinstance(argument, Items) or not forms.is_well_formed(name, argument):
            self._problems.add(codes.WRONG_ARGUMENTS, node, f"{name} is written {forms.FORMS[name]}.", subject=name)
            return None
        if name == "Fn::Equals":
            left, right = (self._comparable(item, live) for item in argument.items)
            return None if left is None or right is None else self._are_equal(left, right)
        answers = [self._decide(item, live=live) for item in argument.items]
        if any(answer is None for answer in answers):
            return None
        if name == "Fn::Not":
            return not answers[0]
        return all(answers) if name == "Fn::And" else any(answers)

    def _function(self, node: Node) -> tuple[str, Node | None]:
        if isinstance(node, Fields) and len(node.entries) == 1:
            entry = node.entries[0]
            if entry.name == "Condition" or entry.name in forms.CONDITION_FUNCTIONS:
                return entry.name, entry.value
        if not is_broken(node):
            detail = "A condition is one of Fn::Equals, Fn::And, Fn::Or, Fn::Not and Condition."
            self._problems.add(codes.BAD_CONDITION, node, detail)
        return "", None

    def _are_equal(self, left: str | Expression, right: str | Expression) -> bool | None:
        """Whether two values are equal; None when only the running process can tell, which was reported."""
        if isinstance(left, str) and isinstance(right, str):
            return left == right
        opened, other = (left, right) if isinstance(left, Expression) else (right, left)
        assert isinstance(opened, Expression)
        if isinstance(other, str) and not can_become(opened.value, other, self._problems.open_parameters):
            return False
        report_undecidable(opened, "A condition", self._problems)
        return None

    def _comparable(self, node: Node, live: bool) -> str | Expression | None:
        """The value as text, the way CloudFormation compares, or its open expression; None when nothing is known."""
        value = self._evaluate(node, live)
        if value is None and not live:
            self._problems.add(codes.BAD_CONDITION, node, "AWS::NoValue cannot be compared.")
        if value is None or not live or is_broken(value):
            return None
        if isinstance(value, Expression):
            return value
        still_open = [found for found in walk(value) if isinstance(found, Expression)]
        if still_open:
            report_undecidable(still_open[0], "A condition", self._problems)
            return None
        return value.text if isinstance(value, Scalar) else json.dumps(to_json(value), sort_keys=True)


def _mentioned(node: Node) -> list[str]:
    return [
        forms.text(entry.value)
        for found in walk(node)
        if isinstance(found, Fields)
        for entry in found.entries
        if entry.name == "Condition"
    ]


def _declared(names: Collection[str]) -> str:
    """Return the declared conditions, for people."""
    return f"the composition declares {listed(names) if names else 'none'}"
