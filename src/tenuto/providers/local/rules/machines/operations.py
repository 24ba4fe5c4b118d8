"""The commands of an agent operation, checked, and the shapes of their results.

A command is one of nine: `{"Exec": ["uname", "-r"], "Stdin": BASE64}`, `{"Get": "/etc/hostname"}`, `{"Put": "/tmp/x",
"Content": BASE64, "Mode": "0644"}`, `{"Put": "/tmp/x", "Blob": REFERENCE}` whose content is a blob or an artifact, and
those that the host does without the guest's agent: `{"Console": "read", "From": OFFSET, "Bytes": COUNT}`, which is a
part of the console, `{"Console": "clear"}`, `{"Power": "off"}`, `{"Reboot": "reset"}`, and `{"Snapshot": "ARTIFACT",
"Disks": [0]}`, whose disks are the first one where they are left out, or `"all"`. With `"Thin": true` it holds only the
differences from the bases of the disks. The ninth is for a network in place of an instance: `{"Ping": "10.1.0.5",
"Count": 3}` asks an address on it for echoes, from the network's gateway.

A host knows no references: it is told the digest of a blob, and the numbers of the disks (`for_host`).

A result tells the outcome of the command at the same place: `Code`, `Out` and `Err` of a program, `Content` of a file
that was read, `SizeBytes` of one that was written, `Disks` of a snapshot, `Out` of a console with the offsets of its
beginning (`From`) and of the next byte (`Next`).
"""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.local.rules.machines.power import POWER_WORDS, Power

MOST_COMMANDS = 64
LARGEST_FILE = 1 << 20
LARGEST_OUTPUT = 64 << 10
LONGEST_S = 24 * 3600
LARGEST_BLOB = 64 << 20
"""Bytes of a blob that a guest takes: the agent in it takes 48 KiB at a time, which is a minute or two."""
ALL = "all"
_MOST_DISKS = 16
_LARGEST_WORDS = 128 << 10
_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_MODE = re.compile(r"0?[0-7]{3}")
_ROOT = "/"


class UnusableCommandError(ValueError):
    """A command that no guest could carry out. The message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exec:
    """Run a program of the guest, found by its PATH."""

    words: tuple[str, ...]
    stdin: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Get:
    """Read a file of the guest."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """Write a file of the guest. `mode` is in octal digits; empty to leave it."""

    path: str
    content: bytes
    mode: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """Read the kept output of the console from an offset on, or its last bytes; or empty it."""

    begin: int | None = None
    count: int = LARGEST_FILE
    is_clear: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reboot:
    """Start the machine anew: `reset`, as the button of a computer does, or `soft`, by a request to the guest."""

    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBlob:
    """Write a file of the guest, whose content is a blob: a reference, and for a host its digest."""

    path: str
    blob: str
    mode: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Keep the content of disks, at one moment, as a version of an artifact. No disks are all. A thin one holds only
    the differences from the base of each disk."""

    artifact: str
    disks: tuple[int, ...]
    is_thin: bool = False

    def name_of(self, disk: int) -> str:
        """The name of the artifact of a disk: the one that was asked for, or one with the number among several."""
        return self.artifact if len(self.disks) == 1 else f"{self.artifact}-disk{disk}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """Ask an address on a network for echoes, one after the other."""

    address: str
    count: int = 3


MOST_ECHOES = 5
Command = Exec | Get | Put | PutBlob | Console | Power | Reboot | Snapshot | Ping
REBOOTS = ("reset", "soft")


def commands_of(documents: Any) -> tuple[Command, ...]:
    """Read the commands of an operation. Raises UnusableCommandError."""
    if not isinstance(documents, Sequence) or isinstance(documents, str) or not 0 < len(documents) <= MOST_COMMANDS:
        raise UnusableCommandError(f"an operation has 1 to {MOST_COMMANDS} commands")
    commands = tuple(_command(one) for one in documents)
    if sum(isinstance(one, Snapshot) for one in commands) > 1:
        raise UnusableCommandError("an operation has one Snapshot at most, of as many disks as it names")
    if any(isinstance(one, Ping) for one in commands) and len(commands) > 1:
        raise UnusableCommandError("an operation with Ping has no other command: it is for a network")
    if sum(_size(one) for one in commands) > LARGEST_FILE:
        raise UnusableCommandError(f"the files and inputs of an operation have at most {LARGEST_FILE} bytes together")
    return commands


def deadline_of(properties: JsonMap) -> int:
    """The seconds that an operation has. Raises UnusableCommandError."""
    seconds = int(properties.get("DeadlineSeconds") or 0)
    if not 0 < seconds <= LONGEST_S:
        raise UnusableCommandError(f"an operation has 1 to {LONGEST_S} seconds: DeadlineSeconds")
    return seconds


def ended(code: int, out: bytes, err: bytes, *, is_cut: bool = False) -> JsonMap:
    """The result of a program. Long outputs are cut at their end."""
    is_cut = is_cut or len(out) > LARGEST_OUTPUT or len(err) > LARGEST_OUTPUT
    found: dict[str, Json] = {"Code": code, "Out": _text(out), "Err": _text(err)}
    return {**found, "IsCut": True} if is_cut else found


def was_read(content: bytes) -> JsonMap:
    """The result of a file that was read."""
    return {"Content": base64.b64encode(content).decode(), "SizeBytes": len(content)}


def was_said(command: Console, kept: bytes, offset: int) -> JsonMap:
    """The result of a console that was read or emptied. `kept` is its kept output, which begins at an offset."""
    end = offset + len(kept)
    begin = max(offset, end - command.count) if command.begin is None else min(max(command.begin, offset), end)
    out = b"" if command.is_clear else kept[begin - offset :][: command.count]
    return {"Out": out.decode(errors="replace"), "From": begin, "Next": end if command.is_clear else begin + len(out)}


def was_rebooted() -> JsonMap:
    """The result of a machine that was started anew."""
    return {}


def was_kept(disks: Sequence[JsonMap]) -> JsonMap:
    """The result of a snapshot: for each disk its number, and the size and the digest of the copy."""
    return {"Disks": list(disks)}


def part_name(operation: str, number: int, disk: int) -> str:
    """The name under which the content of a disk comes to the Conductor, for the command of this number."""
    return f"{operation}-{number}-{disk}"


def for_host(documents: Sequence[JsonMap], digests: Mapping[str, str], disks: int) -> list[Json]:
    """The commands as a host is told them: digests of blobs, by their references, and numbers of disks."""
    told: list[Json] = []
    for one in documents:
        if "Blob" in one:
            told.append({**one, "Blob": digests.get(one["Blob"], one["Blob"])})
        elif "Snapshot" in one:
            told.append({**one, "Disks": list(range(disks)) if one.get("Disks") == ALL else one.get("Disks", [0])})
        else:
            told.append(dict(one))
    return told


def was_pinged(command: Ping, answered: Sequence[float | None]) -> JsonMap:
    """The result of echoes: the milliseconds of each answer, null for none."""
    received = sum(one is not None for one in answered)
    return {"Address": command.address, "Sent": len(answered), "Received": received, "Milliseconds": list(answered)}


def is_for_network(commands: Sequence[Command]) -> bool:
    """Whether the thing of an operation is a network, and not an instance."""
    return any(isinstance(one, Ping) for one in commands)


def outside(command: Command, network: JsonMap) -> str:
    """The reason why a network with these properties cannot be asked; empty when it can."""
    if isinstance(command, Ping) and ip_address(command.address) not in ip_network(str(network["CidrBlock"])):
        return f"{command.address} is not on the network, whose block is {network['CidrBlock']}"
    return ""


def was_written(size_bytes: int) -> JsonMap:
    """The result of a file that was written."""
    return {"SizeBytes": size_bytes}


def _command(document: Any) -> Command:
    if not isinstance(document, Mapping):
        raise UnusableCommandError(
            'a command is an object with Exec, Get or Put, such as {"Exec": ["uname", "-r"]}. Give all of them as '
            "--field 'Commands=[…]', or let 'tenuto instance exec' make the operation"
        )
    match sorted(document):
        case ["Exec"] | ["Exec", "Stdin"]:
            return Exec(words=_words(document["Exec"]), stdin=_bytes(document.get("Stdin", "")))
        case ["Get"]:
            return Get(path=_path(document["Get"]))
        case ["Content", "Put"] | ["Content", "Mode", "Put"]:
            return Put(path=_path(document["Put"]), content=_bytes(document["Content"]), mode=_mode(document))
        case ["Blob", "Put"] | ["Blob", "Mode", "Put"]:
            return PutBlob(path=_path(document["Put"]), blob=_reference(document["Blob"]), mode=_mode(document))
        case [*names] if "Snapshot" in names and set(names) <= {"Disks", "Snapshot", "Thin"}:
            return Snapshot(
                artifact=_reference(document["Snapshot"]),
                disks=_disks(document.get("Disks", [0])),
                is_thin=_flag(document.get("Thin", False), "Thin"),
            )
        case [*names] if "Console" in names and set(names) <= {"Bytes", "Console", "From"}:
            return _console(document)
        case ["Ping"] | ["Count", "Ping"]:
            return _ping(document["Ping"], document.get("Count", 3))
        case ["Power"] if document["Power"] in POWER_WORDS:
            return Power(word=document["Power"])
        case ["Reboot"] if document["Reboot"] in REBOOTS:
            return Reboot(how=document["Reboot"])
    raise UnusableCommandError(
        "a command has Exec (and Stdin), or Get, or Put and Content or Blob (and Mode), or Console (and From and "
        "Bytes), or Power, or Reboot, or Snapshot (and Disks and Thin), or Ping (and "
        "Count)"
    )


def _size(command: Command) -> int:
    match command:
        case Put(content=content) | Exec(stdin=content):
            return len(content)
        case Get() | PutBlob() | Console() | Power() | Reboot() | Snapshot() | Ping():
            return 0


def _console(document: Mapping[str, Any]) -> Console:
    word, begin, count = document["Console"], document.get("From"), document.get("Bytes", LARGEST_FILE)
    if word == "clear" and len(document) == 1:
        return Console(is_clear=True)
    if word != "read":
        raise UnusableCommandError("a console is read, with From and Bytes, or clear")
    if type(begin) not in (int, type(None)) or (begin or 0) < 0:
        raise UnusableCommandError("From of a console is an offset: a whole number from 0 on")
    if type(count) is not int or not 0 < count <= LARGEST_FILE:
        raise UnusableCommandError(f"Bytes of a console is a whole number from 1 to {LARGEST_FILE}")
    return Console(begin=begin, count=count)


def _ping(address: Any, count: Any) -> Ping:
    try:
        if not isinstance(address, str) or str(IPv4Address(address)) != address:
            raise ValueError
    except ValueError:
        raise UnusableCommandError(f"{str(address)[:40]!r} is no IPv4 address, such as 10.1.0.5") from None
    if type(count) is not int or not 0 < count <= MOST_ECHOES:
        raise UnusableCommandError(f"Count of Ping is a whole number from 1 to {MOST_ECHOES}")
    return Ping(address=address, count=count)


def _words(found: Any) -> tuple[str, ...]:
    if not isinstance(found, Sequence) or isinstance(found, str) or not found:
        raise UnusableCommandError("Exec is a list of words")
    if not all(isinstance(one, str) and "\0" not in one for one in found) or not found[0]:
        raise UnusableCommandError("the words of Exec are texts without the character 0")
    if sum(len(one) for one in found) > _LARGEST_WORDS:
        raise UnusableCommandError(f"the words of Exec have more than {_LARGEST_WORDS} characters")
    return tuple(found)


def _path(found: Any) -> str:
    if not isinstance(found, str) or not found.startswith(_ROOT) or "\0" in found or len(found) > 4096:
        raise UnusableCommandError(f"{str(found)[:80]!r} is no path of a file: it begins with /")
    return found


def _mode(document: Mapping[str, Any]) -> str:
    mode = document.get("Mode", "")
    if mode and not (isinstance(mode, str) and _MODE.fullmatch(mode)):
        raise UnusableCommandError(f"{str(mode)[:20]!r} is no mode of a file such as 0644")
    return str(mode)


def _reference(found: Any) -> str:
    if not isinstance(found, str) or _REFERENCE.fullmatch(found) is None:
        raise UnusableCommandError(f"{str(found)[:80]!r} is no name and no id of an artifact or a blob")
    return found


def _disks(found: Any) -> tuple[int, ...]:
    """The numbers of disks; none for all of them."""
    if found == ALL:
        return ()
    is_list = isinstance(found, Sequence) and not isinstance(found, str) and 0 < len(found) <= _MOST_DISKS
    if not is_list or not all(type(one) is int and 0 <= one < _MOST_DISKS for one in found):
        raise UnusableCommandError("Disks is a list of numbers of disks, of which the first is 0, or all")
    return tuple(sorted(set(found)))


def _flag(found: Any, name: str) -> bool:
    if not isinstance(found, bool):
        raise UnusableCommandError(f"{name} is true or false")
    return found


def _bytes(found: Any) -> bytes:
    try:
        content = base64.b64decode(str(found), validate=True)
    except ValueError as error:
        raise UnusableCommandError("the content of a file and the standard input are in base64") from error
    if len(content) > LARGEST_FILE:
        raise UnusableCommandError(f"a file has at most {LARGEST_FILE} bytes")
    return content


def _text(output: bytes) -> str:
    return output[:LARGEST_OUTPUT].decode(errors="replace")
