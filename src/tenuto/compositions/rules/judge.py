"""Holds a composition against rules: one diagnostic for each resource that violates one.

A rule that has no answer (a missing member, a value that is known only after the build, too many steps) counts as
violated, and the diagnostic says so: an undecided resource is not permitted.

The engine is imported where it is asked: who has no rules does without it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.problems import sentence, shortened
from tenuto.compositions.rules.expressions import ExpressionError, Program, read_expression
from tenuto.compositions.rules.meter import STEPS_OF_A_QUESTION, Meter
from tenuto.compositions.validations.kit import Views
from tenuto.core.language.resolve import Environment, resolve
from tenuto.model.composition import Composition, Declaration
from tenuto.model.diagnostic import Diagnostic, Severity
from tenuto.model.ids import JsonMap
from tenuto.model.rule import WHOLE, Rule

STEPS_OF_A_COMPOSITION = 3_000_000
"""All rules on one composition: some seconds (half a minute if all of it is searching with large patterns, beside which
other threads run), and ten times the usual steps for ten thousand resources."""


def judge(
    rules: Iterable[Rule], composition: Composition, *, account: str, lookups: JsonMap | None = None
) -> tuple[Diagnostic, ...]:
    """Every violation, by rule and logical id. `lookups` are the values of looked-up parameters that are known."""
    known = composition
    if lookups:
        environment = Environment(references=lookups)
        known = replace(
            composition,
            resources=tuple(
                replace(one, properties={key: resolve(value, environment) for key, value in one.properties.items()})
                for one in composition.resources
            ),
        )
    court = _Court(known, account)
    return tuple(found for rule in rules for found in court.judge(rule))


class _Court:
    """One composition before all rules. The view for the rules is made when the first one asks for it."""

    def __init__(self, composition: Composition, account: str) -> None:
        self._composition = composition
        self._account = account
        self._views = Views(composition)
        self._left = STEPS_OF_A_COMPOSITION

    def judge(self, rule: Rule) -> Iterator[Diagnostic]:
        try:
            program = read_expression(rule.expression, rule.applies_to)
        except ExpressionError as error:
            # A version of Tenuto before this one accepted the rule.
            yield _diagnostic(rule, None, f"{sentence(rule.message)} It can no longer be read: {error}", broken=True)
            return
        if rule.applies_to == WHOLE:
            yield from self._found(rule, None, program, {})
            return
        for one in self._composition.resources:
            if one.type == rule.applies_to:
                yield from self._found(rule, one, program, self._resource(one))

    def _found(
        self, rule: Rule, about: Declaration | None, program: Program, variables: dict[str, Any]
    ) -> Iterator[Diagnostic]:
        from tenuto.compositions.rules.engine import AskError, ask

        if "composition" in program.names:
            variables["composition"] = self._whole
        meter = Meter(min(STEPS_OF_A_QUESTION, self._left))
        before = meter.left
        try:
            answer = ask(program, variables, meter)
        except AskError as error:
            yield _diagnostic(rule, about, f"{sentence(rule.message)} It could not be evaluated: {error}", broken=True)
            return
        finally:
            self._left -= before - max(0, meter.left)
        if answer is False:
            yield _diagnostic(rule, about, rule.message)
        elif isinstance(answer, list):
            yield from self._named(rule, dict.fromkeys(answer))

    def _named(self, rule: Rule, names: Iterable[str]) -> Iterator[Diagnostic]:
        """One for each resource that is named, and one for all names of no resource: there can be many long ones."""
        yield from (_diagnostic(rule, self._declared[name], rule.message) for name in names if name in self._declared)
        strange = [name for name in names if name not in self._declared]
        if strange:
            shown = shortened(strange[0])
            which = f"{shown} and {len(strange) - 1:,} more, which are" if len(strange) > 1 else f"{shown}, which is"
            what = f"It names {which} no resource{'s' if len(strange) > 1 else ''}"
            yield _diagnostic(rule, None, f"{sentence(rule.message)} {what}", broken=True)

    def _resource(self, one: Declaration) -> dict[str, Any]:
        from tenuto.compositions.rules.values import of_resource

        resource = of_resource(self._views.resource(one))
        return {"resource": resource, "properties": resource["properties"]}

    @cached_property
    def _declared(self) -> dict[str, Declaration]:
        return {one.logical_id: one for one in self._composition.resources}

    @cached_property
    def _whole(self) -> Any:
        from tenuto.compositions.rules.values import of_composition

        return of_composition(self._views.whole(), self._account)


def _diagnostic(rule: Rule, about: Declaration | None, message: str, *, broken: bool = False) -> Diagnostic:
    code = codes.VALIDATION_BROKEN if broken else codes.VALIDATION_VIOLATED
    if rule.severity is Severity.WARNING:
        code = codes.VALIDATION_WARNS
    subject = about.logical_id if about else "The composition"
    return Diagnostic(
        severity=code.severity,
        code=code.code,
        summary=code.summary,
        detail=f"{subject}: {sentence(message)} (validation {rule.name}).",
        subject=f"Resources.{about.logical_id}" if about else "",
        hint=rule.hint or code.hint,
        position=about.position if about else None,
        rule=rule.name,
    )
