"""Messages about values that must be known at compile time and are known only when the process runs."""

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Expression
from tenuto.compositions.diagnostics.problems import Problems, listed
from tenuto.core.language.resolve import Open, open_expressions

_HINTS = {
    "AWS::AccountId": "Give the account with --account, so that it is known now.",
    "AWS::StackName": "Use a parameter instead of AWS::StackName: the name is given when the process runs.",
    "AWS::StackId": "Use a parameter instead of AWS::StackId: the id is given when the process runs.",
}


def report_undecidable(expression: Expression, what: str, problems: Problems) -> None:
    """Report an open expression in a thing that is decided at compile time. `what` names that, such as `A
    condition`."""
    waits = open_expressions(expression.value)
    hints = [_hint(wait, problems.wait_for(wait.name) if wait.kind == "Ref" else "") for wait in waits]
    hint = next(filter(None, hints), "")
    names = listed(_spelled(wait) for wait in waits)
    detail = f"{what} is decided at compile time, and {names} is known only when the process runs."
    problems.add(codes.UNDECIDABLE, expression, detail, hint=hint)


def _hint(wait: Open, key: str) -> str:
    """The way to a value at compile time; `key` is that of a parameter which the provider looks up."""
    if wait.name in _HINTS or wait.kind != "Ref":
        return _HINTS.get(wait.name, "")
    if not key:
        return "Use a parameter of type String for it, and give its value with the command."
    return (
        f"'tenuto run' and 'tenuto plan' ask the Conductor for the value of {key}; to compile without one, give it as "
        f"--looked-up {key}=VALUE."
    )


def _spelled(wait: Open) -> str:
    if wait.attribute:
        return f"{wait.name}.{wait.attribute}"
    return wait.name if wait.kind == "Ref" else f"{wait.kind} {wait.name}"
