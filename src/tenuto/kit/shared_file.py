"""A text in a file that several programs read and change in turns.

Theory of operation. A program that uses the text takes the lock beside it, reads the file when another program has
written it since, and writes it when something changed. It is written as a whole, under another name and renamed, so it
suits texts of some hundred entries and not of a million. The lock is another file, since the file itself is replaced at
each write. Both are for their owner's eyes only (mode 0600).
"""

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tenuto.kit.private_file import private_draft

_NEVER_READ = (0, 0, 0)


class SharedFile:
    """One text, as a program keeps it in its own form.

    `restore` takes the text as another program has written it (empty when there is no file), `document` gives the text
    of now. `unusable` makes the error that is raised when the file cannot be read or written.
    """

    def __init__(
        self,
        path: Path,
        *,
        restore: Callable[[str], None],
        document: Callable[[], str],
        unusable: Callable[[OSError], Exception],
    ) -> None:
        self._path = path
        self._restore = restore
        self._document = document
        self._unusable = unusable
        self._read = _NEVER_READ
        self._text = ""
        self._turn = threading.RLock()
        self._depth = 0

    @contextmanager
    def session(self, *, is_changing: bool = True) -> Iterator[None]:
        """One program at a time; a session within a session is the same one.

        Raises the error that `unusable` makes, and the errors of `restore`: nothing was written then.
        """
        with self._turn:
            if self._depth:
                yield
                return
            self._depth += 1
            try:
                with self._locked():
                    self._refresh()
                    yield
                    if is_changing:
                        self._save()
            except BaseException:
                self._read = _NEVER_READ  # A change that was done in part is forgotten: the file has the state.
                raise
            finally:
                self._depth -= 1

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            descriptor = os.open(self._path.with_name(f"{self._path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _refresh(self) -> None:
        """Read the file when another program has written it, or when it was never read."""
        try:
            stat = self._path.stat()
            seen = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
            if seen == self._read:
                return
            text = self._path.read_text()
        except FileNotFoundError:
            text, seen = "", _NEVER_READ
        except OSError as error:
            raise self._unusable(error) from error
        self._restore(text)
        self._read, self._text = seen, text

    def _save(self) -> None:
        text = self._document()
        if text == self._text:
            return
        try:
            with private_draft(self._path, text.encode()) as draft:
                draft.replace(self._path)
            stat = self._path.stat()
        except OSError as error:
            raise self._unusable(error) from error
        self._read, self._text = (stat.st_ino, stat.st_size, stat.st_mtime_ns), text
