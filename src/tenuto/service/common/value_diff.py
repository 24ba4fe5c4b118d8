"""The difference of two values, leaf by leaf, as a person reads it below an operation of a plan.

Theory of operation. Short values are shown whole, side by side. Of longer ones only the differences are shown, and the
parts that are left out are counted where they are missing: the members of a mapping by their names, the members of a
list in pairs. Equal members of a list are paired first. Of the rest, those that share a name (`Key`, `Name`, `Id`, …)
that no other member has are paired; then rules by protocol, ports and source; then those of which at least half of the
leaves are equal, the most alike first. The others have gone or have come. A list of texts and numbers has no pairs: its
members go and come. A text that holds a JSON document is compared as that document, and a text of several lines by its
lines.

Everything here is pure, and the same values always give the same lines. Secrets are masked before
(`service.common.values`).
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate

from tenuto.kit.visible import visible, visible_json
from tenuto.model.ids import Json
from tenuto.service.common.value_cuts import cut, cut_inside, cut_sides, lines_of

WIDTH = 100
"""Two values are shown side by side up to this length together, and a single one is cut at it: the whole is in
`--json`. Wide enough for an ARN."""
UNKNOWN = "(known after apply)"
MASK = "****"
_INDENT = "  "
_NAMES = ("Key", "Name", "Id", "Sid", "LogicalId", "DeviceName", "IndexName", "AttributeName")
"""Properties that name a member among its siblings, the most telling first."""
_SOURCES = ("CidrIp", "CidrIpv6", "SourceSecurityGroupId", "DestinationSecurityGroupId")
_KEYS = (
    ("IpProtocol", "FromPort", "ToPort", *_SOURCES),
    ("IpProtocol", *_SOURCES),
    ("IpProtocol", "FromPort", "ToPort"),
)
"""Properties that name a member together: a rule of a group that gets other ports, or another source, is the same."""
_DEEPEST = 50
"""The nesting of a document in a text that is still compared as a document. A policy has six levels."""
_MOST_PAIRS = 10_000
"""Pairs that are weighed by their leaves: a longer list is told by the members that go and come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of a difference, before any medium has set it.

    The `subject` names the thing that the line is about. Then come both sides, or the only one, or else words. The
    `sign` tells the fate of a member. `depth` counts the containers around the line.
    """

    depth: int = 0
    sign: str = ""
    subject: str = ""
    before: str | None = None
    after: str | None = None
    words: str | None = None
    note: str = ""

    @property
    def text(self) -> str:
        """The line in plain characters, without its depth."""
        told = [visible(self.subject)] if self.subject else []
        sides = [one for one in (self.before, self.after) if one is not None]
        if sides:
            told.append(" → ".join(sides))
        elif self.words is not None:
            told.append(self.words)
        sign = f"{self.sign} " if self.sign else ""
        return f"{sign}{': '.join(told)}{self.note and f'  # {self.note}'}"

    def inside(self) -> "DiffLine":
        """The line one container further in."""
        return replace(self, depth=self.depth + 1)


def diff_lines(path: str, before: Json, after: Json, *, width: int | None = WIDTH) -> Iterator[str]:
    """The lines of a difference as plain text, each with its indentation."""
    for line in difference(path, before, after, width=width):
        yield _INDENT * line.depth + line.text


def difference(
    path: str, before: Json, after: Json, *, note: str = "", width: int | None = WIDTH
) -> Iterator[DiffLine]:
    """The lines that tell how a property changes; None stands for one that is not there. `note` ends the first line.

    Longer values than `width` are cut, None for no limit; equal parts are left out and counted in any case.
    """
    first, second = cut_sides(_shown(before), _shown(after), width)
    short = DiffLine(subject=path, before=first, after=second, note=note)
    if before is None or after is None or _length(before) + _length(after) <= WIDTH:
        yield short
        return
    found = list(_inside(before, after, width))
    if not found:
        yield short
        return
    yield DiffLine(subject=path, words=_headline(found), note=note)
    for part in found:
        yield from (line.inside() for line in part.lines)


def value_text(value: Json, width: int | None = WIDTH) -> str:
    """A value in one line; of a long one the beginning, with the count of the missing characters."""
    return cut(_shown(value), width)


@dataclass(frozen=True, slots=True)
class _Part:
    """One member of a container: its fate, and the lines that tell it. A member that stays has no lines."""

    fate: str
    lines: tuple[DiffLine, ...] = ()


def _inside(before: Json, after: Json, width: int | None) -> Iterator[_Part]:
    """The parts of two containers of one kind; nothing when they cannot be compared by their parts."""
    match before, after:
        case dict(), dict():
            yield from _members(before, after, width)
        case list() | tuple(), list() | tuple():
            yield from _items(list(before), list(after), width)
        case str(), str():
            first, second = document_of(before), document_of(after)
            if first is not None and second is not None:
                yield from _inside(first, second, width)
            elif "\n" in before or "\n" in after:
                yield from _text_lines(*lines_of(before, after), width)
        case _:
            pass


def _members(before: Mapping[str, Json], after: Mapping[str, Json], width: int | None) -> Iterator[_Part]:
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield _Part("removed", (_gone(value_text(before[name], width), name),))
        elif name not in before:
            yield _Part("added", (_come(value_text(after[name], width), name),))
        elif before[name] == after[name]:
            yield _Part("unchanged")
        else:
            yield _Part("changed", tuple(difference(name, before[name], after[name], width=width)))


def _gone(text: str, subject: str = "") -> DiffLine:
    return DiffLine(sign="-", subject=subject, before=text)


def _come(text: str, subject: str = "") -> DiffLine:
    return DiffLine(sign="+", subject=subject, after=text)


def _items(before: list[Json], after: list[Json], width: int | None) -> Iterator[_Part]:
    """The members of a list. Those that only moved are no difference of their own."""
    kept, gone = shared(before, after)
    _, come = shared(after, kept)
    if not gone and not come:
        yield _Part("in another order", ())
    yield from (_Part("unchanged") for _ in kept)
    pairs = pairs_of(gone, come)
    for one, other in pairs:
        yield _Part("changed", tuple(_changed_item(one, other, width)))
    left, right = shared(gone, [one for one, _ in pairs])[1], shared(come, [one for _, one in pairs])[1]
    alike = {value_text(one, width) for one in left} & {value_text(one, width) for one in right}
    yield from (_Part("removed", (_gone(_member(one, width, alike)),)) for one in left)
    yield from (_Part("added", (_come(_member(one, width, alike)),)) for one in right)


def _member(value: Json, width: int | None, alike: Collection[str]) -> str:
    """A member that goes or comes. One whose beginning both have is shown by its end too: names of AWS differ there."""
    text = value_text(value, width)
    if width is None or text not in alike:
        return text
    return cut_inside(_text(value), width)


def _changed_item(before: Mapping[str, Json], after: Mapping[str, Json], width: int | None) -> Iterator[DiffLine]:
    """The lines of a changed member of a list: its equal parts, which identify it, then its changes."""
    same = same_members(before, after)
    differing = [name for name in sorted(before.keys() | after.keys()) if name not in same]
    parts = [line for name in differing for line in difference(name, before.get(name), after.get(name), width=width)]
    identity = cut(identity_text(same), width)
    if len(parts) == 1:
        yield replace(parts[0], sign="~", subject=": ".join(filter(None, (identity, parts[0].subject))))
    else:
        yield DiffLine(sign="~", subject=identity)
        yield from (line.inside() for line in parts)


def same_members(before: Mapping[str, Json], after: Mapping[str, Json]) -> dict[str, Json]:
    """The properties that two values of one member have in common."""
    return {name: value for name, value in before.items() if name in after and after[name] == value}


def identity_text(same: Mapping[str, Json]) -> str:
    """The text of the equal parts of a member, the most telling first."""
    return ", ".join(f"{visible(name)} {_text(same[name])}" for name in sorted(same, key=_rank))


def pairs_of(gone: Sequence[Json], come: Sequence[Json]) -> list[tuple[Mapping[str, Json], Mapping[str, Json]]]:
    """Members that are one member before and after, in the order of `gone`."""
    left = [one for one in gone if isinstance(one, dict)]
    right = [one for one in come if isinstance(one, dict)]
    found: dict[int, int] = {}
    for names in (*((name,) for name in _NAMES), *_KEYS):
        here, there = _by_unique(left, names), _by_unique(right, names)
        for text in here.keys() & there.keys():
            if here[text] not in found and there[text] not in found.values():
                found[here[text]] = there[text]
    if len(left) * len(right) <= _MOST_PAIRS:
        alike = [
            (-_likeness(one, other), at, number)
            for at, one in enumerate(left)
            for number, other in enumerate(right)
            if at not in found and number not in found.values()
        ]
        for likeness, at, number in sorted(alike):
            if likeness <= -0.5 and at not in found and number not in found.values():
                found[at] = number
    return [(left[at], right[found[at]]) for at in sorted(found)]


def _by_unique(members: Sequence[Mapping[str, Json]], names: Sequence[str]) -> dict[str, int]:
    """The places of members by these properties, where no two have the same. The first of them must be there."""
    texts = [_text([one.get(name) for name in names]) if names[0] in one else None for one in members]
    counts = Counter(texts)
    return {text: at for at, text in enumerate(texts) if text is not None and counts[text] == 1}


def _likeness(one: Mapping[str, Json], other: Mapping[str, Json]) -> float:
    """The share of leaves that two members have in common, from 0 to 1."""
    first, second = set(_leaves(one)), set(_leaves(other))
    return len(first & second) / max(len(first | second), 1)


def _leaves(value: Json, path: str = "") -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            for name, member in value.items():
                yield from _leaves(member, f"{path}.{name}")
        case list() | tuple():
            for member in value:
                yield from _leaves(member, f"{path}[]")
        case _:
            yield path, _text(value)


def _text_lines(before: Sequence[str], after: Sequence[str], width: int | None) -> Iterator[_Part]:
    """The lines of a text that go and come, each with its number."""
    for tag, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (_Part("unchanged") for _ in range(start, end))
            continue
        left, right = range(start, end), range(new_start, new_end)
        paired = min(len(left), len(right))
        for at, new_at in zip(left, right, strict=False):
            first, second = cut_sides(visible(before[at]), visible(after[new_at]), width)
            yield _Part("changed", (_gone(first, f"line {at + 1}"), _come(second, f"line {new_at + 1}")))
        for at in left[paired:]:
            yield _Part("removed", (_gone(cut(visible(before[at]), width), f"line {at + 1}"),))
        for at in right[paired:]:
            yield _Part("added", (_come(cut(visible(after[at]), width), f"line {at + 1}"),))


def _headline(parts: Sequence[_Part]) -> str:
    """`1 changed, 2 added, 4 unchanged`."""
    counts = Counter(one.fate for one in parts)
    if counts["in another order"]:
        return f"the same {counts['unchanged']} members in another order"
    return ", ".join(f"{counts[fate]} {fate}" for fate in ("changed", "removed", "added", "unchanged") if counts[fate])


def document_of(text: str) -> Json:
    """The document that a text holds; None for any other text."""
    if not text.lstrip().startswith(("{", "[")) or _depth(text) > _DEEPEST:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _depth(text: str) -> int:
    """The most brackets that are open at once, those inside of texts included: a bound that needs no parser."""
    signs = (1 if sign in "[{" else -1 for sign in text if sign in "[]{}")
    return max(accumulate(signs), default=0)


def shared(members: Sequence[Json], others: Sequence[Json]) -> tuple[list[Json], list[Json]]:
    """The members that the others have too, each as often as they have it; and the rest."""
    left = Counter(map(_text, others))
    shared: list[Json] = []
    rest: list[Json] = []
    for one in members:
        text = _text(one)
        (shared if left[text] > 0 else rest).append(one)
        left[text] -= 1
    return shared, rest


def _rank(name: str) -> tuple[int, str]:
    return (_NAMES.index(name) if name in _NAMES else len(_NAMES), name)


def _shown(value: Json) -> str:
    return "(none)" if value is None else _text(value)


def _length(value: Json) -> int:
    return len(_text(value))


def _text(value: Json) -> str:
    # With escapes of JSON, a hidden character and a text that spells its escape look different.
    return value if value in (UNKNOWN, MASK) else visible_json(json.dumps(value, ensure_ascii=False, sort_keys=True))
