"""Equality of property values by their meaning.

Only declared values are compared: a mapping that was declared with two keys equals an observed one with five when those
two agree, at every depth. A value that the provider does not show and one that was declared empty are the same thing. A
resource type may loosen the comparison of a path further, by a name of `Comparison`, by a `Naming`, a `Spelling`, its
`Words`, its `Documents` or its `Program`, never by code of its own: the planner, the explanations and the documents can
then all say how a property is compared.

A text equals an observed mapping when it is the JSON of the same document, with all of its members: CloudFormation
takes both for policies.

*Names.* Two qualified names must agree in everything; a plain name and a qualified one agree in the name alone, since a
plain name is one of the place that its resource is in, and the provider shows that place. A pointer is compared by the
name that it stands for. Where that is not known nothing is proven, neither way: `Names.is_lenient` decides then.
Mappings are compared in their newer words, so that those who compare or send them know one form only.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality.documents import WHOLE, in_one_spelling, parsed
from tenuto.core.planning.equality.programs import is_same_program
from tenuto.core.planning.equality.releases import is_release_of
from tenuto.core.planning.equality.scalars import scalar
from tenuto.model.ids import Json, JsonMap
from tenuto.model.naming import NOTHING_KNOWN, Names, Naming
from tenuto.model.resource import Comparison, Rule
from tenuto.model.spelling import Documents, Merged, Program, Spelling, Words

Rules = Mapping[str, Rule]
_SETS = (Comparison.SET, Comparison.MEMBERS, Comparison.SHARED, Comparison.VARIABLES)


def means_same(desired: Json, observed: Json, rules: Rules, path: str = "", names: Names = NOTHING_KNOWN) -> bool:
    """Whether `observed` has the meaning of `desired`, by the rules of `path` and below it.

    `names` are the known facts about names whose meaning is not in their text.
    """
    if type(desired) is str and desired == observed:
        return True
    if desired is None:
        return _is_nothing(observed)
    rule = rules.get(path)
    if observed is None:
        return _may_be_hidden(rule) or is_empty(desired) or _means_nothing(desired, rules, path)
    if isinstance(rule, Documents | Program):
        return _is_same_document(desired, observed, rule)
    if type(desired) is str and isinstance(observed, Mapping):
        return is_same_program(parsed(desired), observed, WHOLE)
    if isinstance(rule, Spelling):
        desired, observed = _in_newer_words(desired, rule), _in_newer_words(observed, rule)
    if isinstance(rule, Merged):
        desired, observed = merged(desired, rule), merged(observed, rule)
    if isinstance(desired, Mapping):
        return _may_be_same(desired, observed, rule) and all(
            means_same(value, observed.get(key), rules, f"{path}.{key}" if path else key, names)
            for key, value in desired.items()
        )
    if is_list(desired):
        return is_list(observed) and _is_same_list(desired, observed, rules, path, names)
    if isinstance(rule, Naming):
        return is_same_name(scalar(desired), scalar(observed), rule, names)
    return _is_same_scalar(desired, observed, rule)


def _is_same_list(desired: Sequence[Json], observed: Sequence[Json], rules: Rules, path: str, names: Names) -> bool:
    if not observed and is_empty(desired):
        return True
    rule = rules.get(path)
    if isinstance(rule, Merged) or rule in _SETS:
        return _same_members(desired, observed, rules, path, names)
    return len(desired) == len(observed) and all(
        means_same(one, other, rules, path, names) for one, other in zip(desired, observed, strict=True)
    )


def merged(members: Json, rule: Merged) -> Json:
    """The members of a list, those of one thing as one. Anything else stays as it is."""
    if not is_list(members) or not all(isinstance(one, Mapping) for one in members):
        return members
    found: dict[tuple[str, ...], JsonMap] = {}
    for one in members:
        name = tuple(scalar(one.get(key)) for key in rule.by)
        found[name] = {**found.get(name, {}), **one}
    return list(found.values())


def _is_nothing(observed: Json) -> bool:
    """Whether the shown value holds nothing: a property that is desired as None may be shown as an empty structure."""
    if isinstance(observed, Mapping):
        return all(map(_is_nothing, observed.values()))
    return observed is None or (is_list(observed) and not observed)


def _is_same_scalar(desired: Json, observed: Json, rule: Rule | None) -> bool:
    if isinstance(rule, Words) and scalar(desired) in rule.choice:
        return True
    if rule is Comparison.RELEASE:
        return is_release_of(scalar(desired), scalar(observed))
    if rule is Comparison.LEAST and scalar(desired).isdecimal() and scalar(observed).isdecimal():
        return int(scalar(observed)) >= int(scalar(desired))
    return scalar(desired, rule) == scalar(observed, rule)


def _may_be_same(desired: JsonMap, observed: Json, rule: Rule | None) -> bool:
    """Whether the shown value is a mapping, with the members that say something by being there."""
    if not isinstance(observed, Mapping):
        return False
    if rule is Comparison.KEYED:
        return observed.keys() <= desired.keys()
    return rule is not Comparison.CHOICE or desired.keys() <= observed.keys()


def _is_same_document(desired: Json, observed: Json, rule: Documents | Program) -> bool:
    if isinstance(rule, Program):
        return is_same_program(parsed(desired), parsed(observed), rule)
    return bool(in_one_spelling(desired, rule) == in_one_spelling(observed, rule))


def _in_newer_words(value: Json, rule: Spelling) -> Json:
    return in_newer_words(value, rule) if isinstance(value, Mapping) else value


def _may_be_hidden(rule: Rule | None) -> bool:
    """Whether a property that is not shown may be as declared all the same."""
    match rule:
        case Naming():
            return rule.may_be_hidden
        case Words():
            return bool(rule.choice)
        case _:
            return rule is Comparison.SHOWN


def _means_nothing(desired: Json, rules: Rules, path: str) -> bool:
    """Whether it is declared to be as it is where nothing was ever set: by its word, or every member by its own. A
    document says something by each of its members."""
    rule = rules.get(path)
    if isinstance(rule, Documents | Program):
        return False
    if isinstance(desired, Mapping):
        return all(means_same(value, None, rules, f"{path}.{key}") for key, value in desired.items())
    if rule is Comparison.VARIABLES:
        return is_list(desired) and not _with_values(desired)
    return isinstance(rule, Words) and rule.absent != "" and scalar(desired) == rule.absent


def _with_values(variables: Sequence[Json]) -> Sequence[Json]:
    """The variables that a service keeps which drops empty ones."""
    return [one for one in variables if not isinstance(one, Mapping) or one.get("Value") != ""]


def _same_members(desired: Sequence[Json], observed: Sequence[Json], rules: Rules, path: str, names: Names) -> bool:
    """Whether every desired member has a partner, and every observed one unless others may add some. Lists are short;
    quadratic is simple."""
    if rules.get(path) is Comparison.VARIABLES:
        desired, observed = _with_values(desired), _with_values(observed)
    element_rules = rules_of_members(rules, path)
    if len(desired) == len(observed) and all(
        means_same(one, other, element_rules, path, names) for one, other in zip(desired, observed, strict=True)
    ):
        return True
    return all(any(means_same(one, other, element_rules, path, names) for other in observed) for one in desired) and (
        rules.get(path) is Comparison.MEMBERS
        or all(any(means_same(one, other, element_rules, path, names) for one in desired) for other in observed)
    )


def rules_of_members(rules: Rules, path: str) -> dict[str, Rule]:
    """The rules for a member of the list at a path. The rule of a member is written with `[]`, so that a set of
    addresses can be a set of CIDRs."""
    found = {key: rule for key, rule in rules.items() if key != path}
    rule = rules.get(f"{path}[]")
    return found | {path: rule} if rule else found


def is_empty(value: Json) -> bool:
    """Whether a value says nothing: none, no, an empty text or mapping, or a list of no members but empty mappings.

    A condition that takes out the only member of a mapping leaves such a list.
    """
    if isinstance(value, list | tuple):
        return all(isinstance(member, Mapping) and not member for member in value)
    return value is None or value is False or value == "" or (isinstance(value, Mapping) and not value)


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
    is_there = where == elsewhere or not where or not elsewhere
    return is_there and (name == other_name or _is_version_of(name, other_name, naming))


def _is_version_of(one: str, other: str, naming: Naming) -> bool:
    """Whether one name says which version is meant, and the other leaves that open."""
    short, long = sorted((one, other), key=len)
    return bool(naming.version) and long.startswith(short) and bool(re.fullmatch(naming.version, long[len(short) :]))


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
    """The name itself, or the name that a pointer stands for; None when that is not known."""
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
            found[spelling.items[name]] = [*listed(found.get(spelling.items[name])), *listed(value[name])]
    return found


def listed(value: Json) -> list[Json]:
    """A mapping is one item, an empty one none."""
    if is_list(value):
        return list(value)
    return [value] if isinstance(value, Mapping) and value else []
