"""Parsers that read only the new items of a list that was read before.

Theory of operation. A sweep asks EC2 for everything of a type again and again, and nearly every item of the answer is,
to the byte, the same as half a minute ago. Parsing is most of the cost of such a call, so an answer is first cut into
its items, without parsing: the request id and the token of the next page are not part of an item, and `<item>` cannot
stand in a value, where it would be written `&lt;item&gt;`. An item whose digest is known has been parsed before, and is
the very same value again; the rest of the answer, with the unknown ones, goes to botocore's own parser.

An answer in any other shape (an error, a comment, two lists) is parsed as ever. Parsed items are shared: no caller may
write into them.

The lists of IAM are read in the same way: their items are called `member`, and the SDK writes into them, since it puts
documents in the place of their texts after a call. That is done here, once for each item (`decode_others`).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from time import monotonic
from types import SimpleNamespace
from typing import Any

from botocore.handlers import json_decode_policies
from botocore.model import OperationModel, Shape
from botocore.parsers import EC2QueryParser, QueryParser, ResponseParserFactory

from tenuto.providers.aws.client.answers.answers import CAREFUL, careful

MOST = 100_000
"""Items of one generation, at 2 to 9 KB each: as many as one Conductor sweeps on a 30 s period."""
GENERATION_S = 300.0
"""The length of a generation. An item that was not seen for two of them is forgotten: the old version of a thing that
was changed does not return."""
_OF_IAM = frozenset(
    {
        "GetAccountAuthorizationDetailsResponse",
        "ListInstanceProfilesResponse",
        "ListPoliciesResponse",
        "ListRolesResponse",
    }
)
"""The shapes of the lists of IAM that a sweep asks for. No list in one of their items has the name of another."""

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
    """Gives botocore our parsers for EC2 and IAM, and its own, made careful, for every other protocol."""

    def __init__(self) -> None:
        super().__init__()
        self._known = KnownItems()
        self._given: dict[str, Any] = {}

    def set_parser_defaults(self, **kwargs: Any) -> None:
        self._given |= kwargs

    def create_parser(self, protocol_name: str) -> Any:
        if protocol_name == "ec2":
            return ItemParser(self._known, **self._given)
        if protocol_name == "query":
            return MemberParser(self._known, **self._given)
        return CAREFUL[protocol_name](**self._given)


@dataclass(frozen=True, slots=True)
class _Words:
    """The elements of the items of a list: their tags, and the signs of an element that is no plain one."""

    tag: re.Pattern[bytes]
    unusual: re.Pattern[bytes]


def _words(name: str) -> _Words:
    return _Words(re.compile(rf"<(/?){name}>".encode()), re.compile(rf"<!|<{name}[\s/]".encode()))


_ITEM, _MEMBER = _words("item"), _words("member")


class ItemParser(careful(EC2QueryParser)):  # type: ignore[misc]
    """The parser of botocore for EC2, limited to the items that are not known yet."""

    def __init__(self, known: KnownItems, **defaults: Any) -> None:
        super().__init__(**defaults)
        self._known = known

    def parse(self, response: dict[str, Any], shape: Shape | None) -> Any:
        name = _only_list(shape) if response["status_code"] == 200 else ""
        return _parsed(super().parse, self._known, response, shape, [name] if name else [], _ITEM)


class MemberParser(careful(QueryParser)):  # type: ignore[misc]
    """The parser of botocore for IAM and its like: of IAM's lists, limited to the members that are not known yet."""

    def __init__(self, known: KnownItems, **defaults: Any) -> None:
        super().__init__(**defaults)
        self._known = known

    def parse(self, response: dict[str, Any], shape: Shape | None) -> Any:
        if shape is None or shape.name not in _OF_IAM or response["status_code"] != 200:
            return super().parse(response, shape)
        names = [name for name, member in shape.members.items() if member.type_name == "list"]

        def parse(part: dict[str, Any], shape: Shape) -> Any:
            answer = super(MemberParser, self).parse(part, shape)
            json_decode_policies(answer, SimpleNamespace(output_shape=shape))
            return answer

        return _parsed(parse, self._known, response, shape, names, _MEMBER)


def decode_others(parsed: Any, model: OperationModel, **_: object) -> None:
    """The SDK's `after-call` of IAM: put documents in the place of their texts, where the parser has not done so."""
    if model.output_shape is None or model.output_shape.name not in _OF_IAM:
        json_decode_policies(parsed, model)


def _parsed(
    parse: Callable[[dict[str, Any], Shape | None], Any],
    known: KnownItems,
    response: dict[str, Any],
    shape: Shape | None,
    names: Sequence[str],
    words: _Words,
) -> Any:
    """The answer, of which the only list with items, one of the `names`, has known items as they were parsed before."""
    if shape is None:
        return parse(response, shape)
    found_in = {name: _page(response["body"], _element(shape, name), words) for name in names}
    pages = [(name, page) for name, page in found_in.items() if page is not None and page.items]
    if len(pages) != 1:
        return parse(response, shape)
    [(name, page)] = pages
    keys = [(f"{shape.name}.{name}", blake2b(item, digest_size=16).digest()) for item in page.items]
    found = known.get(keys)
    new = {key: item for key, item in zip(keys, page.items, strict=True) if key not in found}
    parsed = parse({**response, "body": page.head + b"".join(new.values()) + page.tail}, shape)
    members = parsed.get(name, ())
    if len(members) != len(new):
        return parse(response, shape)
    read = dict(zip(new, members, strict=True))
    known.add(read)
    found |= read
    parsed[name] = [found[key] for key in keys]
    return parsed


def _element(shape: Shape, name: str) -> str:
    """The name of the element that holds a list of an answer."""
    found: str = shape.members[name].serialization.get("name", name)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """An answer cut into the part before the items, the items, and the part after them."""

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


def _page(body: bytes, name: str, words: _Words) -> _Page | None:
    """The answer cut up; None when it does not look as expected."""
    opening, closing = f"<{name}>".encode(), f"</{name}>".encode()
    start, stop = body.find(opening) + len(opening), body.rfind(closing)
    if start < len(opening) or stop < start or words.unusual.search(body):
        return None
    items: list[bytes] = []
    depth = began = 0
    for tag in words.tag.finditer(body, start, stop):
        if not tag[1]:
            began = tag.start() if depth == 0 else began
            depth += 1
            continue
        depth -= 1
        if depth == 0:
            items.append(body[began : tag.end()])
    return _Page(head=body[:start], items=items, tail=body[stop:]) if depth == 0 else None
