"""Names: the meaning of `Ref` and `Fn::GetAtt`, and the errors when they mean nothing."""

from tenuto.compositions.cloudformation.functions.scope import PSEUDO_PARAMETERS, Nested, Scope
from tenuto.compositions.cloudformation.reading import forms
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Broken, Expression, Node, located
from tenuto.compositions.diagnostics.problems import Problems, listed
from tenuto.core.language.resolve import Environment
from tenuto.kit.nearest import did_you_mean
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json

NO_VALUE = "AWS::NoValue"


class References:
    """Resolves names in one environment. A resource in `left_out` is declared, but its condition is false."""

    def __init__(
        self, scope: Scope, environment: Environment, problems: Problems, left_out: frozenset[str] = frozenset()
    ) -> None:
        self._scope = scope
        self._environment = environment
        self._problems = problems
        self._left_out = left_out

    def ref(self, argument: Node, position: Position, live: bool) -> Node | None:
        """Resolve `Ref`, with its argument as it is written."""
        return self.name(forms.text(argument), position, live)

    def name(self, name: str, position: Position, live: bool, *, hint: str = "") -> Node | None:
        """The value of a name; None for `AWS::NoValue`."""
        if name == NO_VALUE:
            return None
        if self._is_nothing(name):
            return None
        if name in self._environment.references:
            return located(self._environment.references[name], position)
        if name in self._scope.resources:
            reference = {"Ref": self._scope.scoped(name)}
            if self._scope.nested is not None and name in self._scope.nested:
                reference = self._scope.nested.reference(name)
            return self._resource(name, reference, position, live)
        if name in PSEUDO_PARAMETERS:
            return Expression(value={"Ref": name}, position=position)
        if name not in self._scope.parameters:
            self._problems.add(
                codes.UNKNOWN_NAME,
                position,
                f"There is no parameter, resource or pseudo parameter named {name}.",
                subject=name,
                hint=did_you_mean(name, self._scope.names) or hint,
                once=name,
            )
        return Broken(position=position)

    def _is_nothing(self, name: str) -> bool:
        """Whether it is a parameter whose value is the text AWS::NoValue: no value at all, as in CloudFormation.

        A condition still compares the text.
        """
        is_folding = self._environment is self._scope.folding
        return is_folding and name in self._scope.parameters and self._environment.references.get(name) == NO_VALUE

    def attribute(self, resource: str, attribute: str, position: Position, live: bool) -> Node:
        """Resolve `Fn::GetAtt`."""
        if resource not in self._scope.resources:
            hint = did_you_mean(resource, self._scope.resources)
            if resource in self._scope.parameters:
                hint = f"{resource} is a parameter: use !Ref {resource}."
            self._problems.add(
                codes.UNKNOWN_RESOURCE,
                position,
                f"There is no resource {resource}.",
                subject=resource,
                hint=hint,
                once=resource,
            )
            return Broken(position=position)
        if self._scope.nested is not None and resource in self._scope.nested:
            return self._output(self._scope.nested, resource, attribute, position, live)
        schema = self._scope.resources[resource]
        if schema is not None and not schema.has_attribute(attribute):
            self._problems.add(
                codes.UNKNOWN_ATTRIBUTE,
                position,
                f"{resource} is of type {schema.name}, which returns {listed(schema.plain_attributes)}.",
                subject=f"{resource}.{attribute}",
                hint=f"`!Ref {resource}` is what names it."
                if attribute.casefold() in ("id", "name")
                else did_you_mean(attribute, schema.attributes | schema.properties),
            )
            return Broken(position=position)
        reference = {"Fn::GetAtt": [self._scope.scoped(resource), attribute]}
        return self._resource(resource, reference, position, live)

    def _output(self, nested: Nested, resource: str, attribute: str, position: Position, live: bool) -> Node:
        """The output of a nested template. One that its condition leaves out is reported like any other resource."""
        kind, _, name = attribute.partition(".")
        if kind != "Outputs" or not name:
            self._problems.add(
                codes.UNKNOWN_ATTRIBUTE,
                position,
                f"{resource} is a nested template, which returns Outputs.NAME.",
                subject=f"{resource}.{attribute}",
                hint=f"Write !GetAtt {resource}.Outputs.{attribute}, with the name of an output of that template.",
            )
            return Broken(position=position)
        whole = self._resource(resource, {"Ref": resource}, position, live)
        if isinstance(whole, Broken) or not live:
            return Broken(position=position)
        return nested.output(resource, name, position)

    def _resource(self, name: str, value: Json, position: Position, live: bool) -> Node:
        if name in self._scope.inert:
            detail = f"The type of {name} makes nothing, so a reference to it has no value."
            hint = "Remove the reference."
            self._problems.add(codes.UNKNOWN_NAME, position, detail, subject=name, hint=hint, once=name)
            return Broken(position=position)
        if live and name in self._left_out:
            self._problems.add(
                codes.LEFT_OUT,
                position,
                f"The condition of {name} is false with these parameters, so there is nothing to refer to.",
                subject=name,
                hint=f"Use !If with the condition of {name}, or give this resource the same condition.",
            )
            return Broken(position=position)
        return Expression(value=value, position=position)
