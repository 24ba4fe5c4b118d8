"""Stale attributes: stored answers to `Ref` and `GetAtt` that differ from what the provider shows now.

Theory of operation. `Ref` and `Fn::GetAtt` read what is stored of an incarnation: what the provider showed when it was
made or changed. Some of that appears later (the default group of a network), and some changes with nobody's doing, or
with the doing of a neighbour (the public address of an instance that was stopped, or was given one that stays). Then
the incarnation has to be read again, and whatever refers to it is compared with the new answer after that. Nothing is
done about an answer that nobody asks for.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property

from tenuto.core.language import resolve
from tenuto.core.language.expressions import is_list
from tenuto.kit.canonical import to_text
from tenuto.model.composition import Composition
from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import ObservedItem
from tenuto.model.resource import ManagedObject


def told(desired: JsonMap, attributes: JsonMap) -> JsonMap:
    """Those attributes that may be stored: the provider may show in plain text what was declared with a secret."""
    return {name: value for name, value in attributes.items() if resolve.is_resolved(desired.get(name))}


class Answers:
    """What a composition asks of its resources. Who asks is looked up when an answer has changed, and not before."""

    def __init__(self, composition: Composition | None) -> None:
        self._composition = composition

    def news(self, found: ManagedObject, item: ObservedItem) -> str:
        """What has another answer by now that somebody asks for, in words; empty when nothing has."""
        shown = told(found.desired, item.attributes)
        other = {name for name, value in shown.items() if not _is_same(found.attributes.get(name), value)}
        if not other:
            return ""
        asked = sorted(other & self._asked.get(found.logical_id, set()))
        return ", ".join(f"{name} is {'another one' if name in found.attributes else 'known'} now" for name in asked)

    @cached_property
    def _asked(self) -> Mapping[str, set[str]]:
        """The names of the attributes that are asked for, by logical id."""
        asked: dict[str, set[str]] = {}
        for value in self._askers():
            for one in resolve.open_expressions(value):
                # An attribute may be stored under its whole name, or as the member of a mapping.
                names = {one.attribute, one.attribute.partition(".")[0]} if one.attribute else {"Ref"}
                asked.setdefault(one.name, set()).update(names)
        return asked

    def _askers(self) -> Iterator[Json]:
        if self._composition is None:
            return
        for declaration in self._composition.resources:
            if declaration.depends_on:
                yield declaration.properties
        for output in self._composition.outputs:
            yield output.value


def _is_same(stored: Json, shown: Json) -> bool:
    """A list in another order is the same answer: providers promise none."""
    if stored == shown:
        return True
    if is_list(stored) and is_list(shown):
        return sorted(map(to_text, stored)) == sorted(map(to_text, shown))
    return False
