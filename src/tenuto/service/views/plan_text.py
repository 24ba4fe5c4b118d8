"""A plan document as text: one line per operation, its changed properties below it, a summary at the end.

It is made from the document, not from the plan, so that the command line (which has only the document) and every other
client show the same text. The same document always gives the same text. Its parts are here for the media that set the
lines themselves, such as the pages: `change_lines`, `ignored_line`, `left_alone`, `bill_text`. A terminal takes the
lines as values (`plan_lines`, `operation_lines`) and sets the places in files at its right edge.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tenuto.model.command import Command
from tenuto.model.ids import JsonMap
from tenuto.model.verb import SIGNS, Verb, WaitKind
from tenuto.service.common.value_diff import WIDTH, DiffLine, difference, value_text

MOST_ALIKE = 20
"""More operations of one verb and type are one line at a terminal: no person reads more of a kind."""
MOST_DELETIONS = 5
"""More deletions than these ask for the name of the process: a slip of the finger must not be enough."""
_MOST_NAMES = 3
_MOST_APIS = 4
"""More do not fit a line; the whole bill is in `--json`."""
_HELD = {
    WaitKind.FIGHT: "Held, because something else sets it back",
    WaitKind.IGNORED: "Left as it is, because the provider does not keep what is declared",
}
_KINDS = {verb.value: sign for verb, sign in SIGNS.items()}


@dataclass(frozen=True, slots=True)
class PlanLine:
    """A line of a plan, and the place in a file where its resource is declared, such as `vpc.yaml:40`, or empty."""

    text: str
    place: str = ""

    @property
    def whole(self) -> str:
        return f"{self.text}  {self.place}" if self.place else self.text


def plan_text(document: JsonMap, *, width: int | None = WIDTH, is_folded: bool = False) -> str:
    """The text of a plan document, without colour and without a last newline. Values longer than `width` are cut.

    `is_folded` makes one line of many operations of one verb and type, all but those that lose data.
    """
    return "\n".join(line.whole for line in plan_lines(document, width, is_folded=is_folded))


def operations_text(operations: Sequence[JsonMap]) -> str:
    """The text of operations alone, such as those of a plan file."""
    return "\n".join(line.whole for line in operation_lines(operations, WIDTH))


GRAVEST_FIRST = (Verb.REPLACE, Verb.DELETE, *(verb for verb in Verb if verb not in (Verb.REPLACE, Verb.DELETE)))
"""The order of counts in a headline: destructive operations are read first."""


def summary_text(summary: JsonMap) -> str:
    """`2 create, 1 modify, 7 unchanged`, or that there is nothing to do."""
    parts = [f"{summary[verb.value]} {verb.value}" for verb in GRAVEST_FIRST if summary.get(verb.value)]
    unchanged = summary.get("unchanged", 0)
    if not parts:
        return f"nothing to do ({unchanged} unchanged)" if unchanged else "nothing to do"
    return ", ".join([*parts, f"{unchanged} unchanged"])


def is_grave(document: JsonMap) -> bool:
    """Whether a plan loses data, or deletes more than a few resources: then a person types the name of the process."""
    deletions = document["summary"][Verb.DELETE.value] + document["summary"][Verb.REPLACE.value]
    return bool(document["loses_data"]) or deletions > MOST_DELETIONS


def plan_lines(document: JsonMap, width: int | None, *, is_folded: bool) -> Iterator[PlanLine]:
    """The lines of `plan_text`: its process, its operations, the things left alone, remarks, and the counts."""
    lines = tuple(_body(document, width, is_folded=is_folded))
    process = document.get("process")
    if process is not None and lines:
        name = process["alias"] or process["fid"] or "a new process"
        yield PlanLine(f"Plan for {name} ({document['command']}, {process['account']} · {process['region']}):")
    yield from lines
    yield PlanLine(f"Plan: {summary_text(document['summary'])}.")


def _body(document: JsonMap, width: int | None, *, is_folded: bool) -> Iterator[PlanLine]:
    apart = frozenset(document.get("loses_data", ()))
    yield from operation_lines(document["operations"], width, apart, is_folded=is_folded)
    for headline, operations in left_alone(document):
        yield PlanLine(f"{headline}:")
        for operation in operations:
            yield from _operation(operation, width, indent="  ")
    yield from map(PlanLine, _remarks(document, width))


def _remarks(document: JsonMap, width: int | None) -> Iterator[str]:
    process = document.get("process") or {}
    if process.get("goes_on_with") == Command.KILL and document["command"] != Command.KILL:
        name = process["alias"] or process["fid"]
        yield (
            f"! {name} was suspended in the middle of its kill: 'resume' cancels the kill and makes again what was "
            "deleted, 'kill' goes on with it."
        )
    for ignored in document.get("ignored", []):
        yield f"= {ignored['logical_id']} ({ignored['type']}) [{ignored['id']}]: {_ignored_why(ignored)}"
        for change in ignored["changes"]:
            yield f"    {ignored_line(change, width).text}"
    for wait in document.get("waits", []):
        subject = f"{wait['logical_id']}: " if wait["logical_id"] else ""
        yield f"… {subject}{wait['message']}"
    for warning in document.get("warnings", []):
        yield f"! {warning['message']}"
    if needed := document.get("needs_approval"):
        yield f"! {needed}"
    bill = document.get("bill")
    if bill and bill["calls"]:
        yield f"Calls: {bill_text(bill)}."
    for one in document.get("through", []):
        yield f"Note: {one['message']}"


def _ignored_why(ignored: JsonMap) -> str:
    movers = ", ".join(ignored.get("moved_by", ()))
    return f"what differs is left to {movers}" if movers else "the composition ignores what differs"


def left_alone(document: JsonMap) -> Iterator[tuple[str, list[JsonMap]]]:
    """The drift that no operation sets back, by the reason in words."""
    held = {wait["logical_id"]: wait["kind"] for wait in document.get("waits", []) if wait["kind"] in _HELD}
    drift = document.get("drift", [])
    for kind, headline in ((None, "Left alone, because enforcement is off"), *_HELD.items()):
        if found := [one for one in drift if held.get(one["logical_id"]) == kind]:
            yield headline, found


def change_lines(change: JsonMap, width: int | None = WIDTH) -> Iterator[DiffLine]:
    """The lines of one changed property of an operation."""
    if change.get("stays"):
        words = f"{value_text(change['before'], width)} stays: it is no longer declared, and held no longer"
        yield DiffLine(subject=change["path"], words=words)
        return
    interruption = "may interrupt it" if change.get("may_interrupt") else ""
    note = "forces replacement" if change["forces_replacement"] else interruption
    yield from difference(change["path"], change["before"], change["after"], note=note, width=width)


def ignored_line(change: JsonMap, width: int | None = WIDTH) -> DiffLine:
    """The line of a property that differs, and that the composition ignores."""
    declared, found = value_text(change["after"], width), value_text(change["before"], width)
    return DiffLine(subject=change["path"], words=f"declared {declared}, left at {found}")


def bill_text(bill: JsonMap) -> str:
    """`14 to the provider, 12 s or more: 10 ec2:CreateNatGateway (12 s), 4 ec2:CreateVpc`; the costliest APIs only.

    `1 or more changes of iam`, where a value that is not known yet tells the number of calls.
    """
    apis = bill["apis"]
    most = len(apis) if len(apis) == _MOST_APIS + 1 else _MOST_APIS  # One more is named: its name is short enough.
    shown, rest = apis[:most], apis[most:]
    parts = [f"{calls_text(one)} {_api(one)}{_least(one['least_s'], ' ({})')}" for one in shown]
    if rest:
        calls = {"calls": sum(one["calls"] for one in rest), "or_more": any(one.get("or_more") for one in rest)}
        parts.append(f"{calls_text(calls)} to {len(rest)} other APIs")
    return f"{calls_text(bill)} to the provider{_least(bill['least_s'], ', which take {} or more')}: {', '.join(parts)}"


def calls_text(counted: JsonMap) -> str:
    """The number of calls of a bill, or of one of its APIs: `4`, or `4 or more`."""
    return f"{counted['calls']} or more" if counted.get("or_more") else f"{counted['calls']}"


def _api(counted: JsonMap) -> str:
    """`ec2:CreateVpc`, or in words all calls of a service that count together: `changes of sqs`."""
    name = str(counted["api"])
    service, _, operation = name.partition(":")
    if operation not in ("changes", "reads"):
        return name
    is_one = counted["calls"] == 1 and not counted.get("or_more")
    return f"{operation.removesuffix('s') if is_one else operation} of {service}"


def _least(seconds: float, words: str) -> str:
    """Return the words for a least duration; nothing below a second: it is the network that takes longest then."""
    if seconds < 1:
        return ""
    return words.format(f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min")


def operation_lines(
    operations: Sequence[JsonMap], width: int | None, apart: Collection[str] = (), *, is_folded: bool = False
) -> Iterator[PlanLine]:
    """The lines of operations. A fold stands where its first operation would; those that are named stay `apart`."""
    if not is_folded:
        yield from (line for one in operations for line in _operation(one, width))
        return
    kinds: dict[tuple[str, str], list[JsonMap]] = {}
    for one in operations:
        if one["logical_id"] not in apart:
            kinds.setdefault((one["op"], one["type"]), []).append(one)
    told: set[tuple[str, str]] = set()
    for one in operations:
        key = (one["op"], one["type"])
        members = kinds.get(key, [])
        if one["logical_id"] in apart or len(members) <= MOST_ALIKE:
            yield from _operation(one, width)
        elif key not in told:
            yield PlanLine(_fold(members))
            told.add(key)


def _fold(members: list[JsonMap]) -> str:
    first = members[0]
    names = ", ".join(one["logical_id"] for one in members[:_MOST_NAMES])
    count = len(members)
    sign = _KINDS.get(first["op"], "?")
    return f"{sign} {first['op']} {count} of {first['type']}: {names} and {count - _MOST_NAMES} more; --full shows each"


def _operation(operation: JsonMap, width: int | None, indent: str = "") -> Iterator[PlanLine]:
    identity = f" [{operation['id']}]" if operation["id"] else ""
    reason = f": {operation['reason']}" if operation["reason"] else ""
    sign = _KINDS.get(operation["op"], "?")
    told = f"{indent}{sign} {operation['op']} {operation['logical_id']} ({operation['type']}){identity}{reason}"
    source = operation.get("source")
    yield PlanLine(told, f"{source['file']}:{source['line']}" if source else "")
    for change in operation["changes"]:
        yield from (PlanLine(f"{indent}    {'  ' * line.depth}{line.text}") for line in change_lines(change, width))
