"""`tenuto instance exec`, `get`, `put`, `console`, `power`, `reboot` and `snapshot`: operations of an instance.

Each makes an agent operation, waits for its end, tells the result, and deletes it again, unless it is to be kept.
"""

import base64
import sys
from pathlib import Path
from typing import Any

import click

from tenuto.cli.client.client import Client
from tenuto.cli.client.target import find_conductor
from tenuto.cli.objects.declared import declared_object
from tenuto.cli.objects.object_kinds import OBJECT_KINDS, ObjectKind
from tenuto.cli.objects.object_waiting import waited
from tenuto.cli.options.files import NewFile
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import name_argument, pass_session, yes_option
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.errors import NotFoundError, UserError
from tenuto.kit.visible import one_line
from tenuto.model.ids import JsonMap

LARGEST_FILE = 1 << 20
_TYPE = "AgentOperation"
_PHASES = "local.operation."
_BEYOND_S = 60.0
"""Seconds beyond the deadline of an operation in which it is told to have expired."""
_NAMED = name_argument("instance", "instance", metavar="INSTANCE", is_in_process=True)
_deadline = click.option(
    "--deadline",
    type=click.IntRange(1, 24 * 3600),
    default=600,
    metavar="SECONDS",
    help="How long it may take in the guest (default: 600).",
)
_POWER_WORDS = ("on", "off", "pause", "unpause", "reboot")
_keep = click.option("--keep", is_flag=True, help="Keep the operation with its results; 'tenuto operation list'.")


@make_command("exec", "tenuto instance exec shop/Web -- uname -r", "tenuto instance exec shop/Web --stdin -- sh -s")
@_NAMED
@click.argument("words", metavar="COMMAND [ARGUMENT]...", nargs=-1, required=True)
@click.option("--stdin", "has_stdin", is_flag=True, help="Give the program what comes on standard input, up to 1 MiB.")
@_deadline
@_keep
@pass_session
def exec_(session: Session, instance: str, words: tuple[str, ...], has_stdin: bool, deadline: int, keep: bool) -> None:
    """Run a program in an instance, and print its output.

    INSTANCE is PROCESS/RESOURCE or an id. The program is run once, as the user of the guest's agent, without a shell.
    Exit 1 when it ended with another code than 0. Its output is told at its end, of each stream the first 64 KiB.
    """
    command: dict[str, Any] = {"Exec": list(words)}
    if has_stdin:
        command["Stdin"] = base64.b64encode(
            _bounded(sys.stdin.buffer.read(LARGEST_FILE + 1), "standard input")
        ).decode()
    result = _result(session, instance, command, deadline, is_kept=keep)
    if session.is_json:
        session.emit_document(result)
    else:
        terminal.out_bytes(str(result["Out"]).encode())
        if result["Err"]:
            terminal.tell(str(result["Err"]), ends_line=False)
        if result.get("IsCut"):
            terminal.tell("The output was longer; this is its beginning.")
    if result["Code"]:
        raise CommandEnd(Exit.FAILED, f"{words[0]} ended with {result['Code']} in {instance}.", dict(result))


@make_command("get", "tenuto instance get shop/Web /etc/hostname", "tenuto instance get shop/Web /etc/fstab -o fstab")
@_NAMED
@click.argument("path", metavar="PATH")
@click.option("-o", "--output", type=NewFile(), metavar="FILE", help="The file to write.")
@_deadline
@pass_session
def get(session: Session, instance: str, path: str, output: Path | None, deadline: int) -> None:
    """Read a file of an instance, up to 1 MiB.

    It is printed, or written to a file with -o.
    """
    result = _result(session, instance, {"Get": path}, deadline)
    content = base64.b64decode(str(result["Content"]))
    if output is not None:
        try:
            output.write_bytes(content)
        except OSError as failed:
            raise UserError(f"The file {output} cannot be written: {failed.strerror}.") from failed
        session.emit({"file": str(output), "size_bytes": len(content)}, lambda _: f"{output}: {len(content)} bytes")
    elif session.is_json:
        session.emit_document(result)
    else:
        terminal.out_bytes(content)


@make_command(
    "put",
    "tenuto instance put shop/Web /tmp/vm.yaml vm.yaml --mode 0600",
    "tenuto instance put shop/Web /opt/tools.tar --artifact tools",
)
@_NAMED
@click.argument("path", metavar="PATH")
@click.argument("file", metavar="[FILE]", type=click.Path(dir_okay=False, exists=True, path_type=Path), required=False)
@click.option(
    "--artifact",
    metavar="ARTIFACT",
    help="Instead of FILE: the newest version of an artifact, by its name or its id, or a blob; up to 64 MiB.",
)
@click.option("--mode", metavar="MODE", help="Its rights in the guest, in octal digits such as 0600.")
@_deadline
@pass_session
def put(
    session: Session,
    instance: str,
    path: str,
    file: Path | None,
    artifact: str | None,
    mode: str | None,
    deadline: int,
) -> None:
    """Write a file of an instance, up to 1 MiB.

    PATH is its place in the guest, and FILE the file on this machine. With --artifact, the content comes to the host
    first, from the Conductor, and is written once it is there.
    """
    if (file is None) == (artifact is None):
        raise click.UsageError("Give either FILE or --artifact.")
    command: dict[str, Any] = {"Put": path}
    if file is not None:
        command["Content"] = base64.b64encode(_bounded(file.read_bytes(), str(file))).decode()
    else:
        command["Blob"] = artifact
    if mode:
        command["Mode"] = mode
    result = _result(session, instance, command, deadline)
    session.emit(result, lambda found: f"{instance}:{path}: {found['SizeBytes']} bytes")


@make_command(
    "console",
    "tenuto instance console shop/Web",
    "tenuto instance console shop/Web --from 4096",
    "tenuto instance console shop/Web --clear",
)
@_NAMED
@click.option(
    "--from",
    "begin",
    type=click.IntRange(0),
    metavar="OFFSET",
    help="From this byte of all that it has said on, as 'next' of --json tells it. Default: its end.",
)
@click.option(
    "--bytes", "count", type=click.IntRange(1, LARGEST_FILE), metavar="COUNT", help="At most so many (default: 1 MiB)."
)
@click.option("--clear", "is_clear", is_flag=True, help="Forget what it has said. Offsets go on.")
@pass_session
def console(session: Session, instance: str, begin: int | None, count: int | None, is_clear: bool) -> None:
    """Print the last words of the console of an instance, up to 1 MiB, or a part of it.

    They are kept from the start of the machine on, as long as the agent of its host runs. With --json, 'from' and
    'next' are the offsets of the part and of the text after it, so that a program reads everything once.
    """
    if is_clear and (begin is not None or count is not None):
        raise UserError("--clear forgets the whole console: give it without --from and --bytes.")
    command: dict[str, Any] = {"Console": "clear" if is_clear else "read"}
    command |= {name: value for name, value in (("From", begin), ("Bytes", count)) if value is not None}
    result = _result(session, instance, command, 60)
    if session.is_json:
        session.emit_document(result)
    elif is_clear:
        terminal.out(f"The console of {instance} is empty.")
    else:
        terminal.out(str(result["Out"]).rstrip())


@make_command("power", "tenuto instance power shop/Web off", "tenuto instance power shop/Web pause")
@_NAMED
@click.argument("word", metavar="on|off|pause|unpause|reboot", type=click.Choice(_POWER_WORDS))
@yes_option
@pass_session
def power(session: Session, instance: str, word: str) -> None:
    """Turn an instance on or off, pause or unpause it, or reset it.

    A guest that is turned off is asked to end first, and has five seconds for it. A process holds its machines as they
    are declared (PowerState): a change that the process would undo at once is refused, with the ways to make it. In a
    process that is suspended, or whose enforcement is off, the machine stays as it is put until the process holds it
    again.
    """
    _instance(find_conductor(session.settings), instance)
    if word in ("off", "reboot"):
        session.confirm(f"{'Turn off' if word == 'off' else 'Reboot'} {instance}?")
    command = {"Reboot": "reset"} if word == "reboot" else {"Power": word}
    session.emit(_result(session, instance, command, 60), lambda found: _powered(instance, found))


@make_command("reboot", "tenuto instance reboot shop/Web", "tenuto instance reboot shop/Web --soft")
@_NAMED
@click.option("--soft", is_flag=True, help="Ask the guest to reboot, instead of resetting the machine.")
@yes_option
@pass_session
def reboot(session: Session, instance: str, soft: bool) -> None:
    """Start an instance anew. Its disks stay.

    It is reset, as by the button of a computer: data that the guest has not written is lost. With --soft, the agent in
    the guest is asked to reboot.
    """
    _instance(find_conductor(session.settings), instance)
    session.confirm(f"Reboot {instance}?")
    result = _result(session, instance, {"Reboot": "soft" if soft else "reset"}, 60)
    session.emit(result, lambda _: f"{instance} starts anew.")


@make_command(
    "snapshot",
    "tenuto instance snapshot shop/Web web-golden",
    "tenuto instance snapshot shop/Db db-monday --all",
    "tenuto instance snapshot shop/Web web-monday --thin",
)
@_NAMED
@click.argument("artifact", metavar="ARTIFACT")
@click.option(
    "--disk", "disks", type=click.IntRange(0, 15), multiple=True, metavar="NUMBER", help="A disk (default: 0). Again."
)
@click.option("--all", "has_all", is_flag=True, help="All disks, at one moment.")
@click.option("--thin", "is_thin", is_flag=True, help="Keep only what differs from the bases of the disks.")
@click.option(
    "--deadline",
    type=click.IntRange(1, 24 * 3600),
    default=3600,
    metavar="SECONDS",
    help="How long it may take (default: 3600).",
)
@pass_session
def snapshot(
    session: Session,
    instance: str,
    artifact: str,
    disks: tuple[int, ...],
    has_all: bool,
    is_thin: bool,
    deadline: int,
) -> None:
    """Keep the content of a disk of an instance, as the next version of an artifact.

    ARTIFACT is a name in the namespace of the instance, and is made when there is none. Of several disks, disk N
    becomes the artifact ARTIFACT-diskN. The instance runs on meanwhile. The version is an image, so a disk may have it
    as its Base.

    A thin version is small, and stands on the image that the disk began with, which stays for as long. Each machine of
    it reads through both. Only a whole version can be downloaded.
    """
    if disks and has_all:
        raise click.UsageError("Give either --disk or --all.")
    wanted: Any = "all" if has_all else list(disks) or [0]
    command: JsonMap = {"Snapshot": artifact, "Disks": wanted, **({"Thin": True} if is_thin else {})}
    result = _result(session, instance, command, deadline)
    session.emit(result, lambda found: "\n".join(_kept(instance, one) for one in found["Disks"]))


INSTANCE_COMMANDS = (exec_, get, put, console, power, reboot, snapshot)


def _powered(instance: str, result: JsonMap) -> str:
    if "PowerState" not in result:
        return f"{instance} starts anew."
    told = f"{instance} is {result['PowerState']}."
    if result["Declared"] in ("", result["PowerState"]):
        return told
    return (
        f"{told} Its composition declares PowerState {result['Declared']}: its process sets that right when it holds "
        "the instance again."
    )


def _kept(instance: str, disk: JsonMap) -> str:
    """A disk that became a version, in a line."""
    thin = f", thin, on the blob {disk['StandsOn']}" if "StandsOn" in disk else ""
    return (
        f"{instance}: disk {disk['Disk']} is version {disk['Version']} of the artifact {disk['Artifact']} "
        f"({int(disk['SizeBytes']) / 1024**2:.1f} MiB{thin})"
    )


def _result(session: Session, reference: str, command: JsonMap, deadline_s: int, *, is_kept: bool = False) -> JsonMap:
    """The result of one command in an instance. Raises CommandEnd when there is none."""
    client = find_conductor(session.settings)
    return operation_result(session, client, _instance(client, reference), reference, command, deadline_s, is_kept)


def operation_result(
    session: Session,
    client: Client,
    thing: JsonMap,
    reference: str,
    command: JsonMap,
    deadline_s: int,
    is_kept: bool = False,
) -> JsonMap:
    """The result of one command about an instance or a network. Raises CommandEnd when there is none."""
    body: JsonMap = {
        "type": _TYPE,
        "fields": {"Instance": thing["id"], "Commands": [command], "DeadlineSeconds": deadline_s},
        "account": thing["account"],
        "region": thing["region"],
    }
    made = client.post("objects", body=body)
    try:
        done = waited(session, client, made, deadline_s + _BEYOND_S)
    except CommandEnd as end:
        if not end.details.get("failed"):
            raise
        if not is_kept:
            client.delete("objects", str(made["id"]), type=None)
        why = str(end.details["message"] or end.details["state"]).rpartition(f"{_PHASES}")[2].partition(": ")[2]
        raise CommandEnd(Exit.FAILED, f"{reference}: {one_line(why)}.", end.details) from end
    if not is_kept:
        client.delete("objects", str(done["id"]), type=None)
    [result] = done["attributes"]["Results"]
    return dict(result)


def _instance(client: Client, reference: str) -> JsonMap:
    found = declared_object(client, _kind(), reference)
    if found is None:
        raise NotFoundError(f"There is no instance {reference!r} that you may see. 'tenuto instance list' shows them.")
    return found


def _kind() -> ObjectKind:
    return next(one for one in OBJECT_KINDS if one.name == "instance")


def _bounded(content: bytes, what: str) -> bytes:
    if len(content) > LARGEST_FILE:
        raise UserError(f"{what} has more than {LARGEST_FILE >> 20} MiB. Nothing was sent.")
    return content
