"""`Cloud.Node`: the machine type that every provider can offer, and whose machines plugins can make themselves.

A node is a resource like any other, with two spellings of its type: `Cloud.Node`, that of the specification, is stored
and shown; `Cloud::Node`, that of templates, is read as the same. Its property `Provider` says who makes the machine. It
is the provider of the process when it is absent, or names that one. Any other name stands for plugins: phases that are
declared for that provider do all of the work, and no provider of Tenuto is asked about the machine.
"""

from collections.abc import Collection

from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.resource import ManagedObject

CLOUD_NODE = TypeName("Cloud.Node")
IN_TEMPLATES = "Cloud::Node"
PROVIDER = "Provider"
KEEP_ALIVE = "KeepAlive"
TARGET_STATE = "TargetState"
STARTED = "Started"
DEALLOCATED = "Deallocated"

_TEXT = {"type": "string"}
SCHEMA: JsonMap = {
    "typeName": CLOUD_NODE,
    "properties": {
        PROVIDER: _TEXT,
        "MachineType": _TEXT,
        "Image": _TEXT,
        "Network": _TEXT,
        "Configuration": {"type": "object"},
        KEEP_ALIVE: {"type": "boolean"},
        TARGET_STATE: {"type": "string", "enum": [STARTED, DEALLOCATED]},
    },
    "additionalProperties": True,
}
"""The properties with a meaning to Tenuto. All others are free: phases read them."""


def type_named(text: str) -> TypeName:
    """The type of that name, in the one spelling that is stored."""
    return CLOUD_NODE if text == IN_TEMPLATES else TypeName(text)


def provider_of(found: ManagedObject) -> str | None:
    """The provider that phases are declared for: that of a node is the one that it declares."""
    declared: Json = found.desired.get(PROVIDER) if found.type == CLOUD_NODE else None
    return declared if isinstance(declared, str) and declared else found.provider


def lacking(declared: Declaration, provider: str, needed: Collection[str]) -> list[str]:
    """The properties that a provider needs for a declared node and that are not there, in order; none of a machine
    that is not the provider's, or of which that is not known yet."""
    is_its_own = declared.type == CLOUD_NODE and declared.properties.get(PROVIDER, provider) == provider
    return sorted(set(needed) - declared.properties.keys()) if is_its_own else []


def is_made_by_plugins(found: ManagedObject) -> bool:
    """Whether the machine is of a provider that only plugins know."""
    return found.type == CLOUD_NODE and provider_of(found) != found.provider
