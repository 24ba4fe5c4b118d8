"""Mappings in their newer words, so that those who compare or send them know one form only."""

from collections.abc import Mapping

from tenuto.core.language.expressions import is_list
from tenuto.model.ids import Json, JsonMap
from tenuto.model.spelling import Spelling


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
