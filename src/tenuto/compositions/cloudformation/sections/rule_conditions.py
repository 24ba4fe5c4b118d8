"""The conditions of a rule as trees of `core.language.assertions`, their values folded in one environment."""

from collections.abc import Callable, Iterator

from tenuto.compositions.cloudformation.functions.conditions import Conditions
from tenuto.compositions.cloudformation.functions.undecidable import report_undecidable
from tenuto.compositions.cloudformation.reading import forms
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import (
    Broken,
    Entry,
    Expression,
    Fields,
    Items,
    Node,
    Scalar,
    is_broken,
    walk,
)
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.core.language.assertions import COMPARISONS, MOST_MEMBERS, fold
from tenuto.core.language.resolve import Environment, open_expressions
from tenuto.kit.nearest import did_you_mean
from tenuto.model.ids import Json

_ACCOUNT_DATA = frozenset({"Fn::RefAll", "Fn::ValueOf", "Fn::ValueOfAll"})
_FORMS = {
    "Fn::And": "{Fn::And: [CONDITION, CONDITION, …]}",
    "Fn::Or": "{Fn::Or: [CONDITION, CONDITION, …]}",
    "Fn::Not": "{Fn::Not: [CONDITION]}",
    "Fn::If": "{Fn::If: [CONDITION, CONDITION, CONDITION]}",
    "Fn::Equals": "{Fn::Equals: [VALUE, VALUE]}",
    "Fn::Contains": "{Fn::Contains: [LIST, TEXT]}",
    "Fn::EachMemberEquals": "{Fn::EachMemberEquals: [LIST, TEXT]}",
    "Fn::EachMemberIn": "{Fn::EachMemberIn: [LIST, LIST]}",
    "Fn::RefAll": "{Fn::RefAll: PARAMETER_TYPE}",
    "Fn::ValueOf": "{Fn::ValueOf: [PARAMETER, ATTRIBUTE]}",
    "Fn::ValueOfAll": "{Fn::ValueOfAll: [PARAMETER_TYPE, ATTRIBUTE]}",
}
_COUNTS = {"Fn::And": range(2, MOST_MEMBERS + 1), "Fn::Or": range(2, MOST_MEMBERS + 1), "Fn::Not": range(1, 2)}
_PAIR, _TRIPLE = range(2, 3), range(3, 4)


class RuleConditions:
    """Reads conditions of rules. `evaluate` folds values; `waits` are the parameters that may stay open."""

    def __init__(
        self,
        evaluate: Callable[[Node], Node | None],
        conditions: Conditions,
        parameters: frozenset[str],
        waits: frozenset[str],
        problems: Problems,
    ) -> None:
        self._evaluate = evaluate
        self._conditions = conditions
        self._parameters = parameters
        self._waits = waits
        self._problems = problems

    def implication(self, condition: Node | None, asserted: Node) -> Json:
        """The tree of the implication: when the condition holds, so does the assertion."""
        if condition is None:
            return self.tree(asserted)
        return {"Fn::Or": [{"Fn::Not": [self.tree(condition)]}, self.tree(asserted)]}

    def tree(self, node: Node) -> Json:
        """The tree; null for a malformed node, which was reported, and for one that asks for data of the account."""
        call = forms.call_of(node)
        if isinstance(node, Broken):
            return None
        if call is None or call[0] not in _FORMS or call[0] in _ACCOUNT_DATA:
            known = [name for name in _FORMS if name not in _ACCOUNT_DATA]
            detail = f"A condition of a rule is one of {', '.join(known)}."
            hint = did_you_mean(call[0], known) if call else ""
            self._problems.add(codes.BAD_ASSERTION, node, detail, hint=hint)
            return None
        name, argument = call
        default = _TRIPLE if name == "Fn::If" else _PAIR
        if not isinstance(argument, Items) or len(argument.items) not in _COUNTS.get(name, default):
            self._wrong(name, node)
            return None
        if name in COMPARISONS:
            return self._comparison(name, argument)
        if name == "Fn::If":
            return self._choice(argument)
        return {name: [self.tree(one) for one in argument.items]}

    def parameters(self, node: Node | None) -> Iterator[str]:
        """The parameters that it refers to."""
        for found in walk(node) if node is not None else ():
            if isinstance(found, Fields) and found.names == ("Ref",):
                name = forms.text(found.entries[0].value)
                if name in self._parameters:
                    yield name

    def _choice(self, argument: Items) -> Json:
        """Evaluate `Fn::If` over conditions; its first one may also be the name of an entry of the
        Conditions section.
        """
        first, then, otherwise = argument.items
        if isinstance(first, Scalar):
            holds: Json = self._conditions.value(forms.text(first)) if self._conditions.knows(first) else None
        else:
            holds = self.tree(first)
        return {"Fn::If": [holds, self.tree(then), self.tree(otherwise)]}

    def _comparison(self, name: str, argument: Items) -> Json:
        asked = account_data(argument)
        if asked:
            for function in asked:
                self._check_account_data(function)
            return None
        values = [self._value(one) for one in argument.items]
        return None if any(value is None for value in values) else {name: values}

    def _value(self, node: Node) -> Json:
        """The value with every scalar as text, as CloudFormation compares; null when it was reported."""
        found = self._evaluate(self._chosen(node))
        if found is None or is_broken(found):
            if found is None:
                self._problems.add(codes.BAD_ASSERTION, node, "AWS::NoValue cannot be compared.")
            return None
        for one in walk(found):
            names = {wait.name for wait in open_expressions(one.value)} if isinstance(one, Expression) else set()
            if isinstance(one, Expression) and not names <= self._waits:
                report_undecidable(one, "A rule", self._problems)
                return None
        return _texts(found)

    def _chosen(self, node: Node) -> Node:
        """A value, or the one that an `Fn::If` over conditions of rules chooses."""
        call = forms.call_of(node)
        if call is None or call[0] != "Fn::If" or len(forms.items(call[1])) != 3:
            return node
        first, then, otherwise = forms.items(call[1])
        if isinstance(first, Scalar):
            return node
        holds = fold(self.tree(first), Environment())
        if isinstance(holds, bool):
            return self._chosen(then if holds else otherwise)
        if holds is not None:
            detail = "Which value Fn::If gives must be known at compile time; write the rule with Fn::Or and Fn::And."
            self._problems.add(codes.UNDECIDABLE, node, detail)
        return Broken(position=node.position)

    def _check_account_data(self, function: Entry) -> None:
        name, argument = function.name, function.value
        members = forms.items(argument)
        is_pair = len(members) == 2 and all(map(forms.is_text, members))
        is_formed = forms.is_text(argument) if name == "Fn::RefAll" else is_pair
        if not is_formed:
            self._wrong(name, function.key)
        elif name == "Fn::ValueOf" and forms.text(members[0]) not in self._parameters:
            wanted = forms.text(members[0])
            hint = did_you_mean(wanted, self._parameters)
            self._problems.add(codes.UNKNOWN_NAME, members[0], f"{wanted} is no parameter.", subject=wanted, hint=hint)

    def _wrong(self, name: str, node: Node) -> None:
        self._problems.add(codes.WRONG_ARGUMENTS, node, f"{name} is written {_FORMS[name]}.", subject=name)


def account_data(node: Node | None) -> tuple[Entry, ...]:
    """The functions in it that ask for data of the account, each with its argument."""
    return tuple(
        found.entries[0]
        for found in (walk(node) if node is not None else ())
        if isinstance(found, Fields) and len(found.entries) == 1 and found.entries[0].name in _ACCOUNT_DATA
    )


def _texts(node: Node) -> Json:
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Items):
        return [_texts(item) for item in node.items]
    if isinstance(node, Fields):
        return {entry.name: _texts(entry.value) for entry in node.entries}
    return node.value if isinstance(node, Expression) else None
