"""The tags that CloudFormation has put on a thing because its stack has them, as the resource would declare them.

CloudFormation puts the tags of a stack on everything in it that carries tags, and no template tells so. A key that the
resource declares itself counts. The shape is that in which the thing is shown, which is the one of the type: a list of
keys and values, with further members where the type has them, or a mapping. A tag of the stack that the thing does not
show is not added; one that it shows with another value has the value of the stack, so that the difference shows.
"""

from collections.abc import Mapping

from tenuto.compositions.checks.schema import TypeSchema
from tenuto.compositions.cloudformation.templates.nested_tags import tag_property
from tenuto.core.language.expressions import is_list
from tenuto.model.ids import Json, JsonMap
from tenuto.model.stack import StackTags

_KEY, _VALUE = "Key", "Value"


def stack_tags(
    tags: Mapping[str, str], schema: TypeSchema | None, shown: JsonMap, declared: JsonMap
) -> StackTags | None:
    """The tags of a stack that a thing shows and its resource does not declare; None where there are none.

    `shown` are the properties of the thing, `declared` those of the resource as they were compiled.
    """
    name = tag_property(schema)
    present = shown.get(name) if name else None
    own = _keys(declared.get(name))
    if isinstance(present, Mapping):
        added: Json = {key: tags[key] for key in sorted(present) if key in tags and key not in own}
    else:
        added = [
            {**one, _VALUE: tags[one[_KEY]]}
            for one in _entries(present)
            if one.get(_KEY) in tags and one[_KEY] not in own
        ]
    return StackTags(property=name, added=added) if added else None


def _keys(declared: Json) -> frozenset[str]:
    if isinstance(declared, Mapping):
        return frozenset(declared)
    found = [one.get(_KEY) for one in _entries(declared)]
    return frozenset(key for key in found if isinstance(key, str))


def _entries(tags: Json) -> list[JsonMap]:
    """The members of a list of tags; none of anything else."""
    return [one for one in tags or () if isinstance(one, Mapping)] if is_list(tags) else []
