"""The programs that hand out credentials (`credential_process` of a profile), each with a time limit.

Theory of operation. The SDK waits for such a program without a limit, and holds locks meanwhile. A program that asks a
person, or a server that does not answer, so kept every thread that needed its account. Here a program has a limit; then
its whole process group is ended, and the account has a problem like any other: no credentials, nothing is sent.

A program that came too late is not started again by the same session for a while. The SDK has its threads wait for each
other when credentials are renewed, and each of them would else wait for a program of its own. Only the thread that
started a program ends it (`kit.process_groups`). A Conductor that is killed itself (SIGKILL) can end nothing.

Rejected: `Popen.communicate` with a time-out. It keeps all that a program prints, and it waits for whatever a program
left behind with its output open.
"""

import os
import selectors
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from botocore.exceptions import CredentialRetrievalError

from tenuto.errors import ProviderError, TransientError, UnconfirmedError
from tenuto.kit.process_groups import end_group, has_ended
from tenuto.model.account import Account
from tenuto.ports.provider import NOT_CONFIRMED
from tenuto.providers.aws.access import ByProfile, access_of

LIMIT_S = 30.0
"""A program that asks a server answers in seconds, and some start an interpreter first. One that needs longer waits for
a person, and no person is there. A program that is right and slower would be a reason to raise it.
"""
LATE_PAUSE_S = 300.0
"""The pause after a program that came too late. Each try holds one of the Conductor's threads for the limit: so a tenth
of one thread, in the long run, for each such account.
"""
LATE = "NoCredentialsInTime"
"""The code of credentials that did not come within the limit; it is one of `codes.OURS`."""
LONGEST_OUTPUT = 64 * 1024
"""The output that is kept: credentials take a few kilobytes."""
_GRACE_S = 2.0
"""The time from SIGTERM to SIGKILL: enough to remove a temporary file."""
_POLL_S = 0.1
"""Seconds between two checks whether a silent program has ended, or the Conductor is to: most answer in a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedProgram:
    """A program that has ended, with the face of `subprocess.Popen` that botocore uses."""

    returncode: int
    out: bytes
    err: bytes

    def communicate(self) -> tuple[bytes, bytes]:
        return self.out, self.err


class CredentialPrograms:
    """All programs that hand out credentials to one provider. Thread-safe."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self.limit_s = limit_s
        self.closing = threading.Event()

    def of(self, account: Account) -> "AccountPrograms":
        """The programs of one session of an account."""
        return AccountPrograms(self, account)

    def close(self) -> None:
        """Have the programs ended that run, and start no more. Does not wait for them: their callers do."""
        self.closing.set()


class AccountPrograms:
    """The programs of one session of an account. It is called in the place of `subprocess.Popen`."""

    def __init__(self, programs: CredentialPrograms, account: Account) -> None:
        self._programs = programs
        self._account = account
        self._late_until = 0.0

    def __call__(self, words: Sequence[str], **_pipes: int) -> EndedProgram:
        """Run a program to its end. Raises UnconfirmedError (`NoCredentialsInTime`) when it takes too long,
        TransientError when the Conductor ends, CredentialRetrievalError when it cannot be started."""
        name = Path(words[0]).name if words else ""
        if time.monotonic() < self._late_until:
            raise self._late(name)
        if self._programs.closing.is_set():
            raise self._ending(name)
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, IndexError) as failed:
            reason = getattr(failed, "strerror", None) or "no program is named"
            raise CredentialRetrievalError(
                provider="custom-process", error_msg=f"the program {name} cannot be started: {reason}"
            ) from failed
        return self._followed(process, name)

    def _followed(self, process: subprocess.Popen[bytes], name: str) -> EndedProgram:
        try:
            printed = _printed(process, time.monotonic() + self._programs.limit_s, self._programs.closing)
        except BaseException:
            end_group(process, 0)
            raise
        if printed is not None:
            return EndedProgram(returncode=process.wait(), out=printed[0], err=printed[1])
        end_group(process, _GRACE_S)
        if self._programs.closing.is_set():
            raise self._ending(name)
        self._late_until = time.monotonic() + LATE_PAUSE_S
        raise self._late(name)

    def _late(self, name: str) -> ProviderError:
        account, access = self._account.name, access_of(self._account)
        profile = f"the profile {access.profile}" if isinstance(access, ByProfile) else "the Conductor's own profile"
        return UnconfirmedError(
            f"account {account}: the program {name} (credential_process of {profile}) gave no credentials within "
            f"{self._programs.limit_s:g} s, and Tenuto ended it. Nothing is sent without credentials. Correct the "
            "program, or the profile, where the Conductor runs: it must answer without a person at the terminal; then "
            f"'tenuto account check {account}'. Tenuto tries again by itself every {LATE_PAUSE_S / 60:g} minutes.",
            code=LATE,
        )

    def _ending(self, name: str) -> ProviderError:
        return TransientError(
            f"account {self._account.name}: the program {name}, which hands out its credentials, was ended or not "
            "started, since the Conductor ends. Nothing was sent; the next Conductor goes on.",
            code=NOT_CONFIRMED,
        )


def _printed(process: subprocess.Popen[bytes], end: float, closing: threading.Event) -> tuple[bytes, bytes] | None:
    """The beginning of both outputs of a program that ends by itself; None when it runs on. The rest of a long output
    is read and thrown away; a process that the program left behind is not waited for.

    The end of the program is not taken (`end_group`).
    """
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = bytearray(), bytearray()
    with process.stdout, process.stderr, selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, out)
        selector.register(process.stderr, selectors.EVENT_READ, err)
        while time.monotonic() < end and not closing.is_set():
            is_over = has_ended(process)
            # Without an output that is open, this is a pause: the end of the program is a moment away.
            ready = selector.select(0 if is_over else _POLL_S)
            for key, _events in ready:
                _read(key.fileobj, key.data, selector)  # type: ignore[arg-type]
            if is_over and not ready:
                return bytes(out), bytes(err)
    return None


def _read(file: IO[bytes], kept: bytearray, selector: selectors.BaseSelector) -> None:
    chunk = os.read(file.fileno(), LONGEST_OUTPUT)
    kept += chunk[: max(0, LONGEST_OUTPUT - len(kept))]
    if not chunk:
        selector.unregister(file)
