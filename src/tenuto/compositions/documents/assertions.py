"""The assertions of a composition that waited for values which only the Conductor can look up."""

from collections.abc import Iterable

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.problems import sentence
from tenuto.core.language.assertions import fold
from tenuto.core.language.resolve import Environment
from tenuto.model.composition import Assertion
from tenuto.model.diagnostic import Diagnostic
from tenuto.model.ids import JsonMap


def failed_assertions(assertions: Iterable[Assertion], lookups: JsonMap) -> tuple[Diagnostic, ...]:
    """One diagnostic for each that does not hold with these values. One that cannot be decided does not hold."""
    known = Environment(references=lookups)
    code = codes.ASSERTION_FAILED
    return tuple(
        Diagnostic(
            severity=code.severity,
            code=code.code,
            summary=code.summary,
            detail=f"{one.rule}: {sentence(one.description or 'An assertion does not hold with the values found')}",
            subject=one.rule,
            hint="Give other values, or change what the parameter store of the account holds.",
            position=one.position,
        )
        for one in assertions
        if fold(one.holds, known) is not True
    )
