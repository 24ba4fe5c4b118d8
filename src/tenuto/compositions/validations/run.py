"""Asks every validation about a composition; their findings, and their own errors, become diagnostics.

A rule that raises, or says something that is no `Violation`, is an error of its own: its findings about the rest are
unknown.
"""

import linecache
from collections.abc import Iterable, Iterator, Sequence
from traceback import extract_tb
from typing import Any

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.places import Places
from tenuto.compositions.diagnostics.problems import Problems, sentence
from tenuto.compositions.validations.kit import Resource, Validation, Views, Violation
from tenuto.model.composition import Composition
from tenuto.model.diagnostic import Position

_MOST = 1000
"""Violations of one rule. A rule that yields for ever must end; no user reads a thousand and first one."""


def run_validations(
    validations: Sequence[Validation], composition: Composition, places: Places, problems: Problems
) -> None:
    """Report everything that the rules say of the composition."""
    views = Views(composition)
    for rule in validations:
        for resource, arguments in _questions(rule, composition, views):
            _ask(rule, resource, arguments, places, problems)


def _questions(
    rule: Validation, composition: Composition, views: Views
) -> Iterator[tuple[Resource | None, tuple[Any, ...]]]:
    """The arguments of every call of a rule."""
    whole = (views.whole(),) if rule.takes_composition else ()
    if not rule.types:
        yield None, whole
        return
    for one in composition.resources:
        if one.type in rule.types:
            resource = views.resource(one)
            yield resource, (resource, *whole)


def _ask(
    rule: Validation, resource: Resource | None, arguments: tuple[Any, ...], places: Places, problems: Problems
) -> None:
    try:
        answers = rule.function(*arguments)
        for number, answer in enumerate(_each(answers)):
            if number == _MOST:
                raise ValueError(f"it reports more than {_MOST:,} violations")
            _report(rule, resource, _violation(answer), places, problems)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the function of a user may raise anything
        _broken(rule, resource, error, problems)


def _each(answers: Any) -> Iterable[Any]:
    if answers is None:
        return ()
    return [answers] if isinstance(answers, Violation | str) else answers


def _violation(answer: Any) -> Violation:
    violation = Violation(answer) if isinstance(answer, str) else answer
    if not isinstance(violation, Violation):
        raise TypeError(f"it says {answer!r}, which is neither a Violation nor a text")
    if violation.severity not in ("error", "warning"):
        raise ValueError(f"its severity is {violation.severity!r}, and must be 'error' or 'warning'")
    return violation


def _report(
    rule: Validation, resource: Resource | None, violation: Violation, places: Places, problems: Problems
) -> None:
    about = violation.resource or resource
    name = about.logical_id if isinstance(about, Resource) else about or ""
    position = places.find(name, violation.parts)
    if name and position is None:
        raise ValueError(f"it speaks of {name!r}, which is no resource of the composition")
    where = ".".join([name, *map(str, violation.parts)]) if name else "The composition"
    problems.add(
        codes.VALIDATION_VIOLATED if violation.severity == "error" else codes.VALIDATION_WARNS,
        position,
        f"{where}: {sentence(violation.message)} ({_origin(rule)}).",
        subject=".".join(["Resources", name, "Properties", *map(str, violation.parts)]) if name else "",
        hint=violation.hint,
        rule=rule.name,
    )


def _broken(rule: Validation, resource: Resource | None, error: BaseException, problems: Problems) -> None:
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == rule.file]
    line = (lines[-1] if lines else None) or rule.line
    source = linecache.getline(rule.file, line).rstrip("\n")
    column = len(source) - len(source.lstrip()) + 1
    on = f" on {resource.logical_id}" if resource else ""
    problems.add(
        codes.VALIDATION_BROKEN,
        Position(file=rule.file, line=line, column=column, length=max(1, len(source.strip()))),
        f"{_origin(rule)}{on}: {type(error).__name__}: {error}.",
        subject=resource.logical_id if resource else "",
        rule=rule.name,
        source_line=source,
    )


def _origin(rule: Validation) -> str:
    return f"{rule.name}, {rule.file}:{rule.line}"
