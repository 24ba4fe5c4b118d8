"""Reads only what is new in a list that was read before.

Theory of operation. A sweep asks EC2 for everything of a type again and again, and nearly every item of the answer is,
to the byte, what it was half a minute ago. Parsing is most of what such a call costs us, so an answer is first cut into
its items, without parsing: the request id and the token of the next page are not part of an item, and `<item>` cannot
stand in a value, where it would be written `&lt;item&gt;`. An item whose digest is known has been parsed before, and is
the very same value again; what is left of the answer with the unknown ones goes to botocore's own parser.

An answer in any other shape (an error, a comment, two lists) is parsed as ever. Parsed items are shared: no caller may
write into them.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from time import monotonic
from typing import Any

from botocore.model import Shape
from botocore.parsers import EC2QueryParser, ResponseParserFactory

from tenuto.providers.aws.client.answers import CAREFUL, careful

MOST = 100_000
"""Items of one generation, at 2 to 9 KB each: as many as one Conductor sweeps on a 30 s period."""
GENERATION_S = 300.0
"""The length of a generation. An item that was not seen for two of them is forgotten: the old version of a thing that
was changed does not return."""
_TAG = re.compile(rb"<(/?)item>")
_UNUSUAL = re.compile(rb"<!|<item[\s/]")

Key = tuple[str, bytes]


class KnownItems:
    """The parsed items of this generation and the one before, by shape and digest of their text. Thread-safe.

    `now` is a clock that only goes forward, in seconds.
    """

    def __init__(self, most: int = MOST, now: Callable[[], float] = monotonic) -> None:
        self._most = most
        self._now = now
        self._lock = Lock()
        self._born_at = now()
        self._young: dict[Key, Any] = {}
        self._old: dict[Key, Any] = {}

    def get(self, keys: Sequence[Key]) -> dict[Key, Any]:
        """Return the items that are known, by key."""
        with self._lock:
            found = {key: self._young[key] for key in keys if key in self._young}
            older = {key: self._old[key] for key in keys if key not in found and key in self._old}
            self._keep(older)
        return found | older

    def add(self, items: dict[Key, Any]) -> None:
        with self._lock:
            self._keep(items)

    def _keep(self, items: dict[Key, Any]) -> None:
        now = self._now()
        if now - self._born_at >= GENERATION_S or len(self._young) + len(items) > self._most:
            self._old, self._young, self._born_at = self._young, {}, now
        self._young.update(items)


class ItemParsers(ResponseParserFactory):  # type: ignore[misc]
    """Gives botocore our parser for EC2, and its own, made careful, for every other protocol."""

    def __init__(self) -> None:
        super().__init__()
        self._known = KnownItems()
        self._given: dict[str, Any] = {}

    def set_parser_defaults(self, **kwargs: Any) -> None:
        self._given |= kwargs

    def create_parser(self, protocol_name: str) -> Any:
        if protocol_name != "ec2":
            return CAREFUL[protocol_name](**self._given)
        return ItemParser(self._known, **self._given)


class ItemParser(careful(EC2QueryParser)):  # type: ignore[misc]
    """The parser of botocore, limited to the items that are not known yet."""

    def __init__(self, known: KnownItems, **defaults: Any) -> None:
        super().__init__(**defaults)
        self._known = known

    def parse(self, response: dict[str, Any], shape: Shape | None) -> Any:
        name = _only_list(shape) if response["status_code"] == 200 else ""
        page = _page(response["body"], shape.members[name].serialization["name"]) if shape and name else None
        if shape is None or page is None:
            return super().parse(response, shape)
        keys = [(shape.name, blake2b(item, digest_size=16).digest()) for item in page.items]
        found = self._known.get(keys)
        new = {key: item for key, item in zip(keys, page.items, strict=True) if key not in found}
        parsed = super().parse({**response, "body": page.head + b"".join(new.values()) + page.tail}, shape)
        members = parsed.get(name, ())
        if len(members) != len(new):
            return super().parse(response, shape)
        read = dict(zip(new, members, strict=True))
        self._known.add(read)
        found |= read
        parsed[name] = [found[key] for key in keys]
        return parsed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """An answer cut into what is before the items, the items, and what is after them."""

    head: bytes
    items: list[bytes]
    tail: bytes


def _only_list(shape: Shape | None) -> str:
    """The one list of an answer; empty when there is none, or several."""
    if shape is None or shape.type_name != "structure":
        return ""
    lists = [name for name, member in shape.members.items() if member.type_name == "list"]
    is_plain = len(lists) == 1 and "name" in shape.members[lists[0]].serialization
    return lists[0] if is_plain else ""


def _page(body: bytes, name: str) -> _Page | None:
    """The answer cut up; None when it does not look as expected."""
    opening, closing = f"<{name}>".encode(), f"</{name}>".encode()
    start, stop = body.find(opening) + len(opening), body.rfind(closing)
    if start < len(opening) or stop < start or _UNUSUAL.search(body):
        return None
    items: list[bytes] = []
    depth = began = 0
    for tag in _TAG.finditer(body, start, stop):
        if not tag[1]:
            began = tag.start() if depth == 0 else began
            depth += 1
            continue
        depth -= 1
        if depth == 0:
            items.append(body[began : tag.end()])
    return _Page(head=body[:start], items=items, tail=body[stop:]) if depth == 0 else None
