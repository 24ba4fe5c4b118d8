"""The fields of a request for an object, held against its type. All that is wrong is said at once.

Its claims and relations follow from its type and its fields, from its birth on.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tenuto.errors import UserError
from tenuto.kit.nearest import meant
from tenuto.model.claim import Claim, Relation
from tenuto.model.ids import Json, JsonMap, ObjectId
from tenuto.model.object_type import FieldKind, FieldType, ObjectType, Scope

if TYPE_CHECKING:
    from tenuto.model.resource import ManagedObject

LONGEST_NAME = 128
MOST_FIELD_BYTES = 64 * 1024
"""The most bytes that all fields of one object may take as JSON. A larger value is the content of a thing, and belongs
elsewhere."""
MOST_TAGS = 50
LONGEST_TAG = 256

_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST_NAME - 1}}}")

_EXPECTED: Mapping[FieldKind, str] = {
    FieldKind.TEXT: "a text",
    FieldKind.NUMBER: "a whole number from 0 on",
    FieldKind.FLAG: "true or false",
    FieldKind.LIST: "a list",
    FieldKind.MAP: "a map",
    FieldKind.OBJECT: "the name or the id of another object",
}


def check_name(kind: ObjectType, name: str | None) -> None:
    """Raise UserError for a name that cannot be one, for a missing one, and for one where the type has none."""
    if not kind.is_named:
        if name is not None:
            raise UserError(f"Objects of the type {kind.name} have no name of their own: leave {name!r} out.")
        return
    if name is None or _NAME.fullmatch(name) is None:
        given = "A name is missing" if not name else f"{name[:LONGEST_NAME]!r} cannot be a name"
        raise UserError(
            f"{given}: an object of the type {kind.name} needs one of up to {LONGEST_NAME} letters, digits, '.', '_' "
            "and '-', beginning with a letter or a digit."
        )


def checked_fields(kind: ObjectType, given: JsonMap) -> dict[str, Json]:
    """The fields with their defaults. Raises UserError, which names every mistake."""
    known = {field.name: field for field in kind.fields}
    problems = [
        f"there is no field {name!r}.{meant(name, known)} There are {', '.join(known) or 'none'}"
        for name in sorted(given.keys() - known.keys())
    ]
    fields: dict[str, Json] = {}
    for field in kind.fields:
        value = given.get(field.name, field.default)
        if value is None:
            if field.is_required:
                problems.append(f"the field {field.name!r} is missing ({field.summary})")
            continue
        if not _fits(value, field):
            problems.append(f"the field {field.name!r} must be {_EXPECTED[field.kind]}")
        elif field.choices and value not in field.choices:
            problems.append(f"the field {field.name!r} must be one of {', '.join(field.choices)}")
        fields[field.name] = value
    if problems:
        raise UserError(
            f"An object of the type {kind.name} cannot be made: {'; '.join(problems)}. Nothing was changed."
        )
    if len(json.dumps(fields).encode()) > MOST_FIELD_BYTES:
        raise UserError(f"The fields take more than {MOST_FIELD_BYTES // 1024} KiB as JSON. Give less.")
    return fields


def check_tags(tags: JsonMap) -> None:
    """Raise UserError for tags that are too many, too long, or no texts."""
    if len(tags) > MOST_TAGS:
        raise UserError(f"An object has at most {MOST_TAGS} tags, and would have {len(tags)}.")
    for name, value in tags.items():
        if not isinstance(value, str) or not name or len(name) > LONGEST_TAG or len(value) > LONGEST_TAG:
            raise UserError(
                f"The tag {name[:LONGEST_TAG]!r} must be a text with a text for its value, each of up to {LONGEST_TAG} "
                "characters."
            )


def type_named(reference: str, types: Sequence[ObjectType]) -> ObjectType:
    """The one type by its whole name, or by its last part in any case (`namespace`). Raises UserError."""
    found = types_named(reference, types)
    if len(found) == 1:
        return found[0]
    raise UserError(
        f"{reference!r} may be {' or '.join(one.name for one in found)}, since this Conductor has several providers. "
        f"Give the whole name, as in 'tenuto object create {found[-1].name}'."
    )


def types_named(reference: str, types: Sequence[ObjectType]) -> tuple[ObjectType, ...]:
    """The types by a whole name, or by a last part in any case, which several providers may offer; at least one.
    Raises UserError.
    """
    folded = _folded(reference)
    exact = tuple(one for one in types if one.name == reference)
    found = exact or tuple(one for one in types if _folded(one.name.rpartition("::")[2]) == folded)
    if found:
        return found
    names = [str(one.name) for one in types]
    listed = (
        ", ".join(names) or "none: no provider of this Conductor offers any (the provider simulated does, to try them)"
    )
    raise UserError(f"There is no type of objects {reference!r}.{meant(reference, names)} There are {listed}.")


def _fits(value: Json, field: FieldType) -> bool:
    match field.kind:
        case FieldKind.TEXT | FieldKind.OBJECT:
            return isinstance(value, str) and bool(value)
        case FieldKind.NUMBER:
            return isinstance(value, int) and not isinstance(value, bool) and value >= 0
        case FieldKind.FLAG:
            return isinstance(value, bool)
        case FieldKind.LIST:
            return isinstance(value, list)
        case FieldKind.MAP:
            return isinstance(value, Mapping)


def _folded(word: str) -> str:
    return word.casefold().replace("-", "").replace("_", "")


def claims_of(kind: ObjectType, item: "ManagedObject") -> tuple[Claim, ...]:
    """The claim of its name, and those of its fields."""
    claims = [Claim(space=_space(kind, "name", item), key=item.logical_id, halo_s=kind.halo_s)] if kind.is_named else []
    claims += [
        Claim(space=_space(kind, field.name, item), key=str(item.desired[field.name]), halo_s=kind.halo_s)
        for field in kind.fields
        if field.is_claim and field.name in item.desired
    ]
    return tuple(claims)


def relations_of(kind: ObjectType, item: "ManagedObject") -> tuple[Relation, ...]:
    """A relation for each field that names another object, by the id that it was stored with."""
    return tuple(
        Relation(from_id=item.object_id, role=field.role, to_id=ObjectId(item.desired[field.name]))
        for field in kind.fields
        if field.kind is FieldKind.OBJECT and field.name in item.desired
    )


def _space(kind: ObjectType, field: str, item: "ManagedObject") -> str:
    """A space reads like the beginning of a message: `Simulated::Artifact name in account red`."""
    where = f" in account {item.partition.account}" if kind.scope is Scope.ACCOUNT else ""
    return f"{kind.name} {field}{where}"
