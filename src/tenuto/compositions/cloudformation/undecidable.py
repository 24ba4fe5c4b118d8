"""Messages about values that must be known at compile time and are known only when the process runs."""

from tenuto.compositions import codes
from tenuto.compositions.nodes import Expression
from tenuto.compositions.problems import Problems, listed
from tenuto.core.language.resolve import Open, open_expressions

_HINTS = {
    "AWS::AccountId": "Give the account with --account, so that it is known now.",
    "AWS::StackName": "Use a parameter instead of AWS::StackName: the name is given when the process runs.",
    "AWS::StackId": "Use a parameter instead of AWS::StackId: the id is given when the process runs.",
}


def report_undecidable(expression: Expression, what: str, problems: Problems) -> None:
    """Report it; `what` is decided at compile time, such as `A condition`."""
    waits = open_expressions(expression.value)
    hint = next(filter(None, map(_hint, waits)), "")
    names = listed(_spelled(wait) for wait in waits)
    detail = f"{what} is decided at compile time, and {names} is known only when the process runs."
    problems.add(codes.UNDECIDABLE, expression, detail, hint=hint)


def _hint(wait: Open) -> str:
    """The way to a value at compile time. A parameter is open only when the provider looks its value up."""
    if wait.name in _HINTS or wait.kind != "Ref":
        return _HINTS.get(wait.name, "")
    return (
        f"Use a parameter of type String for it, and give its value with the command. If {wait.name} is a parameter, "
        "its type is one of AWS::SSM::Parameter::Value<…>: AWS tells the value only when the process runs."
    )


def _spelled(wait: Open) -> str:
    if wait.attribute:
        return f"{wait.name}.{wait.attribute}"
    return wait.name if wait.kind == "Ref" else f"{wait.kind} {wait.name}"
