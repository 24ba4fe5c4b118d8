"""The types of the local cloud that compositions declare.

Their schemas are files beside this module, in the form in which CloudFormation publishes its own; the facts that the
planner needs follow from them, so that no fact stands twice.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

from tenuto.kit.digits import is_digits
from tenuto.model import cloud_node
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.consistency import IMMEDIATE
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.resource import Comparison, ResourceType, Rule, Unsaid
from tenuto.model.spelling import Documents
from tenuto.providers.local.rules.machines.power import AGENT_STATE
from tenuto.providers.local.rules.machines.replacement import NEVER

PROVIDER = "local"
PREFIX = "Tenuto::Compute::"
NETWORK = TypeName(f"{PREFIX}Network")
INTERFACE = TypeName(f"{PREFIX}NetworkInterface")
INSTANCE = TypeName(f"{PREFIX}Instance")
ARTIFACT = TypeName(f"{PREFIX}Artifact")

_LIFECYCLES = {NETWORK: "network", INTERFACE: "network_interface", INSTANCE: "instance", ARTIFACT: "artifact"}
_EVERY: JsonMap = {"Deviations": None, "Tags": {}}
_WHEN_ABSENT: Mapping[TypeName, JsonMap] = {
    NETWORK: {"Dhcp": True, "Nat": True, "Dns": False, "DnsRecords": {}},
    INTERFACE: {"Floating": False, "Routed": []},
    INSTANCE: {"Interfaces": [], "PowerState": "on", "Disks": [], "Replace": NEVER},
    ARTIFACT: {"RefreshSeconds": 0, "MaxVersions": 3, "Shared": False},
}
"""The values that absence stands for, by type, beside those of every type."""
_UNSHARED: Mapping[TypeName, tuple[tuple[str, ...], ...]] = {
    INTERFACE: (("Network", "Address"), ("MacAddress",)),
    INSTANCE: (("Interfaces",),),
    ARTIFACT: (("Name",),),
}
_COMPARED: Mapping[str, Rule] = {
    "Interfaces": Comparison.SET,
    "Routed": Comparison.SET,
    # A name or a tag that is no longer declared is to go: these mappings count as a whole.
    "DnsRecords": Documents(),
    "Tags": Documents(),
}
_NEVER_SHOWN = frozenset({"Affinity"})
"""The properties that count when a machine is placed, and that no host shows."""
_RESTARTING = frozenset({"Disks", "MemoryMiB", "Vcpus"})
"""The properties with whose change a virtual machine starts anew. A disk that only grows does so while it runs."""
_KINDS: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "array": ("a list", (list, tuple)),
    "object": ("a mapping", (Mapping,)),
    "integer": ("a whole number", (int,)),
}
"""The kinds of values that are not read from any other, with their words."""
OF_NODES = frozenset({"MachineType", "Image", "Network", "UserData", "SshKey", "Tags", "AwaitAgent"})
"""The properties of a node that say something about its machine."""


def completed(type_name: TypeName, properties: JsonMap) -> JsonMap:
    """The properties with the values that absence stands for."""
    return {**_EVERY, **_WHEN_ABSENT[type_name], **properties}


@lru_cache(maxsize=1)
def schemas() -> Mapping[TypeName, JsonMap]:
    """The schema of each type."""
    folder = files(__package__) / "schemas"
    return MappingProxyType(
        {name: json.loads((folder / f"{table}.json").read_text()) for name, table in _LIFECYCLES.items()}
    )


def settable(type_name: TypeName) -> frozenset[str]:
    """The properties of a type that a composition may declare."""
    schema = schemas()[type_name]
    return frozenset(schema["properties"]) - _names(schema["readOnlyProperties"])


def kind_problem(type_name: TypeName, values: JsonMap) -> str:
    """Return which value, given by another resource, is none of the kind that its schema names, for people; empty for
    none. A text or a truth is read from any value; a list, a mapping and a number are not."""
    properties = schemas()[type_name]["properties"] if type_name in schemas() else {}
    for name, value in sorted(values.items()):
        words, kinds = _KINDS.get(str(properties.get(name, {}).get("type")), ("", (object,)))
        is_number = kinds == (int,) and isinstance(value, str) and is_digits(value)
        if value is not None and not isinstance(value, kinds) and not is_number:
            return f"{name} must be {words}; resolved it is {json.dumps({name: value})[:200]}. Correct the composition"
    return ""


@lru_cache(maxsize=1)
def types() -> Mapping[TypeName, ResourceType]:
    """The facts of each type."""
    facts = {name: _facts(name, schema) for name, schema in schemas().items()}
    return MappingProxyType({**facts, CLOUD_NODE: _node_facts()})


def _node_facts() -> ResourceType:
    return ResourceType(
        name=CLOUD_NODE,
        provider=PROVIDER,
        lifecycle="cloud_node",
        source=CLOUD_NODE,
        required=frozenset({"MachineType"}),
        create_only=frozenset({cloud_node.PROVIDER, "Image", "UserData", "SshKey"}),
        interrupting=frozenset({"MachineType"}),
        shown=OF_NODES | {cloud_node.PROVIDER, cloud_node.TARGET_STATE, "Deviations"},
        attributes=frozenset({"InstanceId", "Provider", "Host", "PrivateIp", "Hostname", AGENT_STATE}),
        passing=frozenset({AGENT_STATE}),
        when_absent={**_EVERY, cloud_node.TARGET_STATE: cloud_node.STARTED},
        compare_as={"Tags": Documents()},
        exclusive=(("Network",),),
        unsaid=(Unsaid(names=frozenset({cloud_node.PROVIDER, cloud_node.TARGET_STATE})),),
        makes_once=True,
        can_be_released=False,
        consistency=IMMEDIATE,
        bears_data=True,
    )


def _facts(name: TypeName, schema: JsonMap) -> ResourceType:
    read_only = _names(schema["readOnlyProperties"])
    return ResourceType(
        name=name,
        provider=PROVIDER,
        lifecycle=_LIFECYCLES[name],
        source=name,
        required=frozenset(schema["required"]),
        create_only=_names(schema["createOnlyProperties"]),
        interrupting=_RESTARTING & schema["properties"].keys(),
        write_only=_NEVER_SHOWN & schema["properties"].keys(),
        attributes=(read_only - {"Deviations"})
        | _names(schema["createOnlyProperties"]) & {"Address", "MacAddress", "Host", "Driver"}
        | schema["properties"].keys() & {"Sha512"},
        when_absent=completed(name, {}),
        compare_as={path: rule for path, rule in _COMPARED.items() if path in schema["properties"]},
        exclusive=_UNSHARED.get(name, ()),
        makes_once=True,
        consistency=IMMEDIATE,
        bears_data=name == INSTANCE,
    )


def _names(pointers: list[str]) -> frozenset[str]:
    return frozenset(one.removeprefix("/properties/") for one in pointers)
