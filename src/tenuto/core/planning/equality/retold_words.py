"""Words of a provider: whether one value, shown in some normal form, is the value that was sent.

Theory of operation. Each rule here is a class of rewriting that services do for resources of any type: the case of a
word, a qualified name for a plain one, a number as text, a version with its release, an address in its normal form, a
text without its last line end, a document in base64. A rule looks at the form of both values, never at the type they
belong to, and it says yes only when the *other* form can be told from the first: two values of the same form (two
qualified names, two numbers) must agree as they are.
"""

import base64
import binascii
import ipaddress
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality.scalars import scalar
from tenuto.kit.times import moment_of
from tenuto.model.ids import Json
from tenuto.model.spelling import Retelling

_HOUR_S = 3600
_FIRST_MOMENT_S = 1_000_000_000
"""Whole numbers from here on may be moments (2001): few other properties are as large."""
_VERSION = re.compile(r"v?(?P<places>\d+(\.\d+)*)(\.x)?")
_VERSIONED = re.compile(r"(?i).*(version|release)(label)?")
_ROUND_S = (60, _HOUR_S)
_SHORTEST_BASE64 = 8
"""Letters of a text that is tried as base64: shorter ones are words by accident."""


def is_same_word(sent: Json, shown: Json, words: Retelling, name: str) -> bool:
    """Whether two scalars are the same, as far as their forms tell. `name` is that of their property."""
    is_version = _VERSIONED.fullmatch(name) is not None
    if not is_version and (_is_number(sent) or _is_number(shown)) and None not in (_number(sent), _number(shown)):
        return _is_same_number(sent, shown)
    one, other = _plain(scalar(sent)), _plain(scalar(shown))
    if one == other:
        return not _is_prose(scalar(sent), scalar(shown))
    return (
        (not is_version and _is_same_number(one, other))
        or any(
            rule(*pair)
            for rule in (_is_address, _is_url, _is_encoded, _is_masked)
            for pair in ((scalar(sent).strip(), scalar(shown).strip()), (scalar(shown).strip(), scalar(sent).strip()))
        )
        or any(
            _is_release(*pair, words, name) or is_named_by(*pair, words) or _is_account(*pair, words)
            for pair in ((one, other), (other, one))
        )
        or _is_same_moment(one, other)
        or _items(one) == _items(other) != ()
    )


def says_nothing(value: Json, words: Retelling) -> bool:
    """Whether a value means the same as none: an empty one, a word for nothing, or a mapping of such. A number never
    does."""
    if isinstance(value, Mapping):
        return all(says_nothing(one, words) for one in value.values())
    if is_list(value):
        return not value
    return value is None or scalar(value).casefold() in words.nothing


def is_named_by(qualified: str, name: str, words: Retelling) -> bool:
    """Whether a plain name is the one in a qualified name, with or without the words before it. Two qualified names are
    the same but for the suffix that a service appends."""
    match = re.fullmatch(words.qualified, qualified)
    if not re.search(r"\w", name):
        return False
    if match is None:
        return _is_tail(qualified, name, words)
    if re.fullmatch(words.qualified, name):
        return re.sub(words.suffix, "", qualified) == name
    rest = re.sub(words.suffix, "", match["rest"])
    service, _, path = name.partition(":")
    # `execute-api:/prod/*` has no place for the id of the API, which is the first word of the long form.
    is_short = match["service"] == service and path.startswith("/") and f"/{rest.partition('/')[2]}" == path
    return is_short or rest == name or rest.endswith((f"/{name}", f":{name}"))


def _is_tail(path: str, name: str, words: Retelling) -> bool:
    """Whether a path of the provider, or a name after a word of its own, ends with the plain name."""
    return "/" not in name and re.fullmatch(rf"(?:{words.prefixes}){re.escape(name)}", path) is not None


def _plain(text: str) -> str:
    """A text in one spelling: case folded, line ends of one kind, without white space at the ends of lines; of a single
    line, white space of any length is one blank."""
    if not text.strip():
        return text
    lines = [line.rstrip() for line in text.strip().casefold().splitlines()]
    return "\n".join(lines) if len(lines) > 1 else " ".join(text.casefold().split())


def _is_prose(sent: str, shown: str) -> bool:
    """Whether two texts that differ in case alone are sentences: a service folds names and words, and those to one
    case; a sentence is a person's own."""
    one, other = sent.split(), shown.split()
    return len(one) > 1 and one != other and shown not in (shown.lower(), shown.upper())


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_same_number(one: Json, other: Json) -> bool:
    """Whether both are the same number, or the second one a moment that is rounded down to a minute or an hour."""
    exact, shown = _number(one), _number(other)
    return exact is not None and shown is not None and (exact == shown or _is_rounded(exact, shown))


def _number(value: Json) -> Decimal | None:
    if isinstance(value, bool):
        return None
    text = scalar(value)
    try:
        return Decimal(text) if re.fullmatch(r"[-+]?\d[\d.]*(e[-+]?\d+)?", text) else None
    except InvalidOperation:
        return None


def _is_rounded(exact: Decimal, shown: Decimal) -> bool:
    return exact >= _FIRST_MOMENT_S and any(shown % step == 0 and 0 <= exact - shown < step for step in _ROUND_S)


def _is_same_moment(one: str, other: str) -> bool:
    moments = [_moment(text) for text in (one, other)]
    return moments[0] is not None and moments[0] == moments[1]


def _moment(text: str) -> int | None:
    """The second that a text names; None when it names none."""
    if re.fullmatch(r"\d{10}(\.\d+)?", text):
        return int(float(text))
    found = moment_of(text.upper())
    return None if found is None else int(found)


def _is_release(version: str, shown: str, words: Retelling, name: str) -> bool:
    """Whether a version is told with more places (8.0 and 8.0.45), or is the latest one.

    A text with one point may be a number: it is a version by the name of its property alone.
    """
    longer = _VERSION.fullmatch(shown)
    if longer is None:
        return False
    if version in words.latest:
        return True
    shorter = _VERSION.fullmatch(version)
    is_version = shown.count(".") > 1 or _VERSIONED.fullmatch(name) is not None
    return is_version and shorter is not None and f"{longer['places']}.".startswith(f"{shorter['places']}.")


def _is_account(qualified: str, account: str, words: Retelling) -> bool:
    match = re.fullmatch(words.account, qualified)
    return match is not None and match["same"] == account


def _is_address(one: str, other: str) -> bool:
    """Whether both are the same network or address, in different spellings."""
    networks = [_network(text) for text in (one, other)]
    return networks[0] is not None and networks[0] == networks[1]


def _network(text: str) -> str | None:
    if not re.search(r"[.:]", text):
        return None
    try:
        return str(ipaddress.ip_network(text, strict=False))
    except ValueError:
        return None


def _is_url(one: str, other: str) -> bool:
    """Whether the first is the name or the address of the second with the additions of a service: the protocol, a slash
    or a point at the end, an escaped star."""
    longer, shorter = (text.replace("\\052", "*").casefold() for text in (one, other))
    if "." not in shorter and "://" not in shorter:
        return False
    return any(
        longer == prefix + shorter + suffix for prefix in ("", "https://", "http://") for suffix in ("", "/", ".")
    )


def _is_encoded(plain: str, code: str) -> bool:
    """Whether the second is the base64 of the first, or of the same bytes."""
    if len(code) < _SHORTEST_BASE64:
        return False
    inside = _decoded(code)
    return inside is not None and (_decoded(plain) == inside or plain.encode().strip() == inside.strip())


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (ValueError, binascii.Error):
        return None


def _is_masked(full: str, plain: str) -> bool:
    """Whether letters beyond ASCII are told as question marks, and all others as they are."""
    return len(full) == len(plain) and all(
        one == other or (other == "?" and ord(one) > 127) for one, other in zip(full, plain, strict=True)
    )


def _items(text: str) -> tuple[str, ...]:
    """The items of a list that is written as one text, sorted; none in any other text."""
    return tuple(sorted(_parts(text))) if "," in text else ()


def _parts(text: str) -> Iterator[str]:
    return (part.strip() for part in text.split(","))
