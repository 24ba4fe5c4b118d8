"""A guest that is not there: the output that a handful of programs would give in it, so that operations can be tried
anywhere."""

import shlex
from collections.abc import Mapping

from tenuto.model.ids import JsonMap
from tenuto.providers.local.rules.machines.operations import (
    Command,
    Console,
    Exec,
    Get,
    Ping,
    Put,
    PutBlob,
    Reboot,
    Snapshot,
    ended,
    was_read,
    was_rebooted,
    was_said,
    was_written,
)
from tenuto.providers.local.rules.machines.power import Power

KERNEL = "simulated"
HISTORY = "/root/.history"
"""The file of the guest with every program that was run in it."""
_EMPTIED = "/dev/console"
"""The file with the offset up to which the console was emptied."""
_UNAME = ("-s", "-n", "-r")
"""The options of `uname` that the guest knows, in the order of their output."""
_NOT_FOUND = 127


def carried_out(command: Command, name: str, files: Mapping[str, bytes]) -> tuple[JsonMap | str, dict[str, bytes]]:
    """The result of a command in the guest of a name, or why there is none, and the files of the guest afterwards."""
    known = {"/etc/hostname": f"{name}\n".encode(), **files}
    match command:
        case Get(path=path):
            return (was_read(known[path]) if path in known else f"{path}: No such file or directory"), dict(files)
        case Put(path=path, content=content):
            return was_written(len(content)), {**files, path: content}
        case Console(is_clear=is_clear):
            offset = int(files.get(_EMPTIED, b"0"))
            said = f"{name} login:\n".encode()
            emptied = {_EMPTIED: str(len(said)).encode()} if is_clear else {}
            return was_said(command, said[offset:], offset), {**files, **emptied}
        case Reboot() | Power():
            return was_rebooted(), dict(files)
        case PutBlob() | Snapshot() | Ping():
            return "its host does this, and not the guest", dict(files)
        case Exec(words=words, stdin=stdin):
            history = files.get(HISTORY, b"") + f"{shlex.join(words)}\n".encode()
            return _ran(words, stdin, name, known), {**files, HISTORY: history}


def _ran(words: tuple[str, ...], stdin: bytes, name: str, files: Mapping[str, bytes]) -> JsonMap:
    match words:
        case ("true",):
            return ended(0, b"", b"")
        case ("false",):
            return ended(1, b"", b"")
        case ("hostname",):
            return ended(0, f"{name}\n".encode(), b"")
        case ("uname", *options) if {*options} <= {"-a", *_UNAME}:
            shown = _UNAME if "-a" in options else options or ["-s"]
            facts = {"-s": "Linux", "-n": name, "-r": KERNEL}
            return ended(0, f"{' '.join(facts[one] for one in _UNAME if one in shown)}\n".encode(), b"")
        case ("echo", *texts):
            return ended(0, f"{' '.join(texts)}\n".encode(), b"")
        case ("cat",):
            return ended(0, stdin, b"")
        case ("cat", path):
            if path in files:
                return ended(0, files[path], b"")
            return ended(1, b"", f"cat: {path}: No such file or directory\n".encode())
        case _:
            return ended(_NOT_FOUND, b"", f"{words[0]}: not found (this guest is simulated)\n".encode())
