"""Masks: the clear values of secrets are taken out of a text, in every encoding that a text may give them.

Theory of operation. A provider repeats values in its messages ("Value (…) for parameter cidrBlock is invalid"), and
these are stored, logged and sent. The caller of the provider knows the secrets of that very call, so it knows the
values that must not be in the answer. A `Masker` is made of these values. It writes each value in every form in which
an answer may hold it: as it is, URL-encoded, escaped for JSON, XML or Python, in hexadecimal, and in base64 at each of
the three places where a value may begin in a longer encoded text. Each of these forms becomes `****`. Forms that
overlap become one `****`, so that the rest of one does not stay beside the other.

A text may have been cut before it came here. So the beginning of a form that stands at the end of the text, or right
before an ellipsis, is masked as well, from `SHORTEST_BEGINNING` characters on.

A value of one to three characters occurs in every text by chance. It is masked only where it stands as a word of its
own, and as it is.

Rejected: to drop all that a provider says of a resource with a secret. Then nothing would say which property is wrong.

Errors of a provider that tell no secret.

An error keeps its family, its code and its request id. Its causes are dropped when one of them, or the error itself,
tells a secret: a traceback in the log would print them. An error that is no provider error becomes a PermanentError
then.
"""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

from tenuto.core.language import resolve
from tenuto.core.language.expressions import ResolveError, call_of, is_list
from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Request

MASK = "****"
SHORTEST = 4
"""Shorter values are masked as words only: "on" is in "connection"."""
SHORTEST_BEGINNING = 6
"""Fewer characters of a value at a cut are there by chance too often, and tell little."""
SHORTEST_LINE = 8
"""The length from which a line of a value of several lines (a key, a certificate) is a value of its own."""
_ELLIPSES = re.compile(r"…|\.\.\.")
_XML_QUOTES = ({'"': "&quot;", "'": "&apos;"}, {'"': "&#34;", "'": "&#39;"})
_HEX_ESCAPE = re.compile(r"%[0-9A-F]{2}")

_Span = tuple[int, int]


class Masker:
    """Masks some secrets. Its forms are made when the first text is masked, since most calls bring no text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        given = {part for value in secrets for part in _parts(value) if part.strip("* \t\r\n")}
        self._values = tuple(sorted(value for value in given if len(value) >= SHORTEST))
        self._words = tuple(sorted(value for value in given if len(value) < SHORTEST))
        self._forms: tuple[str, ...] | None = None

    def __bool__(self) -> bool:
        """Whether there is anything to mask."""
        return bool(self._values or self._words)

    def mask(self, text: str) -> str:
        """The text with `****` in place of every secret in it; the same text when there is none in it."""
        if not text or not self:
            return text
        spans = [*self._whole(text), *self._cut(text)]
        if not spans:
            return text
        masked: list[str] = []
        end = 0
        for start, stop in _merged(spans):
            masked += [text[end:start], MASK]
            end = stop
        return "".join((*masked, text[end:]))

    def _all_forms(self) -> tuple[str, ...]:
        if self._forms is None:
            forms = {form for value in self._values for form in _forms(value) if len(form) >= SHORTEST}
            self._forms = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        return self._forms

    def _whole(self, text: str) -> Iterator[_Span]:
        for form in self._all_forms():
            start = text.find(form)
            while start >= 0:
                yield (start, start + len(form))
                start = text.find(form, start + 1)
        for word in self._words:
            for found in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text):
                yield found.span()

    def _cut(self, text: str) -> Iterator[_Span]:
        """The beginnings of forms that stand where the text was cut."""
        for stop in (*(found.start() for found in _ELLIPSES.finditer(text)), len(text)):
            for form in self._all_forms():
                first = max(0, stop - len(form) + 1)
                start = text.find(form[:SHORTEST_BEGINNING], first, stop)
                while start >= 0 and not form.startswith(text[start:stop]):
                    start = text.find(form[:SHORTEST_BEGINNING], start + 1, stop)
                if start >= 0:
                    yield (start, stop)


NOTHING = Masker()
"""Masks nothing."""


def masker_of(requests: Iterable[Request]) -> Masker:
    """The masker of one bulk call."""
    return Masker({text for request in requests for text in request.secrets})


def secret_texts(
    desired: JsonMap,
    secrets: Mapping[str, str],
    observed: JsonMap | None = None,
    *,
    kept: Mapping[str, str] = MappingProxyType({}),
    known: Masker | None = None,
) -> tuple[str, ...]:
    """The texts that must be masked in an answer: the secrets of the process, and the values that properties make of
    them.

    A part of a secret (`Fn::Select` of an `Fn::Split`) does not contain the secret, so it counts as one itself. So does
    the value that the provider shows now of a property that is declared with a secret: it may be the secret from before
    an update. `kept` are the secrets of the properties that the provider keeps, by their references. `known` is the
    masker of `secrets`, for a caller that has made it already.
    """
    values = {value for value in (*secrets.values(), *kept.values()) if value}
    if known is None or kept:
        known = Masker(values)
    made = _leaves(_made(desired, resolve.Environment(references=secrets, secrets=kept)))
    shown = _leaves(
        [
            (observed or {}).get(name)
            for name, value in desired.items()
            if isinstance(value, Mapping) and call_of(value) is not None and not resolve.is_resolved(value)
        ]
    )
    return tuple(sorted(values | {leaf for leaf in (*made, *shown) if leaf and known.mask(leaf) == leaf}))


def _made(value: Json, environment: resolve.Environment) -> Iterator[Json]:
    """The value of each outermost expression in a value, with the secrets in it."""
    if isinstance(value, Mapping):
        if call_of(value) is not None:
            try:
                yield resolve.resolve(value, environment)
            except ResolveError:
                return
        else:
            for member in value.values():
                yield from _made(member, environment)
    elif is_list(value):
        for member in value:
            yield from _made(member, environment)


def _leaves(values: Iterable[Json]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from _leaves(value.values())
        elif is_list(value):
            yield from _leaves(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield str(value)


def _parts(value: str) -> Iterator[str]:
    """The value, and each long line of it; both also with their white space as one who cites them writes it."""
    lines = value.splitlines()
    yield from (value, value.strip(), " ".join(value.split()))
    if len(lines) > 1:
        yield from (line.strip() for line in lines if len(line.strip()) >= SHORTEST_LINE)


def _forms(value: str) -> Iterator[str]:
    """The value in every form in which a text may hold it."""
    yield value
    raw = value.encode(errors="surrogatepass")
    for url in (quote(raw), quote(raw, safe=""), quote_plus(raw)):
        yield from (url, _in_small_hex(url))
    for is_ascii in (True, False):
        once = json.dumps(value, ensure_ascii=is_ascii)[1:-1]
        # A document in a document: policies are texts in a request that is sent as JSON.
        yield from (once, once.replace("/", "\\/"), json.dumps(once, ensure_ascii=is_ascii)[1:-1])
    for written in (repr(value), ascii(value), repr(raw)[1:]):
        yield from (written[1:-1], repr(written[1:-1])[1:-1])
    for xml in (escape(value), *(escape(value, quotes) for quotes in _XML_QUOTES), html.escape(value)):
        yield from (xml, xml.encode("ascii", "xmlcharrefreplace").decode())
    yield from (raw.hex(), raw.hex().upper())
    yield from _in_base64(raw)


def _in_small_hex(text: str) -> str:
    return _HEX_ESCAPE.sub(lambda found: found[0].lower(), text)


def _in_base64(value: bytes) -> Iterator[str]:
    """The value encoded alone, and those characters that stand for it alone inside of a longer encoded text."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        whole = encode(value).decode()
        yield from (whole, quote_plus(whole), _in_small_hex(quote_plus(whole)))
        for before in range(3):
            first = -(-8 * before // 6)
            last = 8 * (before + len(value)) // 6
            yield encode(bytes(before) + value).decode()[first:last]


def _merged(spans: Iterable[_Span]) -> list[_Span]:
    """Return the same characters in spans that are apart, from left to right."""
    merged: list[_Span] = []
    for start, stop in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged


@contextmanager
def masked_errors(masker: Masker) -> Iterator[None]:
    """Raise each error of the block again, without the secrets of the masker."""
    try:
        yield
    except Exception as error:
        if all(masker.mask(text) == text for one in _chain(error) for text in (str(one), repr(one))):
            raise
        text = masker.mask(str(error))
        if isinstance(error, ProviderError):
            raise type(error)(text, code=masker.mask(error.code), request_id=error.request_id) from None
        raise PermanentError(text or type(error).__name__, code=type(error).__name__) from None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and all that a traceback prints with it."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += [one.__cause__, one.__context__]
