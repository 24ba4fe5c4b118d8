"""The Outputs section."""

from tenuto.compositions.cloudformation.functions.conditions import Conditions
from tenuto.compositions.cloudformation.functions.evaluator import Evaluator
from tenuto.compositions.cloudformation.reading import forms, shape
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import (
    Broken,
    Entry,
    Fields,
    Items,
    Node,
    Scalar,
    describe,
    is_broken,
    to_json,
)
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.kit.nearest import did_you_mean
from tenuto.model.composition import Output
from tenuto.model.ids import Json

_KEYS = ("Value", "Description", "Condition", "Export")


def compile_outputs(
    section: Fields | None, conditions: Conditions, evaluator: Evaluator, problems: Problems
) -> tuple[Output, ...]:
    """The outputs whose conditions hold, by name."""
    found: list[Output] = []
    exports: dict[str, int] = {}
    for entry in section.entries if section else ():
        fields = _fields(entry, problems)
        if fields is None:
            continue
        fields = shape.known_fields(fields, _KEYS, problems, codes.UNKNOWN_OUTPUT_KEY, "An output")
        output = _output(entry, fields, _holds(fields, conditions), evaluator, problems)
        if output is None:
            continue
        _check_export(entry, fields, output, exports, problems)
        found.append(output)
    return tuple(sorted(found, key=lambda output: output.name))


def _fields(entry: Entry, problems: Problems) -> Fields | None:
    """The mapping of an output. A value in its place is one mistake, and not one for each key that is missing."""
    node = entry.value
    call = forms.call_of(node)
    if call is not None or (isinstance(node, Scalar) and node.value is not None):
        detail = f"The value of {entry.name} must stand below Value."
        value = f"!{call[0].removeprefix('Fn::')} {forms.text(call[1]) or '…'}" if call else "…"
        hint = f"Write `{entry.name}: {{Value: {value}}}`."
        problems.add(codes.OUTPUT_WITHOUT_VALUE, node, detail, subject=entry.name, hint=hint)
        return None
    return shape.fields(node, problems, f"Output {entry.name}")


def _holds(fields: Fields, conditions: Conditions) -> bool:
    node = fields.get("Condition")
    if node is None:
        return True
    return conditions.knows(node) and conditions.value(to_json(node)) is True


def _output(entry: Entry, fields: Fields, live: bool, evaluator: Evaluator, problems: Problems) -> Output | None:
    node = fields.get("Value")
    if node is None:
        problems.add(codes.OUTPUT_WITHOUT_VALUE, entry.key, f"{entry.name} has no Value.", subject=entry.name)
        return None
    value = evaluator.evaluate(node, live)
    description = fields.get("Description")
    words = shape.text(description, problems, "The description of an output") if description else None
    export = _export(fields, live, evaluator, problems)
    if not live or value is None:
        return None
    if isinstance(value, Items | Fields) and not is_broken(value):
        detail = f"{entry.name} is {describe(value)}, and an output must be text."
        problems.add(codes.OUTPUT_NOT_TEXT, value, detail, subject=entry.name, hint=_meant_function(value))
    return Output(name=entry.name, value=to_json(value), description=words or "", export=export)


def _meant_function(value: Node) -> str:
    """The function that was meant by a mapping with one key; empty for the usual hint."""
    if not isinstance(value, Fields):
        return ""
    names = sorted(value.names)
    return did_you_mean(names[0], forms.FORMS) if len(names) == 1 else ""


def _export(fields: Fields, live: bool, evaluator: Evaluator, problems: Problems) -> Json:
    node = fields.get("Export")
    export = shape.fields(node, problems, "Export") if node else None
    if export is None:
        return None
    export = shape.known_fields(export, ("Name",), problems, codes.UNKNOWN_OUTPUT_KEY, "An export")
    name = export.get("Name")
    if name is None:
        problems.add(codes.OUTPUT_WITHOUT_VALUE, export, "The export has no Name.", hint="Add a Name below Export.")
        return None
    value = evaluator.evaluate(name, live)
    if isinstance(value, Items | Fields):
        problems.add(codes.OUTPUT_NOT_TEXT, value, f"The name of an export must be text, and is {describe(value)}.")
    return None if value is None or isinstance(value, Broken) else to_json(value)


def _check_export(entry: Entry, fields: Fields, output: Output, exports: dict[str, int], problems: Problems) -> None:
    if not isinstance(output.export, str):
        return
    before = exports.setdefault(output.export, entry.key.position.line)
    if before != entry.key.position.line:
        node = fields.get("Export") or entry.key
        detail = f"{output.export} is exported already by the output on line {before}."
        problems.add(codes.DUPLICATE_EXPORT, node, detail, subject=entry.name)
