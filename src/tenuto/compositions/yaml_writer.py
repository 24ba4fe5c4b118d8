"""A template as YAML that people would have written: short forms of functions, block style, keys in their order."""

from collections.abc import Mapping
from io import StringIO
from typing import Any

from tenuto.model.ids import Json, JsonMap


def to_yaml(template: JsonMap) -> str:
    """The template with `!Ref` and `!GetAtt`; everything else as it is."""
    # Imported here because it costs more than all of `tenuto --help`, and only an import needs it.
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import TaggedScalar

    def short(value: Json) -> Any:
        if isinstance(value, Mapping):
            if len(value) == 1 and isinstance(value.get("Ref"), str):
                return TaggedScalar(value=value["Ref"], tag="!Ref")
            if len(value) == 1 and "Fn::GetAtt" in value:
                return TaggedScalar(value=".".join(value["Fn::GetAtt"]), tag="!GetAtt")
            return {key: short(member) for key, member in value.items()}
        if isinstance(value, list | tuple):
            return [short(member) for member in value]
        return value

    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 110
    yaml.indent(mapping=2, sequence=4, offset=2)
    text = StringIO()
    yaml.dump(short(template), text)
    return text.getvalue()
