"""The rules that hold, asked about one composition."""

from collections.abc import Iterable
from dataclasses import dataclass

from tenuto.compositions.rules.judge import judge
from tenuto.errors import ViolationError
from tenuto.model.composition import Composition
from tenuto.model.diagnostic import Diagnostic, Severity
from tenuto.model.ids import JsonMap
from tenuto.model.rule import fingerprint
from tenuto.ports.administration_reads import RuleReads

_TOLD = 20
"""Violations in a message; the diagnostics hold all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The answer of rules to a composition, and which rules they were: a commit expects them to be the same still."""

    rules: str
    diagnostics: tuple[Diagnostic, ...]


class RuleBook:
    """Reads the rules anew for every question."""

    def __init__(self, store: RuleReads) -> None:
        self._store = store

    def judge(self, composition: Composition, *, account: str, lookups: JsonMap) -> Judgement:
        """Every violation, warnings included."""
        rules = [stored.rule for stored in self._store.rules()]
        return Judgement(
            rules=fingerprint(rules), diagnostics=judge(rules, composition, account=account, lookups=lookups)
        )

    def check(self, composition: Composition, *, account: str, lookups: JsonMap) -> str:
        """The fingerprint of the rules. Raises ViolationError when one of them is violated."""
        judgement = self.judge(composition, account=account, lookups=lookups)
        found = errors_of(judgement.diagnostics)
        if found:
            raise ViolationError(
                f"The composition violates a validation of this Conductor, and nothing was changed:"
                f"{told(found)}\n'tenuto validation list' shows the rules.",
                found,
            )
        return judgement.rules


def errors_of(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that stop a command."""
    return tuple(one for one in diagnostics if one.severity is Severity.ERROR)


def told(diagnostics: tuple[Diagnostic, ...]) -> str:
    """A line of text for each of the first problems, with file and line, and the count of the rest."""
    lines = [f"\n  {_place(one)}{one.detail}" for one in diagnostics[:_TOLD]]
    rest = len(diagnostics) - _TOLD
    return "".join(lines) + (f"\n  and {rest} more" if rest > 0 else "")


def _place(one: Diagnostic) -> str:
    return f"{one.position.file}:{one.position.line}: " if one.position else ""
