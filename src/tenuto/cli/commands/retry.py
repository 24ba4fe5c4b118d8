"""`tenuto retry PROCESS [RESOURCE …]`."""

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session, process_argument, resources_argument, yes_option
from tenuto.cli.processes.asking import ask_about_process
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap


@make_command("retry", "tenuto retry vpc", "tenuto retry vpc Nat")
@process_argument
@resources_argument
@yes_option
@pass_session
def command(session: Session, process: str, resources: tuple[str, ...]) -> None:
    """Clear failed phases and try again.

    Of the named resources, or of all. A resource that is held because another writer sets it back is corrected again.
    A Suspended process stays Suspended, and nothing is tried again before the command that the answer names.
    """
    client = find_conductor(session.settings)
    question = f"Retry the failed phases of {', '.join(resources) or 'all resources'} of process {process}?"
    ask_about_process(session, client, question, process, resources)
    session.emit(client.post("processes", process, "retry", body={"resources": list(resources)}), _render)


def _render(document: JsonMap) -> str:
    cleared = {name: count for name, count in document["cleared"].items() if count}
    if not cleared:
        return f"No failed phase or hold was there to clear.{_next(document)}"
    total = sum(cleared.values())
    plural = "" if total == 1 else "s"
    names = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in cleared.items())
    told = f"Cleared {total} failed phase{plural} or hold{plural}: {names}."
    return f"{told}{_next(document)}"


def _next(document: JsonMap) -> str:
    """The sentence about a process that tries nothing again by itself: its resources keep their states until then."""
    command = document.get("goes_on_with")
    if command is None:
        return ""
    name = document["alias"] or document["fid"]
    return f" The process is Suspended, and its resources stay as they are until 'tenuto {command} {name}' goes on."
