"""The number of the last batch of orders of a host: its agent keeps it, and tells its executor, which keeps it as well.

Theory of operation. The state directory of an agent may be put back from a backup. Then its number is lower than that
of the executor, and the orders in it are not those that the host carried out last. A number that cannot be read is
none: of the agent it is as one of an old directory, whose orders are given again, which changes nothing that stands.
"""

from contextlib import suppress
from pathlib import Path

from tenuto.kit.digits import is_digits
from tenuto.kit.record_file import read_record, write_record

FILE = "turn"


class Turn:
    """The number in a file of a folder, which no other process writes. 0 before the first batch."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        text = ""
        with suppress(OSError):
            text = read_record(self._file)
        self.number = int(text) if is_digits(text) else 0

    def raise_to(self, number: int) -> None:
        """Keep a number; a lower one than before changes nothing. Raises OSError."""
        if number > self.number:
            write_record(self._file, str(number))
            self.number = number
