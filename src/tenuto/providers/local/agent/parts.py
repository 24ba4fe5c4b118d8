"""The parts of a host: files of transfers that are not complete, and the room that their contents need.

Theory of operation. A part waits for its transfer to go on. One that no order asks for any more would stay for ever, so
it is removed when nothing came for a while. On a full disk none waits: each part without a transfer is removed, as is
that of the transfer that met the end of the disk. The room that this one would have needed is remembered, so that the
same bytes do not come again and again: its next transfer begins when there is more room than there was.
"""

import re
from collections.abc import Iterable

from tenuto.model.ids import Instant, ObjectId
from tenuto.providers.local.images.folder import BlobFolder

_OF_A_TRANSFER = re.compile(r"[0-9a-f]{64}")


def name_of(sha512: str) -> ObjectId:
    """The name of the part of a content."""
    return ObjectId(sha512[:64])


class Parts:
    """The parts in a folder of blobs. The caller keeps calls apart."""

    def __init__(self, blobs: BlobFolder) -> None:
        self._blobs = blobs
        self._needed: dict[str, int] = {}

    def check_room(self, sha512: str, size: int) -> None:
        """Raise NoRoomError when the content cannot come whole. `size` is that of the content, or 0 where it is not
        known."""
        needed = max(size, self._needed.get(sha512, 0))
        if needed:
            self._blobs.check_room(needed - self._size(sha512))

    def give_up(self, sha512: str, under_way: Iterable[str]) -> None:
        """Make room after a transfer has met the end of the disk: remove its part, and each one that no transfer writes
        to. `under_way` are the contents that are coming."""
        self._needed[sha512] = self._size(sha512) + self._blobs.free_bytes() + 1
        self._blobs.drop(name_of(sha512))
        self.tidy(under_way)

    def came(self, sha512: str) -> None:
        """Forget the need of a content that is here as a whole."""
        self._needed.pop(sha512, None)

    def tidy(self, wanted: Iterable[str], before: Instant | None = None) -> None:
        """Remove the parts but for those of contents that are wanted: all others, or those to which nothing came since
        a moment."""
        kept = {name_of(one) for one in wanted}
        for name in self._blobs.parts():
            if name in kept or not _OF_A_TRANSFER.fullmatch(name):
                continue
            part = self._blobs.part(name)
            if part is not None and (before is None or part.touched_at <= before):
                self._blobs.drop(name)

    def _size(self, sha512: str) -> int:
        part = self._blobs.part(name_of(sha512))
        return part.size if part else 0
