"""`Cloud.Node` on hosts: its words for an instance, and the machine of an instance as a node.

Theory of operation. No host is told of nodes. The stored object of a node is read as one of an instance
(`as_instance`): the phases, rules and books of instances then take it as theirs, and the host gets an order for an
instance. The order carries the attribute `Provider`, which no instance has; so a sweep tells the machines of the two
types apart (`is_of_node`), and reads the properties of a machine back into the words of its node (`as_node`).

The properties without a name at an instance are free: no host is told of them, they are for phases to read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.lifecycles.roles import has_ended, serves
from tenuto.model.cloud_node import CLOUD_NODE, PROVIDER, STARTED, TARGET_STATE
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, JsonMap
from tenuto.model.objection import Objection
from tenuto.model.resource import ManagedObject
from tenuto.providers.local.driver import Seen
from tenuto.providers.local.rules.machines.power import ALWAYS, ON, RESTART
from tenuto.providers.local.rules.machines.power import PROPERTY as POWER
from tenuto.providers.local.types import INSTANCE, OF_NODES, settable
from tenuto.providers.local.types import PROVIDER as LOCAL

STOPPED = "Stopped"
"""The target state that a machine shows that does not run: none that can be declared."""
_SIZE = re.compile(r"([1-9][0-9]{0,2})x([1-9][0-9]{1,7})")
_LEAST_MIB = 64
_SAME = ("SshKey", "Tags", "UserData")
_TABLE = "cloud_node"
_AGENT, _RUNNING = "agent", "running"

_NO_PROPERTY = "A node has no such property. Leave it out, or declare a Tenuto::Compute::Instance, which has it."
_NOT_YET = {
    "SecurityGroupIds": "The local cloud has no security groups. Leave it out: a machine is reached only from its own "
    "network, and by the outside addresses of its interface.",
    "FixedPublicIp": "Give the network interface of the node an outside address (Floating), and leave this out.",
    "Disks": "A node has the disk that Image begins, and no other one yet. Declare a Tenuto::Compute::Instance for "
    "more.",
}


def size_of(machine_type: Json) -> tuple[int, int] | None:
    """The virtual processors and the MiB of memory of a machine type such as `2x1024`; None for any other value."""
    found = _SIZE.fullmatch(machine_type) if isinstance(machine_type, str) else None
    if found is None or int(found[2]) < _LEAST_MIB or int(found[1]) > 256:
        return None
    return int(found[1]), int(found[2])


def told_size(machine_type: Json) -> str:
    """The reason why a value is no machine type, with the advice."""
    return (
        f"its MachineType {str(machine_type)[:80]!r} is no size of the local cloud: write VCPUSxMIB, such as 2x1024 "
        f"for two virtual processors and 1024 MiB of memory (at most 256, and at least {_LEAST_MIB} MiB)"
    )


def is_on_hosts(properties: JsonMap) -> bool:
    """Whether a node of a namespace has its machine on a host, and not one that plugins make."""
    named = properties.get(PROVIDER)
    return not isinstance(named, str) or named in ("", LOCAL)


def objections_to(declared: Sequence[Declaration]) -> list[Objection]:
    """Object to values that no machine can have, and to words that would be free properties without an effect. No
    schema judges nodes: each provider takes other ones."""
    found: list[Objection] = []
    for one in declared:
        given = one.properties
        if one.type != CLOUD_NODE or not is_on_hosts(given):
            continue
        size, tags, agent = (given.get(name) for name in ("MachineType", "Tags", "AwaitAgent"))
        texts = [name for name in ("Image", "Network", "SshKey", "UserData") if not _may_be_text(given.get(name, ""))]
        wrong = [(name, f"its {name} is no text") for name in texts]
        if isinstance(size, str) and size_of(size) is None:
            wrong.append(("MachineType", told_size(size)))
        if tags is not None and not (isinstance(tags, Mapping) and all(map(_may_be_text, tags.values()))):
            wrong.append(("Tags", "its Tags are no mapping of names to texts"))
        if agent is not None and not isinstance(agent, bool | Mapping):
            wrong.append(("AwaitAgent", "its AwaitAgent is neither true nor false"))
        found += [
            Objection(logical_id=one.logical_id, path=path, detail=f"{one.type} {one.logical_id}: {why}.", hint="")
            for path, why in wrong
        ]
        found += [
            Objection(
                logical_id=one.logical_id,
                path=path,
                detail=f"{one.type} {one.logical_id}: {path} has no effect on the local cloud. "
                f"{_NOT_YET.get(path, _NO_PROPERTY)}",
                hint="",
            )
            for path in sorted(given.keys() & (_NOT_YET.keys() | (settable(INSTANCE) - OF_NODES)))
        ]
    return found


def _may_be_text(value: Json) -> bool:
    """Whether a value is a text, or one that is known later."""
    return isinstance(value, str | Mapping)


def is_machine(found: ManagedObject) -> bool:
    """Whether a stored object stands for a machine on a host."""
    return found.type == INSTANCE or _is_node(found)


def as_instance(found: ManagedObject) -> ManagedObject:
    """Read the object of a node as that of an instance. Any other object is left as it is."""
    if not _is_node(found):
        return found
    return replace(found, type=INSTANCE, desired=_instance_properties(found.desired))


def counted(lifecycle: str, properties: JsonMap) -> tuple[str, JsonMap]:
    """Read the table and the properties of a node as those of an instance; any other ones as they are. The machine of a
    node that names plugins is on no host."""
    if lifecycle != _TABLE or not is_on_hosts(properties):
        return lifecycle, properties
    return "instance", _instance_properties(properties)


def is_up(found: ManagedObject) -> bool:
    """Whether the machine of a stored object is made, and not gone: it takes commands. A node has one as long as it has
    an id; phases of plugins run programs in it while it walks up, and before it goes."""
    return found.physical_id is not None and not has_ended(found) if _is_node(found) else serves(found)


def is_of_node(seen: Seen) -> bool:
    """Whether a machine on a host is that of a node."""
    return PROVIDER in seen.attributes


def as_node(seen: Seen, properties: JsonMap) -> Seen:
    """Read a machine as a node. `properties` are those that it shows, in the words of a composition."""
    is_on = properties.get(POWER) == ON
    addresses = seen.attributes.get("Addresses") or ()
    attributes: dict[str, Json] = {**seen.attributes, "Hostname": properties.get("Name")}
    if addresses:
        attributes["PrivateIp"] = addresses[0]
    return replace(
        seen,
        properties=_node_properties(properties) | {TARGET_STATE: STARTED if is_on else STOPPED},
        attributes=attributes,
        message=seen.message if is_on else f"{properties.get(POWER)} outside of Tenuto",
    )


def _is_node(found: ManagedObject) -> bool:
    return found.type == CLOUD_NODE and found.provider == LOCAL


def _instance_properties(desired: JsonMap) -> dict[str, Json]:
    # A node that is to be started has a machine that runs, however that ended: a guest's own end is drift, too.
    found: dict[str, Json] = {RESTART: ALWAYS, **{name: desired[name] for name in _SAME if name in desired}}
    if (size := size_of(desired.get("MachineType"))) is not None:
        found["Vcpus"], found["MemoryMiB"] = size
    if "Image" in desired:
        found["Disks"] = [{"Base": desired["Image"]}]
    if "Network" in desired:
        found["Interfaces"] = [desired["Network"]]
    if "AwaitAgent" in desired:
        found["ReadyWhen"] = _AGENT if desired["AwaitAgent"] is True else _RUNNING
    return found


def _node_properties(shown: JsonMap) -> dict[str, Json]:
    found: dict[str, Json] = {name: shown[name] for name in (*_SAME, "Deviations") if name in shown}
    found |= {
        PROVIDER: LOCAL,
        "MachineType": f"{shown.get('Vcpus')}x{shown.get('MemoryMiB')}",
        "AwaitAgent": shown.get("ReadyWhen") == _AGENT,
    }
    disks, interfaces = shown.get("Disks") or (), shown.get("Interfaces") or ()
    if disks and isinstance(disks[0], Mapping) and disks[0].get("Base"):
        found["Image"] = disks[0]["Base"]
    if interfaces:
        found["Network"] = interfaces[0]
    return found
