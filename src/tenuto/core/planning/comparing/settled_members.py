"""Lists of which some members are settled at the creation of a thing: those that other properties of it name.

A table keeps the type of an attribute for as long as its key uses it. The same change of another member is made in
place. So the path of a change does not say whether it replaces: the value does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality.values import means_same
from tenuto.model.delta import Change
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import ResourceType


def with_settled_members(change: Change, observed: JsonMap, resource_type: ResourceType) -> Change:
    """The change, which forces a replacement where it gives another value to a member that the thing names now."""
    rule = resource_type.settled_members.get(change.path)
    if rule is None or change.stays or not is_list(change.before) or not is_list(change.after):
        return change
    named = {name for path in rule.named_in for name in _values(observed, path.split("."))}
    before, after = (_by_name(members, rule.key) for members in (change.before, change.after))
    is_settled = any(
        not means_same(after[name], before[name], resource_type.compare_as, change.path)
        for name in sorted(named & before.keys() & after.keys())
    )
    return replace(change, forces_replacement=True) if is_settled else change


def _by_name(members: Sequence[Json], key: str) -> dict[str, Json]:
    return {str(one.get(key)): one for one in members if isinstance(one, Mapping)}


def _values(value: Json, keys: list[str]) -> Iterator[str]:
    """The texts at the end of the keys, in every member of the lists on the way."""
    if is_list(value):
        for one in value:
            yield from _values(one, keys)
    elif not keys:
        yield str(value)
    elif isinstance(value, Mapping):
        yield from _values(value.get(keys[0]), keys[1:])
