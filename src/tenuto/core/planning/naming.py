"""Spellings of names: two of them may name the same thing, and some only the provider can resolve.

Two qualified names must agree in everything; a plain name and a qualified one agree in the name alone, since a plain
name is one of the place that its resource is in, and that is what the provider shows. A pointer is compared by what it
stands for. Where that is not known nothing is proven, neither way: `Names.is_lenient` says what counts then.

Mappings in their newer words, so that those who compare or send them know one form only.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from tenuto.core.language.expressions import is_list
from tenuto.model.ids import Json, JsonMap
from tenuto.model.naming import NOTHING_KNOWN, Names, Naming
from tenuto.model.spelling import Spelling


def is_same_name(one: str, other: str, naming: Naming, names: Names = NOTHING_KNOWN) -> bool:
    """Whether both texts name the same thing, as far as is known."""
    if _agree(one, other, naming):
        return True
    meant = [_meant(text, naming, names) for text in (one, other)]
    if None in meant:
        return names.is_lenient
    return _agree(str(meant[0]), str(meant[1]), naming)


def pointers_of(resources: Iterable[tuple[JsonMap, Mapping[str, Naming]]]) -> tuple[str, ...]:
    """The pointers among the names in properties of some resources, as they are spelled there; sorted."""
    found = {
        text
        for properties, namings in resources
        for path, naming in namings.items()
        if naming.pointer
        for text in _texts_at(properties, path.split("."))
        if _is_pointer(text, naming)
    }
    return tuple(sorted(found))


def _agree(one: str, other: str, naming: Naming) -> bool:
    """Whether two texts are the same name, read as they are."""
    (where, name), (elsewhere, other_name) = _split(one, naming), _split(other, naming)
    return name == other_name and (where == elsewhere or not where or not elsewhere)


def _split(text: str, naming: Naming) -> tuple[str, str]:
    """Return the place that a name gives (empty for a plain name), and its plain name."""
    match = re.fullmatch(naming.qualified, text)
    where, name = (match["where"], match["name"]) if match else ("", text)
    is_exact = not naming.is_folded or _is_pointer(name, naming)
    return (where, name) if is_exact else (where.casefold(), name.casefold())


def _is_pointer(text: str, naming: Naming) -> bool:
    match = re.fullmatch(naming.qualified, text)
    return bool(naming.pointer) and (match["name"] if match else text).startswith(naming.pointer)


def _meant(text: str, naming: Naming, names: Names) -> str | None:
    """The name itself, or what a pointer stands for; None when that is not known."""
    return names.pointed_at.get(text) if _is_pointer(text, naming) else text


def _texts_at(value: Json, keys: list[str]) -> Iterator[str]:
    """Every text at a path, through all members of the lists on the way."""
    if is_list(value):
        for member in value:
            yield from _texts_at(member, keys)
    elif not keys:
        if isinstance(value, str):
            yield value
    elif isinstance(value, Mapping) and keys[0] in value:
        yield from _texts_at(value[keys[0]], keys[1:])


def in_newer_words(value: JsonMap, spelling: Spelling) -> JsonMap:
    """The mapping without older words. Where both say something, the newer one holds; items are added to the list."""
    older = [name for name in value if name in spelling.members or name in spelling.items]
    if not older:
        return value
    found: dict[str, Json] = {name: one for name, one in value.items() if name not in older}
    for name in older:
        if name in spelling.members:
            newer, member = spelling.members[name]
            found.setdefault(newer, {member: value[name]})
        else:
            found[spelling.items[name]] = [*_listed(found.get(spelling.items[name])), *_listed(value[name])]
    return found


def _listed(value: Json) -> list[Json]:
    """A mapping is one item, an empty one none."""
    if is_list(value):
        return list(value)
    return [value] if isinstance(value, Mapping) and value else []
