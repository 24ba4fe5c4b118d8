"""Programs of the host, called without a shell.

`ip`, `bridge`, `nft`, `dnsmasq`, `nsenter`, `setpriv` and `bwrap` carry out the requests to the kernel. Each is called
with arguments that were checked, in an environment of its own, and has half a minute.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

PATIENCE_S = 30.0
NEEDED = {
    "ip": "iproute2",
    "bridge": "iproute2",
    "nft": "nftables",
    "dnsmasq": "dnsmasq-base",
    "nsenter": "util-linux",
    "setpriv": "util-linux",
    "setsid": "util-linux",
    "sysctl": "procps",
    "bwrap": "bubblewrap",
}
"""The programs that a host needs, with the packages of Debian that bring them."""
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
_FAILED = re.compile(r"Command failed -:([0-9]+)$")
"""The end of the words of `ip` and `bridge` about a batch: the number of the line that was refused, from 1."""
_DECODER = json.JSONDecoder()


class ProgramError(Exception):
    """A program refused. The message names it and quotes its output."""


class StuckError(ProgramError):
    """A program did not end in time. The message names it."""


def missing() -> list[str]:
    """The packages that this host lacks."""
    lacking = {package for name, package in NEEDED.items() if not shutil.which(name, path=ENVIRONMENT["PATH"])}
    return sorted(lacking)


def run(*arguments: str, given: str = "") -> str:
    """Run a program to its end and return its output.

    Raises ProgramError.
    """
    try:
        done = subprocess.run(
            arguments,
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
            env=ENVIRONMENT,
            errors="replace",
        )
    except subprocess.TimeoutExpired as error:
        raise StuckError(f"{arguments[0]} cannot be run: {error}") from error
    except OSError as error:
        raise ProgramError(f"{arguments[0]} cannot be run: {error}") from error
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"it ended with {done.returncode}"
        raise ProgramError(f"{arguments[0]} refused: {said}")
    return done.stdout


def batch(program: str, lines: Sequence[str], netns: str = "") -> None:
    """Give lines to `ip` or `bridge`, in a namespace or in the host's own.

    Raises ProgramError for the first line that is refused, and names it; those before it are done.
    """
    if lines:
        _batched(program, lines, netns)


def shown(*arguments: str) -> Any:
    """Run a program that prints JSON. Raises ProgramError."""
    text = run(*arguments)
    try:
        return json.loads(text) if text.strip() else []
    except ValueError as error:
        raise ProgramError(f"{arguments[0]} printed no JSON") from error


def answers(program: str, lines: Sequence[str], netns: str = "") -> list[Any]:
    """Give questions to `ip` or `bridge` in one process, and return the JSON that it prints for each.

    Raises ProgramError.
    """
    text = _batched(program, lines, netns, "-j", "-d").strip()
    found, at = [], 0
    try:
        while at < len(text):
            one, at = _DECODER.raw_decode(text, at)
            found.append(one)
            at += len(text[at:]) - len(text[at:].lstrip())
    except ValueError as error:
        raise ProgramError(f"{program} printed no JSON") from error
    if len(found) != len(lines):
        raise ProgramError(f"{program} gave {len(found)} answers to {len(lines)} questions")
    return found


def _batched(program: str, lines: Sequence[str], netns: str, *options: str) -> str:
    """Run lines in one process, and return its output. Raises ProgramError with the line that was refused."""
    inside = ("-n", netns) if netns else ()
    try:
        return run(program, *options, *inside, "-batch", "-", given="".join(f"{line}\n" for line in lines))
    except ProgramError as error:
        failed = _FAILED.search(str(error))
        if failed is None:
            raise
        told = str(error)[: failed.start()].rstrip()
        raise ProgramError(f"{told} (it was given: {lines[int(failed[1]) - 1]})") from error


def within(netns: str) -> tuple[str, ...]:
    """The beginning of a command line that runs in a network namespace."""
    return ("nsenter", f"--net=/run/netns/{netns}")
