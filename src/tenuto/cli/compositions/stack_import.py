"""`tenuto import --stack`: from a running CloudFormation stack to files, and from an adopted stack to none."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tenuto.cli.client.client import Client
from tenuto.cli.compositions import stack_texts as texts
from tenuto.cli.compositions.compiling import show_diagnostics
from tenuto.cli.terminal.exits import ApiProblem, CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import filled
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.model.diagnostic import Diagnostic
from tenuto.model.ids import JsonMap
from tenuto.ports.clock import Clock

_POLL_S = 2.0
_PATIENCE_S = 1800.0
"""CloudFormation takes seconds for a few resources, and minutes for hundreds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPlace:
    """The stack that is meant, by name or id, and where it is."""

    name: str
    account: str | None
    region: str

    @property
    def body(self) -> JsonMap:
        body = {"stack": self.name, "account": self.account, "region": self.region}
        return {name: value for name, value in body.items() if value is not None}


def write_stack(session: Session, client: Client, place: StackPlace, folder: Path) -> None:
    """Read a stack and write its template, parameters and report. Raises CommandEnd when it cannot be imported."""
    found = _described(session, client, place)
    report = folder / texts.REPORT
    if texts.obstacles(found):
        folder.mkdir(parents=True, exist_ok=True)
        report.write_text(texts.refusal_report(found, folder), encoding="utf-8")
        raise _refused(found, report)
    template = folder / texts.template_name(found)
    files = {
        template: found["template"],
        folder / texts.PARAMETERS: texts.parameters_text(found),
        report: texts.report(found, template),
    }
    old = [str(one) for one in files if one.exists()]
    if old:
        session.confirm(f"Overwrite {', '.join(old)}?")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    session.emit(
        {"stack": found["stack"], "files": [str(one) for one in files], "resources": found["resources"]},
        lambda _: texts.next_steps(found, template),
    )


def let_go(
    session: Session, client: Client, clock: Clock, place: StackPlace, *, keeps_exports: bool, role: str | None
) -> None:
    """Mark every resource as retained, then delete the stack, or make a shell of it; and look at every id afresh. A
    stack that is a shell already is kept as it is, or deleted."""
    found = _described(session, client, place)
    by_id = {**place.body, "stack": found["stack_id"]}
    delete = partial(client.post, "stacks", "delete", body={**by_id, "role": role} if role else by_id)
    empty = partial(client.post, "stacks", "empty", body=by_id)
    if found["shell"]:
        _end_shell(session, clock, found, empty if keeps_exports else delete, keeps_exports=keeps_exports)
        return
    session.say(texts.standing(found))
    if found["not_retained"]:
        session.confirm(
            f"Mark {texts.resources_text(len(found['not_retained']))} of the stack {found['stack']} as retained, by a "
            "change set that is executed only when it does nothing else?"
        )
        _step_on(session, clock, lambda: client.post("stacks", "retain", body=by_id))
        session.say(f"Every resource of the stack {found['stack']} is retained now.")
    if keeps_exports:
        session.confirm_by_name(
            f"Take every resource out of the stack {found['stack']}, and leave a shell with its exports?",
            found["stack"],
        )
        _step_on(session, clock, empty)
    else:
        stay = len(found["resources"])
        session.confirm_by_name(
            f"Delete the stack {found['stack']}? Its {texts.resources_text(stay)} {'stays' if stay == 1 else 'stay'}; "
            "the stack itself cannot be restored.",
            found["stack"],
        )
        _step_on(session, clock, delete)
    _tell_end(session, client, place, found, "is a shell with its exports" if keeps_exports else "is gone")


def _described(session: Session, client: Client, place: StackPlace) -> JsonMap:
    """The stack as the Conductor reads it. The diagnostics of a template that does not compile are told as those of a
    file are."""
    from tenuto.kit.documents import from_document

    try:
        return client.post("stacks", "describe", body=place.body)
    except ApiProblem as problem:
        if not session.is_json:
            found = problem.document.get("diagnostics") or ()
            show_diagnostics(session, [from_document(Diagnostic, one) for one in found])
        raise


def _refused(found: JsonMap, report: Path) -> CommandEnd:
    lines = [f"  {one}" for one in texts.obstacles(found)]
    said = [f"The stack {found['stack']} cannot be imported as it is:", *lines, f"{report} has the list."]
    problems = [one for one in found["resources"] if one["problem"]]
    message = found["problem"] or "\n".join(said)
    return CommandEnd(Exit.COMPILE, message, {"code": "import", "resources": problems})


def _end_shell(
    session: Session, clock: Clock, found: JsonMap, step: Callable[[], JsonMap], *, keeps_exports: bool
) -> None:
    """End with a stack that was emptied before. Its process cannot be told from it: it has no resources any more."""
    if not keeps_exports:
        session.confirm_by_name(
            f"Delete the stack {found['stack']}? It is a shell that holds nothing but its exports; it cannot be "
            "restored.",
            found["stack"],
        )
    _step_on(session, clock, step)
    end = "is a shell with its exports already" if keeps_exports else "is gone"
    more = "nothing was done" if keeps_exports else "no resource was in it"
    told = f"The stack {found['stack']} {end}; {more}. 'tenuto status' lists the processes that hold resources."
    document = {"stack": found["stack"], "end": end, "held_by": [], "resources": []}
    session.emit(document, lambda _: filled(told, terminal_width()))


def _tell_end(session: Session, client: Client, place: StackPlace, found: JsonMap, end: str) -> None:
    """Tell how the stack has ended, after a fresh look at everything that was in it."""
    holders = sorted({one["held_by"] for one in found["resources"]})
    things = [f"{one['type']} {one['id']}" for one in found["resources"]]
    where = {name: value for name, value in place.body.items() if name != "stack"}
    missing = client.post("things", "check", body={**where, "resources": things})["missing"]
    if missing:
        raise CommandEnd(
            Exit.FAILED,
            f"The stack {found['stack']} {end}, and a fresh sweep does not show {', '.join(missing)}. "
            f"'tenuto explain {holders[0]}' tells more; with enforcement on, Tenuto makes them again.",
        )
    all_stand = "Its 1 resource stands" if len(things) == 1 else f"All {len(things)} resources stand"
    told = (
        f"The stack {found['stack']} {end}. {all_stand}, and {', '.join(holders)} "
        f"{'holds' if len(holders) == 1 else 'hold'} {'it' if len(things) == 1 else 'them'}. "
        f"'tenuto property {holders[0]} enforcement --set on' corrects drift from now on."
    )
    document = {"stack": found["stack"], "end": end, "held_by": holders, "resources": things}
    session.emit(document, lambda _: filled(told, terminal_width()))


def _step_on(session: Session, clock: Clock, step: Callable[[], JsonMap]) -> None:
    """Take a step again and again until it is done. Raises CommandEnd when that takes too long."""
    deadline = clock.now() + _PATIENCE_S
    told = ""
    while not (answer := step())["done"]:
        if answer["waits_for"] != told:
            told = answer["waits_for"]
            session.say(f"CloudFormation: {told}.")
        if clock.now() > deadline:
            raise CommandEnd(Exit.UNREACHABLE, f"Timed out: {told}. Give the same command again to go on.")
        clock.sleep(_POLL_S)
