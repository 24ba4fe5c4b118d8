"""The Rules section: the assertions of a template about the values of its parameters.

Theory of operation. Each assertion becomes one tree (`core.language.assertions`): `RuleCondition` false, or `Assert`
true. It is folded with all that is known now. One that is false is an error at its line. One that waits for a value of
the parameter store goes into the composition, and the Conductor decides it when it has looked the value up. One that
asks for data of the account, or that would need a secret in clear later, is told as not checked: silence would look
like a check.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tenuto.compositions.cloudformation.reading import shape
from tenuto.compositions.cloudformation.sections.rule_conditions import RuleConditions, account_data
from tenuto.compositions.cloudformation.templates.bootstrap_rule import is_bootstrap_rule
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Entry, Fields, Items, Node, Scalar, describe
from tenuto.compositions.diagnostics.problems import Problems, listed, sentence
from tenuto.core.language.assertions import fold, is_unknowable, values_of
from tenuto.core.language.resolve import Environment, open_expressions
from tenuto.model.composition import Assertion

_KEYS = ("RuleCondition", "Assertions", "AssertDescription")
"""The last one belongs to an assertion. CloudFormation takes it beside the list too, and reads it nowhere."""
_ASSERTION_KEYS = ("Assert", "AssertDescription")
_NOTHING = Environment()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Assert:
    """One assertion as it stands in the file."""

    rule: str
    key: Scalar
    node: Node
    description: str


class RulesSection:
    """Compiles the rules. `deciding` reads them with all known values, `folding` with those that may be written
    down."""

    def __init__(
        self, deciding: RuleConditions, folding: RuleConditions, secrets: frozenset[str], problems: Problems
    ) -> None:
        self._deciding = deciding
        self._folding = folding
        self._secrets = secrets
        self._problems = problems

    def compile(self, section: Fields | None) -> tuple[Assertion, ...]:
        """The assertions that the Conductor has still to decide."""
        return tuple(
            found
            for entry in (section.entries if section else ())
            if not is_bootstrap_rule(entry)
            for found in self._rule(entry)
        )

    def _rule(self, entry: Entry) -> Iterator[Assertion]:
        fields = shape.fields(entry.value, self._problems, f"Rule {entry.name}", codes.BAD_ASSERTION)
        if fields is None:
            return
        fields = shape.known_fields(fields, _KEYS, self._problems, codes.BAD_ASSERTION, "A rule")
        condition = fields.get("RuleCondition")
        if condition is not None and self._deciding.tree(condition) is None and not account_data(condition):
            return  # It is malformed, and that was told.
        for one in self._assertions(entry, fields):
            found = self._assertion(one, condition)
            if found is not None:
                yield found

    def _assertions(self, entry: Entry, fields: Fields) -> Iterator[_Assert]:
        node = fields.get("Assertions")
        if not isinstance(node, Items):
            detail = f"The Assertions of {entry.name} must be a list, and are {describe(node) if node else 'missing'}."
            self._problems.add(codes.BAD_ASSERTION, node or entry.key, detail, subject=entry.name)
            return
        for item in node.items:
            what = f"An assertion of {entry.name}"
            one = shape.fields(item, self._problems, what, codes.BAD_ASSERTION)
            if one is None:
                continue
            # CloudFormation reads over such keys: templates that AWS publishes have an AssetDescription.
            code = codes.ASSERTION_KEY_IGNORED if one.entry("Assert") else codes.BAD_ASSERTION
            one = shape.known_fields(one, _ASSERTION_KEYS, self._problems, code, "An assertion")
            said = one.get("AssertDescription")
            asserted = one.entry("Assert")
            if asserted is None:
                self._problems.add(codes.BAD_ASSERTION, item, f"{what} has no Assert.", subject=entry.name)
                continue
            words = shape.text(said, self._problems, "AssertDescription", codes.BAD_ASSERTION) if said else ""
            yield _Assert(rule=entry.name, key=asserted.key, node=asserted.value, description=words or "")

    def _assertion(self, one: _Assert, condition: Node | None) -> Assertion | None:
        tree = fold(self._deciding.implication(condition, one.node), _NOTHING)
        if isinstance(tree, bool):
            if not tree:
                self._fails(one, condition)
            return None
        if is_unknowable(tree):
            asked = (*account_data(condition), *account_data(one.node))
            if asked:
                names = listed(function.name for function in asked)
                why = f"{names} asks for data of the account, which Tenuto does not look up"
                self._not_checked(one, asked[0].key, why)
            return None  # Without such a question, something in it is malformed, and that was told.
        left = fold(self._folding.implication(condition, one.node), _NOTHING)
        waits = [wait.name for value in values_of(left) for wait in open_expressions(value)]
        secret = sorted(set(waits) & self._secrets)
        if secret:
            why = f"{listed(secret)} has NoEcho, and is not sent where the other values of the rule are looked up"
            self._not_checked(one, one.key, why)
            return None
        return Assertion(rule=one.rule, holds=left, description=one.description, position=one.key.position)

    def _fails(self, one: _Assert, condition: Node | None) -> None:
        names = sorted({*self._deciding.parameters(one.node), *self._deciding.parameters(condition)})
        said = sentence(one.description) if one.description else "An assertion does not hold with these parameters."
        hint = f"Give other values; the rule reads {listed(names)}." if names else ""
        self._problems.add(codes.ASSERTION_FAILED, one.key, f"{one.rule}: {said}", subject=one.rule, hint=hint)

    def _not_checked(self, one: _Assert, at: Node, why: str) -> None:
        said = f" It says: {sentence(one.description)}" if one.description else ""
        detail = f"{one.rule} is not checked: {why}.{said}"
        self._problems.add(codes.RULES_IGNORED, at, detail, subject=one.rule)
