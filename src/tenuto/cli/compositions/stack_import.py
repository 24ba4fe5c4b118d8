"""`tenuto import --stack`: from a running CloudFormation stack to files, and from an adopted stack to none."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tenuto.cli.client.client import Client
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import filled, table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.kit.visible import visible
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
    found = client.post("stacks", "describe", body=place.body)
    problems = [one for one in found["resources"] if one["problem"]]
    template = folder / f"template.{found['format']}"
    files = {template: found["template"], folder / "parameters.yaml": _parameters(found)}
    report = folder / "report.md"
    if not problems:
        old = [str(one) for one in (*files, report) if one.exists()]
        if old:
            session.confirm(f"Overwrite {', '.join(old)}?")
    folder.mkdir(parents=True, exist_ok=True)
    report.write_text(_report(found, template), encoding="utf-8")
    if problems:
        lines = [f"  {one['logical_id']} ({one['type']}): {one['problem']}" for one in problems]
        raise CommandEnd(
            Exit.COMPILE,
            "\n".join([f"The stack {found['stack']} cannot be imported as it is:", *lines, f"{report} has the list."]),
            {"code": "import", "resources": problems},
        )
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    session.emit(
        {"stack": found["stack"], "files": [str(one) for one in (*files, report)], "resources": found["resources"]},
        lambda _: _next_steps(found, template),
    )


def let_go(
    session: Session, client: Client, clock: Clock, place: StackPlace, *, keeps_exports: bool, role: str | None
) -> None:
    """Mark every resource as retained, then delete the stack, or make a shell of it; and look at every id afresh."""
    found = client.post("stacks", "describe", body=place.body)
    by_id = {**place.body, "stack": found["stack_id"]}
    holders = sorted({one["held_by"] for one in found["resources"] if one["held_by"]})
    session.say(_standing(found))
    if found["not_retained"]:
        session.confirm(
            f"Mark the {len(found['not_retained'])} resources of the stack {found['stack']} as retained, by a change "
            "set that is executed only when it does nothing else?"
        )
        _step_on(session, clock, lambda: client.post("stacks", "retain", body=by_id))
        session.say(f"Every resource of the stack {found['stack']} is retained now.")
    if keeps_exports:
        session.confirm_by_name(
            f"Take every resource out of the stack {found['stack']}, and leave a shell with its exports?",
            found["stack"],
        )
        _step_on(session, clock, lambda: client.post("stacks", "empty", body=by_id))
        end = "is a shell with its exports"
    else:
        session.confirm_by_name(
            f"Delete the stack {found['stack']}? Its {len(found['resources'])} resources stay; the stack itself cannot "
            "be restored.",
            found["stack"],
        )
        body = {**by_id, "role": role} if role else by_id
        _step_on(session, clock, lambda: client.post("stacks", "delete", body=body))
        end = "is gone"
    things = [f"{one['type']} {one['id']}" for one in found["resources"]]
    where = {name: value for name, value in place.body.items() if name != "stack"}
    missing = client.post("things", "check", body={**where, "resources": things})["missing"]
    if missing:
        raise CommandEnd(
            Exit.FAILED,
            f"The stack {found['stack']} {end}, and a fresh sweep does not show {', '.join(missing)}. "
            f"'tenuto explain {holders[0]}' tells more; with enforcement on, Tenuto makes them again.",
        )
    told = (
        f"The stack {found['stack']} {end}. All {len(things)} resources stand, and {', '.join(holders)} holds them. "
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


def _standing(found: JsonMap) -> str:
    rows = [(one["logical_id"], one["type"], one["id"] or "", one["held_by"] or "(none)") for one in found["resources"]]
    return table(("Resource", "Type", "Id", "Held by"), rows)


def _parameters(found: JsonMap) -> str:
    lines = [f"# The parameters of the stack {visible(found['stack'])}."]
    lines += [f"# {name}: CloudFormation does not tell it; give it as --parameter {name}=…" for name in found["hidden"]]
    lines += [f"{name}: {_quoted(value)}" for name, value in sorted(found["parameters"].items())]
    return "\n".join(lines) + "\n"


def _quoted(value: str) -> str:
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def _command(found: JsonMap, template: Path) -> str:
    secrets = "".join(f" --parameter {name}=…" for name in found["hidden"])
    parameters = f" --parameters {template.with_name('parameters.yaml')}" if found["parameters"] else ""
    account = f" --account {found['account']}" if found["account"] != "default" else ""
    return (
        f"tenuto run {template} -a {found['stack']}{account} --region {found['region']}{parameters}{secrets} "
        "--import --only-adopt --enforcement off --wait"
    )


def _next_steps(found: JsonMap, template: Path) -> str:
    wrote = (
        f"Wrote {template} with {len(found['resources'])} resources of the stack {found['stack']}, and beside it "
        "parameters.yaml and report.md. Next, adopt them; nothing else is done:"
    )
    # The command stays on its line, whatever its length: it is copied.
    return f"{filled(wrote, terminal_width())}\n  {_command(found, template)}"


def _report(found: JsonMap, template: Path) -> str:
    lines = [
        f"# The stack {visible(found['stack'])}",
        "",
        f"Account {found['account']}, region {found['region']}, {found['status']}. Read, and not changed.",
        "",
        "| resource | type | id | |",
        "|---|---|---|---|",
        *(
            f"| {one['logical_id']} | {one['type']} | {one['id'] or ''} | {one['problem'] or ''} |"
            for one in found["resources"]
        ),
        "",
    ]
    for one in found["exports"]:
        users = ", ".join(one["importers"])
        lines.append(f"* It exports `{one['name']}`{f', which {users} imports' if users else ''}.")
    lines += [f"* The parameter `{name}` is hidden: it is given with the command." for name in found["hidden"]]
    lines += [
        "",
        "1. Adopt, and only watch: the command is refused when the account is not as the template says.",
        "",
        f"       {_command(found, template)}",
        "",
        "2. Let the stack go. Its resources stay.",
        "",
        f"       tenuto import --stack {found['stack']} --region {found['region']} --let-go",
        "",
        "3. Correct drift from then on.",
        "",
        f"       tenuto property {found['stack']} enforcement --set on",
        "",
    ]
    return visible("\n".join(lines))
