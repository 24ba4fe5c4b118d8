"""A template as YAML that people would have written: short forms of functions, block style, keys in their order."""

from collections.abc import Mapping
from io import StringIO
from typing import Any

from tenuto.kit.visible import has_hidden, visible
from tenuto.model.ids import Json, JsonMap

_WIDTH = 110
_NEVER = 2**31
"""A width at which nothing is folded."""


def to_yaml(template: JsonMap) -> str:
    """The template with `!Ref` and `!GetAtt`; everything else as it is."""
    return _written(template, has_short=True)


def to_plain_yaml(document: JsonMap) -> str:
    """A document of which every reader of YAML makes the same as of its JSON: without tags."""
    return _written(document, has_short=False)


def _written(template: JsonMap, *, has_short: bool) -> str:
    # Imported here because it costs more than all of `tenuto --help`, and only an import needs it.
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import TaggedScalar
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = _WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)

    def short(value: Json) -> Any:
        if isinstance(value, Mapping):
            if has_short and len(value) == 1 and isinstance(value.get("Ref"), str):
                return TaggedScalar(value=value["Ref"], tag="!Ref")
            if has_short and len(value) == 1 and "Fn::GetAtt" in value:
                return TaggedScalar(value=".".join(value["Fn::GetAtt"]), tag="!GetAtt")
            return {short(key): short(member) for key, member in value.items()}
        if isinstance(value, list | tuple):
            return [short(member) for member in value]
        if isinstance(value, str) and has_hidden(value):
            # In double quotes YAML takes the escapes of characters that must not reach a terminal. Where ruamel folds
            # such a text, it may add a space to it.
            yaml.width = _NEVER
            return DoubleQuotedScalarString(value)
        return value

    text = StringIO()
    yaml.dump(short(template), text)
    return visible(text.getvalue())
