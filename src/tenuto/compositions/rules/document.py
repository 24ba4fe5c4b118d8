"""Rule documents: the written form of a rule, and all possible errors in one.

The client reads a YAML or JSON file and points at the errors in it; the Conductor reads the same document once more and
believes nothing. Both ask the one list of checks below.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tenuto.compositions.cloudformation.reading.reader import read
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Node, to_json
from tenuto.compositions.diagnostics.problems import Problems, is_storable
from tenuto.compositions.rules.expressions import LONGEST_EXPRESSION, ExpressionError, read_expression
from tenuto.errors import CompileError
from tenuto.kit.nearest import did_you_mean, nearest
from tenuto.model.diagnostic import Position, Severity
from tenuto.model.ids import Json, JsonMap
from tenuto.model.rule import WHOLE, Rule

LONGEST: Final = {
    "name": 63,
    "applies_to": 255,
    "expression": LONGEST_EXPRESSION,
    "message": 1000,
    "description": 2000,
    "hint": 1000,
}
"""Characters."""
REQUIRED: Final = ("name", "applies_to", "expression", "message")
KEYS: Final = (*REQUIRED, "severity", "description", "hint")
NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_TYPE = re.compile(r"[A-Za-z0-9]+(?:::[A-Za-z0-9]+)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    """One thing that is wrong with a document. `line` and `column` are places in the expression."""

    key: str
    detail: str
    hint: str = ""
    line: int = 0
    column: int = 0


def read_rule(text: str, file: str) -> Rule:
    """The rule of a file's text. Raises CompileError with a diagnostic for everything that is wrong with it."""
    problems = Problems(file, text.removeprefix("\ufeff"))
    root = read(text.removeprefix("\ufeff"), problems)
    if root is None or problems.has_errors:
        raise CompileError(f"{file} is no rule", problems.diagnostics())
    document = to_json(root)
    for fault in _faults(document):
        _report(problems, fault, _place(root, fault))
    if problems.has_errors:
        raise CompileError(f"{file} is no rule that can be used", problems.diagnostics())
    return _rule(document)


def rule_of(document: Json) -> Rule:
    """The rule of a document. Raises CompileError as `read_rule`, without places."""
    problems = Problems("rule", "")
    for fault in _faults(document):
        _report(problems, fault, None)
    if problems.has_errors:
        details = " ".join(one.detail for one in problems.diagnostics())
        raise CompileError(f"The rule cannot be used. {details}", problems.diagnostics())
    return _rule(document)


def rule_document(rule: Rule) -> JsonMap:
    """The document of a rule."""
    return {
        "name": rule.name,
        "description": rule.description,
        "applies_to": rule.applies_to,
        "expression": rule.expression,
        "message": rule.message,
        "hint": rule.hint,
        "severity": rule.severity.value,
    }


def _rule(document: JsonMap) -> Rule:
    return Rule(
        name=document["name"],
        applies_to=document["applies_to"],
        expression=document["expression"].strip(),
        message=document["message"].strip(),
        severity=Severity(document.get("severity") or Severity.ERROR),
        description=(document.get("description") or "").strip(),
        hint=(document.get("hint") or "").strip(),
    )


def _faults(document: Json) -> Iterator[_Fault]:
    if not isinstance(document, Mapping):
        yield _Fault(key="", detail="A rule is a mapping with name, applies_to, expression and message.")
        return
    # A key that was misspelled goes by the name it meant, so that one slip is one mistake.
    meant = {key: nearest(str(key), KEYS) for key in document if key not in KEYS}
    for key, guess in meant.items():
        hint = f"Did you mean {guess}?" if guess else ""
        yield _Fault(key=str(key), detail=f"A rule has no {key}; it has {', '.join(KEYS)}.", hint=hint)
    document = {meant.get(key) or key: value for key, value in document.items() if meant.get(key) not in document}
    yield from (_Fault(key="", detail=f"The rule has no {key}.") for key in REQUIRED if _is_empty(document.get(key)))
    texts = {key: value for key, value in document.items() if key in KEYS and not _is_empty(value)}
    wrong = [key for key, value in texts.items() if not _is_good_text(value, LONGEST.get(key, 10))]
    for key in wrong:
        yield _Fault(key=key, detail=f"{key} must be a text of at most {LONGEST.get(key, 10):,} characters.")
    yield from _contents({key: value for key, value in texts.items() if key not in wrong})


def _is_empty(value: Json) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _is_good_text(value: Json, longest: int) -> bool:
    return isinstance(value, str) and len(value) <= longest and is_storable(value)


def _contents(texts: Mapping[str, str]) -> Iterator[_Fault]:
    name, target = texts.get("name", "x"), texts.get("applies_to", WHOLE)
    if not NAME.fullmatch(name):
        yield _Fault(key="name", detail=f"The name {name!r} must be of small letters, digits and dashes.")
    if texts.get("severity", Severity.ERROR) not in frozenset(Severity):
        yield _Fault(key="severity", detail=f"severity is error or warning, not {texts['severity']!r}.")
    if target != WHOLE and not _TYPE.fullmatch(target):
        detail = f"applies_to is a resource type such as AWS::EC2::VPC, or {WHOLE}; it is {target!r}."
        yield _Fault(key="applies_to", detail=detail, hint=did_you_mean(target, [WHOLE]))
        return
    try:
        read_expression(texts.get("expression", "true"), target)
    except ExpressionError as error:
        where = f"In line {error.line}, column {error.column}: {error}."
        yield _Fault(key="expression", detail=where, line=error.line, column=error.column)


def _place(root: Node, fault: _Fault) -> Position:
    entry = root.entry(fault.key) if isinstance(root, Fields) and fault.key else None
    if entry is None:
        return Position(file=root.position.file, line=1, column=1)
    is_known = fault.key in KEYS
    return entry.value.position if is_known else entry.key.position


def _report(problems: Problems, fault: _Fault, position: Position | None) -> None:
    code = codes.BAD_EXPRESSION if fault.key == "expression" and fault.line else codes.BAD_RULE
    problems.add(code, position, fault.detail, subject=fault.key, hint=fault.hint)
