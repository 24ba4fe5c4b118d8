"""Values that AWS refuses: one by itself, two of one mapping, and those of the members of a list."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tenuto.compositions.cloudformation.property_rules.forms import Form, as_number
from tenuto.compositions.cloudformation.property_rules.rule import Fault, Place, Rule
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Items, Node, Scalar, describe, nodes_at
from tenuto.compositions.diagnostics.problems import listed, shortened
from tenuto.kit.nearest import did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Value(Rule):
    """Each value at `of`, which may have stars, has the form."""

    of: str
    form: Form
    hint: str = ""

    def faults(self, mapping: Fields, place: Place) -> Iterator[Fault]:
        for where, node in _scalars_at(mapping, self.of):
            if told := self.form(node.text):
                name = place.name(where)
                shown = f"{name} is {_shown(node)}, {told}"
                yield Fault(code=codes.REFUSED_VALUE, at=node.position, told=shown, name=name, hint=self.hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Rule):
    """The number at `low` is at most that at `high`, or less than it."""

    low: str
    high: str
    is_strict: bool = False

    def faults(self, mapping: Fields, place: Place) -> Iterator[Fault]:
        for (where, low), (_, high) in _pairs_at(mapping, self.low, self.high):
            small, large = as_number(low.text), as_number(high.text)
            if small is None or large is None or small < large or (small == large and not self.is_strict):
                continue
            word = "less than" if self.is_strict else "at most"
            name = place.name(where)
            told = f"{name} is {low.text}, and must be {word} {self.high}, which is {high.text}"
            yield Fault(code=codes.VALUES_DISAGREE, at=low.position, told=told, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair(Rule):
    """Two values fit together; `fits` tells of those that do not, and nothing of others."""

    one: str
    other: str
    fits: Callable[[str, str], str]

    def faults(self, mapping: Fields, place: Place) -> Iterator[Fault]:
        for (where, one), (_, other) in _pairs_at(mapping, self.one, self.other):
            if why := self.fits(one.text, other.text):
                name = place.name(where)
                told = f"{name} is {_shown(one)}, and {self.other} is {_shown(other)}: {why}"
                yield Fault(code=codes.VALUES_DISAGREE, at=one.position, told=told, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unique(Rule):
    """The values at `of`, which has a star, all differ."""

    of: str

    def faults(self, mapping: Fields, place: Place) -> Iterator[Fault]:
        seen: dict[str, str] = {}
        for where, node in _scalars_at(mapping, self.of):
            name = place.name(where)
            before = seen.setdefault(node.text, name)
            if before != name:
                told = f"{name} is {_shown(node)}, as {before} is, and must be another one"
                yield Fault(code=codes.VALUES_DISAGREE, at=node.position, told=told, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Rule):
    """Each value at `of` is one of those at `among` or `beside`. Where one of these is not known, nothing is said."""

    of: str
    among: str
    beside: str = ""

    def faults(self, mapping: Fields, place: Place) -> Iterator[Fault]:
        found = [_known(mapping, path.split(".")) for path in (self.among, self.beside) if path]
        if None in found:
            return
        known = [name for names in found for name in names or ()]
        for where, node in _scalars_at(mapping, self.of):
            if node.text not in known:
                name = place.name(where)
                names = f"the names in {self.among.split('.')[0]}: {listed(known)}"
                told = f"{name} is {_shown(node)}, and must be one of {names}"
                hint = did_you_mean(node.text, known)
                yield Fault(code=codes.VALUES_DISAGREE, at=node.position, told=told, name=name, hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts(Rule):
    """Each value in the mapping at `of` is a text, or another scalar, which AWS reads as one."""

    of: str

    def faults(self, mapping: Fields, place: Place) -> Iterator[Fault]:
        for where, node, _ in nodes_at(mapping, self.of.split(".")):
            for entry in node.entries if isinstance(node, Fields) else ():
                if isinstance(entry.value, Fields | Items):
                    name = place.name(f"{where}.{entry.name}")
                    told = f"{name} must be text, and is {describe(entry.value)}"
                    yield Fault(code=codes.WRONG_TYPE, at=entry.value.position, told=told, name=name, hint=_AS_TEXT)


_AS_TEXT = "Write it as JSON text with Fn::ToJsonString, or join its items with Fn::Join."
_Found = tuple[str, Scalar]


def _scalars_at(mapping: Fields, path: str) -> Iterator[_Found]:
    """The values at a path that stand in the file, each with its own path. An empty text is none: it is often the
    default of a parameter that was not given, and AWS takes some as not declared."""
    for where, node, _ in nodes_at(mapping, path.split(".")):
        if isinstance(node, Scalar) and node.text:
            yield where, node


def _pairs_at(mapping: Fields, one: str, other: str) -> Iterator[tuple[_Found, _Found]]:
    """The two values at two paths without stars, once where both stand in the file."""
    return zip(_scalars_at(mapping, one), _scalars_at(mapping, other), strict=False)


def _known(node: Node | None, path: list[str]) -> list[str] | None:
    """The texts at a path of a declared node; None where one is not known."""
    if node is None:
        return []
    if not path:
        return [node.text] if isinstance(node, Scalar) else None
    name, *rest = path
    if name != "*":
        return _known(node.get(name), rest) if isinstance(node, Fields) else None
    found = [_known(item, rest) for item in node.items] if isinstance(node, Items) else [None]
    return None if None in found else [text for texts in found for text in texts or ()]


def _shown(node: Scalar) -> str:
    return repr(shortened(node.text)) if isinstance(node.value, str) else node.text
