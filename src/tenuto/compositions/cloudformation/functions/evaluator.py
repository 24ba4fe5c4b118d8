"""Folding: a tree with functions in, a tree with values and residual expressions out.

Theory of operation. Every part of the template is evaluated, also the parts that the conditions leave out: a wrong name
is wrong in every branch. A part that is left out is evaluated with `live` false: its forms and names are checked, but
nothing is computed from it, since a value that is never used cannot be wrong. Values are computed by
`core.language.resolve`, the same code that the Conductor runs, so that a value means the same at both times.
"""

from collections.abc import Callable
from dataclasses import replace

from tenuto.compositions.cloudformation.functions import stack_id
from tenuto.compositions.cloudformation.functions.conditions import Conditions
from tenuto.compositions.cloudformation.functions.json_text import json_text
from tenuto.compositions.cloudformation.functions.mappings import find_in_map
from tenuto.compositions.cloudformation.functions.references import References
from tenuto.compositions.cloudformation.functions.scope import Scope
from tenuto.compositions.cloudformation.functions.substitution import Substitution
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
    describe,
    is_broken,
    located,
    to_json,
)
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.core.language.resolve import Environment, ResolveError, evaluate
from tenuto.kit.nearest import did_you_mean
from tenuto.model.diagnostic import Position

_Handler = Callable[[Node, Position, bool], Node | None]


class Evaluator:
    """Evaluates in one environment. `conditions` answers `Fn::If`; without it, there can be none."""

    def __init__(
        self,
        scope: Scope,
        environment: Environment,
        problems: Problems,
        *,
        conditions: Conditions | None = None,
        left_out: frozenset[str] = frozenset(),
    ) -> None:
        self._scope = scope
        self._environment = environment
        self._problems = problems
        self._conditions = conditions
        self._references = References(scope, environment, problems, left_out)
        self._substitution = Substitution(self._references, self.evaluate, problems)
        self._handlers: dict[str, _Handler] = {
            "Ref": self._references.ref,
            "Fn::GetAtt": self._get_att,
            "Fn::Sub": self._substitution.substitute,
            "Fn::If": self._if,
            "Fn::FindInMap": self._find_in_map,
            "Fn::Length": self._length,
            "Fn::ToJsonString": self._to_json_string,
        }

    def evaluate(self, node: Node, live: bool = True) -> Node | None:
        """The node with its functions folded; None for `!Ref AWS::NoValue`."""
        if isinstance(node, Scalar):
            if node.value is None:
                self._problems.add(codes.NULL_VALUE, node, "There is nothing after the key, or null.")
                return Broken(position=node.position)
            return node
        if isinstance(node, Items):
            members = [self.evaluate(item, live) for item in node.items]
            return Items(items=tuple(member for member in members if member is not None), position=node.position)
        if isinstance(node, Fields):
            return self._fields(node, live)
        return node

    def _fields(self, node: Fields, live: bool) -> Node | None:
        call = forms.call_of(node)
        if call is not None:
            return self._call(call[0], call[1], node.entries[0].key.position, live)
        function = next((entry for entry in node.entries if entry.name.startswith("Fn::")), None)
        if function is not None and function.name == "Fn::Transform":
            # A macro is the one function that may stand beside other keys: it writes more of them.
            return self._call(function.name, function.value, function.key.position, live)
        if function is not None:
            names = ", ".join(name for name in node.names if name != function.name)
            detail = f"{function.name} stands in one mapping with {names}."
            self._problems.add(codes.FUNCTION_WITH_SIBLINGS, function.key, detail)
            return Broken(position=node.position)
        pairs = [(entry, self.evaluate(entry.value, live)) for entry in node.entries]
        entries = tuple(Entry(key=entry.key, value=value) for entry, value in pairs if value is not None)
        return Fields(entries=stack_id.in_statement(entries, self._environment.references), position=node.position)

    def _call(self, name: str, argument: Node, position: Position, live: bool) -> Node | None:
        broken = Broken(position=position)
        if isinstance(argument, Broken):
            return broken
        if name in forms.CONDITION_FUNCTIONS:
            detail = f"{name} gives true or false, and works only in the Conditions section."
            self._problems.add(codes.FUNCTION_OUT_OF_PLACE, position, detail)
            return broken
        if name in forms.RULE_FUNCTIONS:
            detail = f"{name} works only in the Rules section."
            hint = "Move the check into a rule, or compare with Fn::Equals and Fn::Or under Conditions."
            self._problems.add(codes.FUNCTION_OUT_OF_PLACE, position, detail, hint=hint)
            return broken
        if name in forms.UNSUPPORTED or name.startswith("Fn::ForEach"):
            hint = forms.UNSUPPORTED.get(name, "")
            detail = forms.transform_told(argument) if name == "Fn::Transform" else f"Tenuto has no {name}."
            self._problems.add(codes.FUNCTION_NOT_SUPPORTED, position, detail, hint=hint)
            return broken
        if name not in forms.FORMS:
            hint = did_you_mean(name, forms.FORMS)
            self._problems.add(codes.UNKNOWN_FUNCTION, position, f"There is no function {name}.", hint=hint)
            return broken
        if self._scope.has_language_extensions:
            argument = self._decided_names(name, argument, live)
            if is_broken(argument):
                return broken
        elif name in forms.LANGUAGE_EXTENSIONS:
            detail = f"{name} is one of the language extensions, and the template does not ask for them."
            hint = "Add the line `Transform: AWS::LanguageExtensions`."
            self._problems.add(codes.FUNCTION_NOT_SUPPORTED, position, detail, hint=hint)
            return broken
        if name == "Fn::GetAZs" and isinstance(argument, Scalar) and argument.value is None:
            # A formatter of templates writes null where the text was empty, and such templates are published.
            detail = "Fn::GetAZs has null where an empty text means the region. CloudFormation refuses null."
            self._problems.add(codes.NULL_FOR_REGION, position, detail)
            argument = replace(argument, value="", text="")
        if not forms.is_well_formed(name, argument):
            detail = f"{name} is written {forms.FORMS[name]}."
            self._problems.add(codes.WRONG_ARGUMENTS, position, detail, subject=name)
            return broken
        handler = self._handlers.get(name)
        if handler is not None:
            return handler(argument, position, live)
        return self._compute(name, argument, position, live)

    def _compute(self, name: str, argument: Node, position: Position, live: bool) -> Node:
        value = self.evaluate(argument, live)
        if value is None or not live or is_broken(value):
            return Broken(position=position)
        plain = to_json(value)
        if name == "Fn::Split":
            plain = stack_id.with_parts(plain, self._environment.references)
        try:
            return located(evaluate(name, plain, self._environment), position)
        except ResolveError as error:
            self._problems.add(codes.NO_POSSIBLE_VALUE, position, f"{error}.", subject=name)
            return Broken(position=position)

    def _get_att(self, argument: Node, position: Position, live: bool) -> Node:
        if isinstance(argument, Items):
            members = [self.evaluate(item, live) for item in argument.items]
            still_open = [member for member in members if isinstance(member, Expression)]
            if still_open:
                report_undecidable(still_open[0], "The name of an attribute", self._problems)
                return Broken(position=position)
            if not all(isinstance(member, Scalar) for member in members):
                return Broken(position=position)
            resource, *rest = [member.text for member in members if isinstance(member, Scalar)]
            return self._references.attribute(resource, ".".join(rest), position, live)
        resource, _, attribute = forms.text(argument).partition(".")
        return self._references.attribute(resource, attribute, position, live)

    def _if(self, argument: Node, position: Position, live: bool) -> Node | None:
        name, then, otherwise = forms.items(argument)
        if self._conditions is None:
            detail = "Fn::If cannot be part of a condition."
            self._problems.add(codes.FUNCTION_OUT_OF_PLACE, position, detail, hint="Use Fn::And, Fn::Or and Fn::Not.")
            return Broken(position=position)
        is_known = self._conditions.knows(name)
        holds = self._conditions.value(forms.text(name)) if live and is_known else None
        chosen = self.evaluate(then, live and holds is True)
        other = self.evaluate(otherwise, live and holds is False)
        if holds is None:
            return Broken(position=position)
        return chosen if holds else other

    def _deciding(self) -> "Evaluator":
        """The evaluator of values that must be known now. It knows more than may be written into the composition."""
        return Evaluator(self._scope, self._scope.deciding, self._problems, conditions=self._conditions)

    def _decided_names(self, name: str, argument: Node, live: bool) -> Node:
        """The argument of `Ref` or `Fn::GetAtt` with names for the functions that the language extensions allow."""
        if name == "Ref" and isinstance(argument, Fields):
            return self._decided_name(argument, live)
        if name == "Fn::GetAtt" and isinstance(argument, Items) and argument.items:
            first, *rest = argument.items
            decided = self._decided_name(first, live) if isinstance(first, Fields) else first
            return Items(items=(decided, *rest), position=argument.position)
        return argument

    def _decided_name(self, node: Node, live: bool) -> Node:
        found = self._deciding().evaluate(node, live)
        if isinstance(found, Expression):
            report_undecidable(found, "The name in a reference", self._problems)
        return found if isinstance(found, Scalar) else Broken(position=node.position)

    def _length(self, argument: Node, position: Position, live: bool) -> Node:
        found = self._deciding().evaluate(argument, live)
        if found is None or not live or is_broken(found):
            return Broken(position=position)
        if isinstance(found, Items):
            return located(len(found.items), position)
        if isinstance(found, Expression):
            report_undecidable(found, "A length", self._problems)
        else:
            detail = f"Fn::Length counts the items of a list, and this is {describe(found)}."
            self._problems.add(codes.WRONG_ARGUMENTS, position, detail, subject="Fn::Length")
        return Broken(position=position)

    def _to_json_string(self, argument: Node, position: Position, live: bool) -> Node:
        value = self.evaluate(argument, live)
        if value is None or not live or is_broken(value):
            return Broken(position=position)
        if isinstance(value, Scalar):
            detail = f"Fn::ToJsonString takes a mapping or a list, and this is {describe(value)}."
            self._problems.add(codes.WRONG_ARGUMENTS, position, detail, subject="Fn::ToJsonString")
            return Broken(position=position)
        try:
            return located(json_text(value), position)
        except ResolveError as error:
            self._problems.add(codes.NO_POSSIBLE_VALUE, position, f"{error}.", subject="Fn::ToJsonString")
            return Broken(position=position)

    def _find_in_map(self, argument: Node, position: Position, live: bool) -> Node | None:
        members = forms.items(argument)
        deciding = self._deciding()
        keys = [deciding.evaluate(item, live) for item in members[:3]]
        default = self._default(members[3], live) if len(members) == 4 else None
        if any(key is None or is_broken(key) for key in keys):
            return Broken(position=position)
        return find_in_map(
            self._scope.mappings,
            [key for key in keys if key],
            position,
            self._problems,
            live=live,
            default=default,
            has_default=len(members) == 4,
        )

    def _default(self, node: Node, live: bool) -> Node | None:
        if isinstance(node, Fields) and node.names == ("DefaultValue",):
            return self.evaluate(node.entries[0].value, live)
        detail = "The fourth argument of Fn::FindInMap is written {DefaultValue: VALUE}."
        self._problems.add(codes.WRONG_ARGUMENTS, node, detail)
        return Broken(position=node.position)
