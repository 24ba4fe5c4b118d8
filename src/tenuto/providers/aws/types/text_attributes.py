"""Settings that a service keeps as texts by name, as SQS and SNS do.

The meaning of a text follows from the published schema: a number, a truth value, a document, or the text itself.
"""

import json
from collections.abc import Iterable, Mapping

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import Work, flag
from tenuto.providers.aws.types.facts import published


class TextAttributes:
    """The attributes of one type, by the names of the properties that they are."""

    def __init__(self, type_name: str, names: str) -> None:
        """`names` are words. Raises BugError for a type without a schema, KeyError for a name that it lacks."""
        properties = published(type_name).document["properties"]
        self._types: Mapping[str, Json] = {name: properties[name]["type"] for name in names.split()}

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._types)

    def read(self, shown: JsonMap) -> dict[str, Json]:
        """The properties that an answer shows; an empty text stands for none."""
        return {name: self._value(name, shown[name]) for name in self._types if shown.get(name) not in (None, "")}

    def given(self, work: Work, *, silent: Iterable[str] = ()) -> dict[str, str]:
        """The declared ones, as texts. The `silent` ones can be denied only by leaving them out."""
        left_out = {name for name in silent if not flag(work.want(name))}
        return {name: text_of(value) for name, value in work.given(*self._types).items() if name not in left_out}

    def changed(self, work: Work) -> dict[str, str]:
        """The ones that are not as they are desired, as texts; an empty text stands for none."""
        wanted = {name: work.want(name) for name in self._types if work.differs(name)}
        return {name: "" if value is None else text_of(value) for name, value in wanted.items()}

    def _value(self, name: str, text: str) -> Json:
        match self._types[name]:
            case "integer":
                return int(text)
            case "boolean":
                return flag(text)
            case "string":
                return text
            case _:
                return json.loads(text)
