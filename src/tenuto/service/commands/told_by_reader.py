"""Refusals because of other processes: their text depends on the processes that the reader may see."""

from collections.abc import Callable
from typing import ClassVar

from tenuto.errors import NotAllowedError
from tenuto.model.ids import Fid

IsSeen = Callable[[Fid | None], bool]


class ToldByReaderError(NotAllowedError):
    """A refusal because of other processes. Its text names them all: a border that knows its reader tells `as_told` in
    its place."""

    told_as: ClassVar[type[NotAllowedError]] = NotAllowedError
    """The family that a reader is told."""

    def __init__(self) -> None:
        super().__init__(self._message(lambda _: True))

    def for_reader(self, is_seen: IsSeen) -> NotAllowedError:
        """The error with the names that the reader may know."""
        return self.told_as(self._message(is_seen))

    def _message(self, is_seen: IsSeen) -> str:
        raise NotImplementedError
