"""Types of objects that requests make: their table, their fields, and the fields that are unique or need other objects.

A provider or a plugin offers them as values; nothing else of Tenuto knows one by its name.
"""

from dataclasses import dataclass
from enum import StrEnum

from tenuto.model.access import Right
from tenuto.model.ids import Json, TypeName


class FieldKind(StrEnum):
    """The kind of value that a field of a request can hold."""

    TEXT = "text"
    NUMBER = "number"
    """A whole number that is not negative."""
    FLAG = "flag"
    LIST = "list"
    MAP = "map"
    OBJECT = "object"
    """Another object, by its name or its id. It is stored by its id."""


class Scope(StrEnum):
    """The objects of one type among which a claim is unique."""

    ACCOUNT = "account"
    PROVIDER = "provider"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldType:
    """One field. `role` and `of` belong to a field that names another object: its part, and the types that may play it.

    A field that is a claim holds a text that no other live object of the type has. With `choices`, a text is one of
    them.
    """

    name: str
    kind: FieldKind = FieldKind.TEXT
    summary: str
    is_required: bool = False
    default: Json = None
    is_claim: bool = False
    role: str = "uses"
    of: tuple[TypeName, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectType:
    """One type. `right` is needed to make, tag and delete an object of it.

    A type that `is_named` gets its names from requests, each unique in `scope`; the name of another object is its id.
    `halo_s` is how long a claim stays reserved after its object was deleted.
    """

    name: TypeName
    provider: str
    """Empty for a type of a plugin whose phases need no provider."""
    lifecycle: str
    summary: str
    fields: tuple[FieldType, ...] = ()
    is_named: bool = True
    scope: Scope = Scope.ACCOUNT
    halo_s: float = 0.0
    is_account: bool = False
    """True when each object of it is an account of its provider, made and removed with it."""
    right: Right = Right.OBJECT
    made_by: str = ""
    """The commands that make objects of it, where a request for a bare object is refused."""
