"""The calls of the residual language that need no environment: join, select, split, base64, cidr, JSON text.

Each takes an argument that is resolved as far as it can be, and answers the value, or the call in normal form when a
part of it is still open. A `ResolveError` means that it can never have a value.
"""

import base64
import ipaddress
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from tenuto.errors import UserError
from tenuto.model.ids import Json

CALLS: Final = frozenset(
    {
        "Ref",
        "Fn::GetAtt",
        "Fn::Join",
        "Fn::Select",
        "Fn::Split",
        "Fn::Base64",
        "Fn::Cidr",
        "Fn::GetAZs",
        "Fn::ImportValue",
        "Fn::ToJsonString",
        "Tenuto::Secret",
    }
)
"""Every function of the residual language."""

KEPT_SECRET: Final = "Tenuto::Secret"
"""The function that stands for a secret which the provider keeps, and of which the name is known only when it runs."""

MOST_SUBNETS = 256
"""The number of networks that CloudFormation allows in one `Fn::Cidr`."""

MOST_CHARACTERS: Final = 4_194_304
"""The length of one joined text: four times the largest template of CloudFormation. Texts that hold a text twice, which
holds one twice, … would else fill the memory from a template of a page."""
MOST_PARTS: Final = 250_000
"""The number of parts of one join or split, for the same reason; the readers allow as many values in a document."""


class _NoValue:
    """The value of `{"Ref": "AWS::NoValue"}`: not null, but nothing at all."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NO_VALUE"


NO_VALUE: Final = _NoValue()


class ResolveError(UserError):
    """An expression that can never have a value."""

    code = "resolve"


SCALARS: Final = frozenset({str, int, float, bool, type(None)})
"""The types of nearly all values, and this is asked ten times faster than whether a value is a mapping or a list."""


def is_mapping(value: Json) -> bool:
    """Whether it is a mapping. Nearly all are dicts, and that is asked five times faster."""
    return type(value) is dict or isinstance(value, Mapping)


def is_list(value: Json) -> bool:
    """Whether it is a list, or another sequence that is no text. Nearly all are lists."""
    if type(value) is list:
        return True
    return type(value) not in SCALARS and isinstance(value, Sequence) and not isinstance(value, str)


def texts_in(value: Json) -> Iterator[str]:
    """The texts in a value, without the names of its members."""
    if isinstance(value, str):
        yield value
    elif is_mapping(value):
        for member in value.values():
            yield from texts_in(member)
    elif is_list(value):
        for member in value:
            yield from texts_in(member)


def replacing(value: Json, instead: Callable[[Json], Json]) -> Json:
    """The value with others in place of those in it, itself among them, for which `instead` answers one. What was put
    in place is not searched."""
    other = instead(value)
    if other is not None:
        return other
    if is_mapping(value):
        return {name: replacing(member, instead) for name, member in value.items()}
    return [replacing(member, instead) for member in value] if is_list(value) else value


def call_of(value: Json) -> tuple[str, Json] | None:
    """The function and argument of an expression; None for every other value.

    A mapping that only looks like an expression (`{"Ref": 5}`) is data: the compiler refuses it, and no code here fails
    on it.
    """
    if not is_mapping(value) or len(value) != 1:
        return None
    name, argument = next(iter(value.items()))
    if name == "Ref":
        return (name, argument) if isinstance(argument, str) else None
    if name == "Fn::GetAtt":
        is_pair = is_list(argument) and len(argument) == 2 and isinstance(argument[0], str)
        return (name, argument) if is_pair and (isinstance(argument[1], str) or is_expression(argument[1])) else None
    return (name, argument) if name in CALLS else None


def is_expression(value: Json) -> bool:
    return call_of(value) is not None


def text_of(value: Json, what: str) -> str:
    """A scalar as text, spelled as CloudFormation does. Raises ResolveError for lists and mappings."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise ResolveError(f"{what} must be text, and is {_kind(value)}")


def join(argument: Json) -> Json:
    """`[DELIMITER, LIST]`. Texts side by side become one, and a join inside with the same delimiter is unfolded."""
    delimiter, members = _pair(argument, "Fn::Join", "a delimiter and a list")
    delimiter = text_of(delimiter, "The delimiter of Fn::Join")
    if is_expression(members):
        return {"Fn::Join": [delimiter, members]}
    if not is_list(members):
        raise ResolveError(f"The second part of Fn::Join must be a list, and is {_kind(members)}")
    parts: list[Json] = []
    for is_open, group in groupby(_unfolded(members, delimiter), is_expression):
        run = list(group)
        parts += run if is_open else [_joined([text_of(one, "Each part of Fn::Join") for one in run], delimiter)]
    if not parts:
        return ""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    return {"Fn::Join": [delimiter, [part for part in parts if part or delimiter]]}


def _joined(texts: Sequence[str], delimiter: str) -> str:
    size = sum(map(len, texts)) + len(delimiter) * (len(texts) - 1)
    if size > MOST_CHARACTERS:
        raise ResolveError(f"Fn::Join and Fn::Sub make texts of at most {MOST_CHARACTERS:,} characters, not {size:,}")
    return delimiter.join(texts)


def _unfolded(members: Sequence[Json], delimiter: str) -> list[Json]:
    unfolded: list[Json] = []
    for member in members:
        call = call_of(member)
        if call and call[0] == "Fn::Join" and call[1][0] == delimiter and not is_expression(call[1][1]) and call[1][1]:
            unfolded.extend(call[1][1])
        else:
            unfolded.append(member)
        if len(unfolded) > MOST_PARTS:
            raise ResolveError(f"Fn::Join and Fn::Sub put at most {MOST_PARTS:,} parts together")
    return unfolded


def select(argument: Json) -> Json:
    """`[INDEX, LIST]`, counted from 0. Other items of the list may still be open."""
    index, members = _pair(argument, "Fn::Select", "an index and a list")
    if is_expression(index) or is_expression(members):
        return {"Fn::Select": [index, members]}
    number = _whole_number(index, "The index of Fn::Select")
    if not is_list(members):
        raise ResolveError(f"The second part of Fn::Select must be a list, and is {_kind(members)}")
    if not 0 <= number < len(members):
        raise ResolveError(f"Fn::Select asks for item {number}, and the list has {len(members)} (counted from 0)")
    return members[number]


def split(argument: Json) -> Json:
    """`[DELIMITER, TEXT]`."""
    delimiter, source = _pair(argument, "Fn::Split", "a delimiter and a text")
    delimiter = text_of(delimiter, "The delimiter of Fn::Split")
    if not delimiter:
        raise ResolveError("The delimiter of Fn::Split must not be empty")
    if is_expression(source):
        return {"Fn::Split": [delimiter, source]}
    text = text_of(source, "The source of Fn::Split")
    if text.count(delimiter) >= MOST_PARTS:
        raise ResolveError(f"Fn::Split makes at most {MOST_PARTS:,} parts, not {text.count(delimiter) + 1:,}")
    return text.split(delimiter)


def base64_of(argument: Json) -> Json:
    """The base64 of a text's UTF-8 form."""
    if is_expression(argument):
        return {"Fn::Base64": argument}
    source = text_of(argument, "The argument of Fn::Base64")
    if len(source) > MOST_CHARACTERS // 2:
        raise ResolveError(f"Fn::Base64 takes at most {MOST_CHARACTERS // 2:,} characters, not {len(source):,}")
    return base64.b64encode(source.encode()).decode("ascii")


def cidr(argument: Json) -> Json:
    """`[BLOCK, COUNT, BITS]`: the first `COUNT` networks of the block that leave `BITS` bits to the hosts."""
    if is_expression(argument):
        return {"Fn::Cidr": argument}
    if not is_list(argument) or len(argument) not in (2, 3):
        raise ResolveError("Fn::Cidr needs an address block, a count and the number of subnet bits")
    block, count, bits = [*argument, 8][:3]
    if any(is_expression(part) for part in (block, count, bits)):
        return {"Fn::Cidr": [block, count, bits]}
    number = _whole_number(count, "The count of Fn::Cidr")
    host_bits = _whole_number(bits, "The subnet bits of Fn::Cidr")
    text = text_of(block, "The address block of Fn::Cidr")
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError as error:
        raise ResolveError(f"Fn::Cidr cannot read the address block {text!r}: {error}") from error
    prefix = network.max_prefixlen - host_bits
    if not 1 <= number <= MOST_SUBNETS:
        raise ResolveError(f"Fn::Cidr gives 1 to {MOST_SUBNETS} networks, not {number}")
    if not network.prefixlen <= prefix <= network.max_prefixlen or host_bits < 1:
        raise ResolveError(f"Fn::Cidr cannot leave {host_bits} bits to the subnets of {network}")
    if number > 2 ** (prefix - network.prefixlen):
        raise ResolveError(
            f"Fn::Cidr cannot make {number} networks of {host_bits} bits: "
            f"{network} holds {2 ** (prefix - network.prefixlen)}"
        )
    subnets = network.subnets(new_prefix=prefix)
    return [str(next(subnets)) for _ in range(number)]


def to_json_string(argument: Json) -> Json:
    """The JSON text of a value, without spaces."""
    if _is_open(argument):
        return {"Fn::ToJsonString": argument}
    if argument is NO_VALUE:
        raise ResolveError("Fn::ToJsonString needs a value")
    text = json.dumps(argument, ensure_ascii=False, separators=(",", ":"))
    if len(text) > MOST_CHARACTERS:
        raise ResolveError(f"Fn::ToJsonString makes at most {MOST_CHARACTERS:,} characters, not {len(text):,}")
    return text


def _is_open(value: Json) -> bool:
    if type(value) in SCALARS:
        return False
    if isinstance(value, Mapping):
        return is_expression(value) or any(map(_is_open, value.values()))
    return is_list(value) and any(map(_is_open, value))


PURE: Final[Mapping[str, Callable[[Json], Json]]] = {
    "Fn::Join": join,
    "Fn::Select": select,
    "Fn::Split": split,
    "Fn::Base64": base64_of,
    "Fn::Cidr": cidr,
    "Fn::ToJsonString": to_json_string,
}


def _pair(argument: Json, name: str, what: str) -> tuple[Json, Json]:
    if not is_list(argument) or len(argument) != 2:
        raise ResolveError(f"{name} needs {what}")
    return argument[0], argument[1]


def _whole_number(value: Json, what: str) -> int:
    try:
        return int(text_of(value, what))
    except ValueError as error:
        raise ResolveError(f"{what} must be a whole number, and is {value!r}") from error


def _kind(value: Json) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, int | float):
        return "a number"
    return "null" if value is None else "a list"
