"""Ids in AWS's shape: a prefix and 17 hexadecimal digits, a function of seed, place, kind and number."""

import hashlib
import re
from collections import Counter

_SHAPE = re.compile(r"[0-9a-f]{8}|[0-9a-f]{17}")
_DOMAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


class Ids:
    """The ids of one cloud: the same calls in the same order give the same ids."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._given: Counter[str] = Counter()

    def new(self, prefix: str, stream: str = "") -> str:
        """`vpc-0…`. Each prefix is a stream of its own."""
        return f"{prefix}-0{self.digits(f'{stream}/{prefix}', 16)}"

    def digits(self, stream: str, length: int) -> str:
        self._given[stream] += 1
        text = f"{self._seed}/{stream}/{self._given[stream]}"
        return hashlib.sha256(text.encode()).hexdigest()[:length]

    def letters(self, stream: str, length: int) -> str:
        """The letters of an id of IAM."""
        number = int(self.digits(stream, 40), 16)
        return "".join(_DOMAIN[(number >> 5 * place) % 32] for place in range(length))

    def request_id(self) -> str:
        """Like a UUID."""
        text = self.digits("request", 32)
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def is_well_formed(prefix: str, text: str) -> bool:
    return text.startswith(f"{prefix}-") and _SHAPE.fullmatch(text[len(prefix) + 1 :]) is not None
