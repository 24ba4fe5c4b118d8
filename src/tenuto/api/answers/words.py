"""The words in which the shape of an answer is written, and the JSON schema that they make.

Theory of operation. A shape is a fragment of JSON schema in which a `Record` may stand at any place. A record is an
object with exactly the members that it names, each with words about its meaning and its unit. A route names the shape
of its answer; the OpenAPI document, the reference page and the tests read that one value. Every answer that a test gets
is held against it, so a member that is added to a document and not to its shape fails at once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tenuto.errors import BugError
from tenuto.model.ids import Json, JsonMap

PLACE = "#/components/schemas/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An object with these members. Those in `optional` may be missing; any other is never there."""

    name: str
    about: str
    fields: Mapping[str, "Shape"]
    optional: frozenset[str] = frozenset()

    def with_(self, name: str, about: str, fields: Mapping[str, "Shape"], *, optional: Iterable[str] = ()) -> "Record":
        """A record with more members, or with others in the place of some."""
        return record(name, about, {**self.fields, **fields}, optional=self.optional.union(optional))

    def without(self, name: str, about: str, *left_out: str) -> "Record":
        """A record that has not these members."""
        return record(name, about, {key: one for key, one in self.fields.items() if key not in left_out})


Shape = Record | Mapping[str, Json]


def record(name: str, about: str, fields: Mapping[str, Shape], *, optional: Iterable[str] = ()) -> Record:
    return Record(name=name, about=about, fields=dict(fields), optional=frozenset(optional))


def text(about: str, one_of: Iterable[str] = ()) -> Shape:
    """A text; with `one_of`, one of these words."""
    words = [str(one) for one in one_of]
    return {"type": "string", "description": about, **({"enum": words} if words else {})}


def moment(about: str) -> Shape:
    return {"type": "string", "format": "date-time", "description": f"{about} (UTC, to the millisecond)"}


def whole(about: str) -> Shape:
    return {"type": "integer", "description": about}


def number(about: str) -> Shape:
    return {"type": "number", "description": about}


def flag(about: str) -> Shape:
    return {"type": "boolean", "description": about}


def anything(about: str) -> Shape:
    return {"description": about}


def free(about: str) -> Shape:
    """An object whose members are not Tenuto's to name, such as the properties of a resource."""
    return {"type": "object", "description": about}


def maybe(shape: Shape, about: str = "") -> Shape:
    """The shape, or null. `about` is needed for a record, whose own sentence does not tell its meaning here."""
    if isinstance(shape, Record):
        return {"anyOf": [shape, {"type": "null"}], "description": about}
    schema = {**shape, "type": [shape["type"], "null"]}
    return {**schema, "enum": [*shape["enum"], None]} if "enum" in shape else schema


NEXT_PAGE = maybe(text("the `after` of the next page; null at the end"))


def listed(shape: Shape, about: str) -> Shape:
    return {"type": "array", "items": shape, "description": about}


def texts(about: str, one_of: Iterable[str] = ()) -> Shape:
    words = [str(one) for one in one_of]
    return listed({"type": "string", **({"enum": words} if words else {})}, about)


def by_name(shape: Shape, about: str) -> Shape:
    """An object whose names are data, such as logical ids, each with this shape."""
    return {"type": "object", "additionalProperties": shape, "description": about}


def counts(about: str) -> Shape:
    return by_name({"type": "integer"}, about)


def schema_of(shape: Json | Record, found: dict[str, JsonMap]) -> Json:
    """The JSON schema of a shape. The records in it are added to `found` and referred to."""
    if isinstance(shape, Record):
        made = _object(shape, found)
        if found.setdefault(shape.name, made) != made:
            raise BugError(f"There are two shapes with the name {shape.name}.")
        return {"$ref": PLACE + shape.name}
    if isinstance(shape, Mapping):
        return {key: schema_of(value, found) for key, value in shape.items()}
    if isinstance(shape, list):
        return [schema_of(value, found) for value in shape]
    return shape


def _object(shape: Record, found: dict[str, JsonMap]) -> JsonMap:
    return {
        "type": "object",
        "description": shape.about,
        "additionalProperties": False,
        "required": [name for name in shape.fields if name not in shape.optional],
        "properties": {name: schema_of(one, found) for name, one in shape.fields.items()},
    }
