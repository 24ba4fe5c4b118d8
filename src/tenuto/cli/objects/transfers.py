"""Files that go to the Conductor and come from it, in parts: an interrupted transfer goes on where it stopped.

Theory of operation. An upload is known by the name, the size and the digest of the file, so to type the command again
finds it. How many bytes are there, the Conductor says; a part whose answer was lost is asked for, never guessed. Two
commands for one file send into one upload, and one of them ends it first: the other one asks for the same end. A
download keeps its bytes beside the file, under a name that holds the digest, and takes the place of the file when it is
complete and right.
"""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

from tenuto.cli.client.client import Client
from tenuto.cli.processes.waiting import PATIENCE_S, POLL_S
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import ApiProblem, CommandEnd, Exit, UnreachableError
from tenuto.cli.terminal.session import Session
from tenuto.errors import UserError
from tenuto.model.ids import JsonMap
from tenuto.ports.clock import Clock

PART_BYTES = 4 * 1024**2
"""The bytes of one request: at most so many are sent again after an interruption."""
_READ_BYTES = 1024**2
_PASSING = frozenset({"busy", "slow", "incomplete", "store-unavailable", "conflict", "stopping"})
"""Problems after which the same part may be sent again."""


class Meter:
    """The progress of a transfer on a terminal: one line that is drawn over itself."""

    def __init__(self, session: Session, size: int) -> None:
        self._session = session
        self._size = max(size, 1)
        self._told = ""

    def show(self, doing: str, count: int) -> None:
        text = f"{doing}: {_mib(count)} of {_mib(self._size)} MiB ({100 * count // self._size} %)"
        if self._session.is_live and not self._session.is_json and text != self._told:
            self._told = text
            terminal.tell_over(text)

    def end(self) -> None:
        """Remove the line."""
        if self._told:
            self._told = ""
            terminal.tell_over("")


def upload(session: Session, client: Client, clock: Clock, account: str, path: Path, asked: JsonMap) -> JsonMap:
    """Send a file, from its first byte that is not there yet; return the upload that became a version.

    Raises UnreachableError when the Conductor stays away, and ApiProblem.
    """
    size = path.stat().st_size
    if not size:
        raise UserError(f"{path} is empty. An artifact has at least one byte.")
    meter = Meter(session, size)
    try:
        found = _digest(path, lambda count: meter.show("Reading", count))
        begun = client.post(*_uploads(account), body={**asked, "size": size, "sha512": found})
        if begun["artifact"] is None:
            if begun["offset"]:
                meter.end()
                session.say(f"The upload goes on after {_mib(begun['offset'])} of {_mib(size)} MiB.")
            _send(client, clock, _uploads(account, begun["id"]), path, begun["offset"], size, meter)
            meter.show("Checking", size)
            begun = _again(clock, lambda: client.post(*_uploads(account, begun["id"]), "finish"))
    finally:
        meter.end()
    return begun


def download(session: Session, client: Client, clock: Clock, artifact: str, version: JsonMap, path: Path) -> None:
    """Fetch a version into a file, which is complete and right when it is there.

    Raises CommandEnd when the bytes are wrong, UnreachableError and ApiProblem.
    """
    size, wanted = int(version["size"]), str(version["sha512"])
    part = path.with_name(f"{path.name}.{wanted[:16]}.part")
    meter = Meter(session, size)
    try:
        end = clock.now() + PATIENCE_S
        while (there := part.stat().st_size if part.exists() else 0) < size:
            try:
                with part.open("ab") as file:
                    for block in client.download(
                        "objects", artifact, "content", begin=there, version=version["version"]
                    ):
                        file.write(block)
                        there += len(block)
                        meter.show("Fetching", there)
                        end = clock.now() + PATIENCE_S
            except UnreachableError:
                if clock.now() > end:
                    raise
                clock.sleep(POLL_S)
        if there > size or _digest(part, lambda count: meter.show("Checking", count)) != wanted:
            part.unlink()
            raise CommandEnd(
                Exit.FAILED,
                f"What came is not version {version['version']}: its SHA-512 differs. Nothing was written. Try it "
                f"again; if it differs again, 'tenuto blob verify {version['blob']}' tells whether the Conductor's "
                "file is damaged.",
            )
        part.replace(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}. What has come is kept beside it.") from error
    finally:
        meter.end()


def _send(
    client: Client, clock: Clock, upload_path: tuple[str, ...], path: Path, offset: int, size: int, meter: Meter
) -> None:
    end = clock.now() + PATIENCE_S
    with path.open("rb") as file:
        while offset < size:
            meter.show("Sending", offset)
            file.seek(offset)
            content = file.read(PART_BYTES)
            if not content:
                raise UserError(f"{path} became shorter while it was sent. Send it again when it does not change.")
            try:
                offset = int(client.send_bytes(*upload_path, content=content, offset=offset)["offset"])
                end = clock.now() + PATIENCE_S
            except (UnreachableError, ApiProblem) as problem:
                if _has_ended(problem):
                    return
                if clock.now() > end or not _may_pass(problem):
                    raise
                clock.sleep(POLL_S)
                offset = int(_again(clock, lambda: client.get(*upload_path))["offset"])


def _again(clock: Clock, ask: Callable[[], JsonMap]) -> JsonMap:
    """The answer to a question that may be asked more than once."""
    end = clock.now() + PATIENCE_S
    while True:
        try:
            return ask()
        except (UnreachableError, ApiProblem) as problem:
            if clock.now() > end or not _may_pass(problem, is_late_known=False):
                raise
            clock.sleep(POLL_S)


def _may_pass(problem: UnreachableError | ApiProblem, *, is_late_known: bool = True) -> bool:
    """Whether another try may help. A part that is there already is refused, and then the offset tells so."""
    if isinstance(problem, UnreachableError):
        return True
    return problem.code in _PASSING or (is_late_known and problem.code == "not-allowed")


def _has_ended(problem: UnreachableError | ApiProblem) -> bool:
    """Whether an upload takes no more bytes. To finish it tells the version that it became, or that it became none."""
    return isinstance(problem, ApiProblem) and problem.code == "not-found"


def _digest(path: Path, tell: Callable[[int], None]) -> str:
    digest, count = hashlib.sha512(), 0
    for block in _blocks(path):
        digest.update(block)
        count += len(block)
        tell(count)
    return digest.hexdigest()


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            yield block


def _uploads(account: str, *more: str) -> tuple[str, ...]:
    return "namespaces", account, "uploads", *more


def _mib(count: int) -> str:
    return f"{count / 1024**2:.1f}"
