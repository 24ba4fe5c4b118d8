"""Members of lists that others add: which of those that are shown are ours.

Theory of operation. Two kinds of lists have more than one writer. Of a *shared* list (`Comparison.SHARED`) everything
that was never declared belongs to others. To a few other lists a service of the provider adds a member, and relies on
it from then on: such members are known by a mark (`ServiceMembers`), and everything else in the list is held. A member
that is declared is always ours, also when a service would have added it.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from tenuto.core.language import resolve
from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality.documents import parsed
from tenuto.core.planning.equality.values import Rules, listed, means_same, rules_of_members
from tenuto.model.ids import Json, JsonMap
from tenuto.model.spelling import ServiceMembers

_BY_KEY = "Key"
"""The member by which tags are told apart. A few types declare tags as a mapping instead of a list."""


def own_members(observed: Json, said: Iterable[Json], rules: Rules, path: str) -> Json:
    """The members of a shared list that agree with a member of `said`; anything but a list stays as it is."""
    if not is_list(observed):
        return observed
    members, within = list(said), rules_of_members(rules, path)
    return [one for one in observed if any(means_same(own, one, within, path) for own in members)]


def members_said(wishes: Iterable[JsonMap], path: str) -> list[Json]:
    """The members of a list that are known now, in all of the wishes."""
    lists: list[Sequence[Json]] = [wish[path] for wish in wishes if is_list(wish.get(path))]
    return [one for members in lists for one in members if resolve.is_resolved(one)]


def of_services(shown: JsonMap, path: str, mark: ServiceMembers, said: Iterable[JsonMap]) -> list[Json]:
    """The members at a path that a service has added, and that none of the wishes names."""
    marked = [one for one in _members(shown, path, mark) if _is_marked(one, mark)]
    if not marked:
        return []
    named = {_words(one, mark) for wish in said for one in _members(wish, path, mark)}
    return [one for one in marked if _words(one, mark) not in named]


def without_services(shown: JsonMap, marks: Mapping[str, ServiceMembers], said: Iterable[JsonMap]) -> JsonMap:
    """The shown properties without the members that services have added, and that none of the wishes names."""
    wishes = list(said)
    for path, mark in marks.items():
        if added := of_services(shown, path, mark, wishes):
            shown = _without(shown, path, mark, added)
    return shown


def with_services(document: Json, path: str, added: Sequence[Json]) -> Json:
    """A document to send, with the members that services have added at a path within it."""
    found = parsed(document)
    if not added or not isinstance(found, Mapping):
        return document
    return {**found, path: [*listed(found.get(path)), *added]}


def _without(shown: JsonMap, path: str, mark: ServiceMembers, added: Sequence[Json]) -> JsonMap:
    name, _, below = path.partition(".")
    if below:
        document = dict(parsed(shown[name]))
        return {**shown, name: {**document, below: [one for one in listed(document.get(below)) if one not in added]}}
    if isinstance(tags := shown[name], Mapping):
        gone = {one[_BY_KEY] for one in added if isinstance(one, Mapping)}
        return {**shown, name: {key: value for key, value in tags.items() if key not in gone}}
    return {**shown, name: [one for one in shown[name] if one not in added]}


def _members(properties: JsonMap, path: str, mark: ServiceMembers) -> list[Json]:
    name, _, below = path.partition(".")
    value = properties.get(name)
    if below:
        document = parsed(value)
        return listed(document.get(below)) if isinstance(document, Mapping) else []
    if isinstance(value, Mapping):
        return [{_BY_KEY: key, "Value": one} for key, one in value.items()] if _BY_KEY in mark.texts else []
    return [*value] if value is not None and is_list(value) else []


def _words(member: Json, mark: ServiceMembers) -> tuple[str, ...]:
    """The texts by which a member is known."""
    return tuple(_text(_part(member, name)) for name in mark.texts)


def _is_marked(member: Json, mark: ServiceMembers) -> bool:
    return all(re.fullmatch(pattern, _text(_part(member, name))) for name, pattern in mark.texts.items())


def _part(member: Json, name: str) -> Json:
    if not name:
        return member
    return member.get(name) if isinstance(member, Mapping) else None


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
