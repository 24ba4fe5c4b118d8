"""The resource types of the simulated cloud: one block each.

Together they hold every case that a planner meets: references, two types that refer to each other, things without tags,
fixed names, values that are never shown again, values that absence stands for, slow things, things that break.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.resource import Comparison, ResourceType

PROVIDER = "simulated"

NETWORK = TypeName("Simulated::Network")
SUBNET = TypeName("Simulated::Subnet")
GROUP = TypeName("Simulated::Group")
RULE = TypeName("Simulated::Rule")
SERVER = TypeName("Simulated::Server")
ADDRESS = TypeName("Simulated::Address")
RELAY = TypeName("Simulated::Relay")
BUCKET = TypeName("Simulated::Bucket")

TAGS: dict[str, Comparison] = {"Tags": Comparison.SET}
NO_TAGS: JsonMap = {"Tags": []}
ALLOW_ALL_OUT: JsonMap = {"Protocol": "all", "Cidr": "0.0.0.0/0"}


def _nothing_more(number: int, properties: JsonMap) -> JsonMap:
    return {}


def _node(number: int, properties: JsonMap) -> JsonMap:
    return {
        "InstanceId": f"node-{number}",
        "Provider": PROVIDER,
        "PrivateIp": f"10.1.{number // 256}.{number % 256}",
        "Hostname": f"node-{number}.simulated",
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedType:
    """The simulated cloud's facts of a type, beyond those that the planner must know.

    `references` are the properties that name other things, alone or in a list. A type with a `natural_key` has no id
    of its own: its physical id is made of these properties, and it carries no ownership. `slow` are the properties
    whose change takes so many seconds. `shows` gives further attributes of a thing, from its number and properties.
    """

    facts: ResourceType
    prefix: str
    optional: frozenset[str] = frozenset()
    is_open: bool = False
    """True when any other property may be declared, too."""
    references: Mapping[str, TypeName] = field(default_factory=dict)
    defaults: JsonMap = field(default_factory=dict)
    natural_key: tuple[str, ...] = ()
    pending_s: float = 0.0
    deleting_s: float = 0.0
    tombstone_s: float = 0.0
    """Seconds for which a deleted thing can still be seen, like a terminated instance."""
    slow: Mapping[str, float] = field(default_factory=dict)
    shows: Callable[[int, JsonMap], JsonMap] = _nothing_more

    @property
    def properties(self) -> frozenset[str]:
        """The properties that may be declared."""
        return self.facts.required | self.optional


_BLOCKS = (
    SimulatedType(
        facts=ResourceType(
            name=NETWORK,
            provider=PROVIDER,
            source="networks",
            required=frozenset({"CidrBlock"}),
            create_only=frozenset({"CidrBlock"}),
            attributes=frozenset({"Arn", "CidrBlock", "NetworkId"}),
            when_absent=NO_TAGS,
            compare_as=TAGS | {"CidrBlock": Comparison.CIDR},
        ),
        prefix="net",
        optional=frozenset({"Label", "Tags"}),
        shows=lambda number, properties: {"CidrBlock": properties["CidrBlock"]},
    ),
    SimulatedType(
        facts=ResourceType(
            name=SUBNET,
            provider=PROVIDER,
            source="subnets",
            required=frozenset({"NetworkId", "CidrBlock"}),
            create_only=frozenset({"NetworkId", "CidrBlock", "Zone"}),
            attributes=frozenset({"Arn", "SubnetId", "Zone"}),
            when_absent=NO_TAGS,
            compare_as=TAGS | {"CidrBlock": Comparison.CIDR},
            exclusive=(("NetworkId", "CidrBlock"),),
        ),
        prefix="sub",
        optional=frozenset({"Label", "Tags", "IsPublic", "Zone"}),
        references={"NetworkId": NETWORK},
        defaults={"IsPublic": False},
        shows=lambda number, properties: {"Zone": properties["Zone"]},
    ),
    SimulatedType(
        facts=ResourceType(
            name=GROUP,
            provider=PROVIDER,
            source="groups",
            required=frozenset({"NetworkId"}),
            create_only=frozenset({"NetworkId"}),
            attributes=frozenset({"Arn", "GroupId"}),
            when_absent={"Tags": [], "Ingress": [], "Egress": [ALLOW_ALL_OUT], "GuardId": None},
            compare_as=TAGS | {"Ingress": Comparison.SET, "Egress": Comparison.SET},
        ),
        prefix="grp",
        # A group may be guarded by a server, and a server is in groups: the two types refer to each other.
        optional=frozenset({"Label", "Tags", "Ingress", "Egress", "GuardId"}),
        references={"NetworkId": NETWORK, "GuardId": SERVER},
        defaults={"Ingress": [], "Egress": [ALLOW_ALL_OUT]},
    ),
    SimulatedType(
        facts=ResourceType(
            name=RULE,
            provider=PROVIDER,
            source="groups",
            required=frozenset({"GroupId", "Port"}),
            create_only=frozenset({"GroupId", "Port", "PeerId"}),
            attributes=frozenset({"Arn"}),
            exclusive=(("GroupId", "Port"),),
            is_read_first=True,
        ),
        prefix="rule",
        optional=frozenset({"PeerId", "Note"}),
        references={"GroupId": GROUP, "PeerId": GROUP},
        natural_key=("GroupId", "Port"),
    ),
    SimulatedType(
        facts=ResourceType(
            name=SERVER,
            provider=PROVIDER,
            source="servers",
            required=frozenset({"SubnetId", "Image"}),
            create_only=frozenset({"SubnetId", "Image"}),
            write_only=frozenset({"Password"}),
            attributes=frozenset({"Arn", "ServerId", "PrivateAddress"}),
            when_absent={"Tags": [], "GroupIds": []},
            compare_as=TAGS | {"GroupIds": Comparison.SET},
            bears_data=True,
        ),
        prefix="srv",
        optional=frozenset({"Size", "GroupIds", "Password", "Tags"}),
        references={"SubnetId": SUBNET, "GroupIds": GROUP},
        defaults={"Size": "small", "GroupIds": []},
        pending_s=20.0,
        deleting_s=10.0,
        tombstone_s=120.0,
        slow={"Size": 10.0},
        shows=lambda number, properties: {"PrivateAddress": f"10.0.{number // 256}.{number % 256}"},
    ),
    SimulatedType(
        facts=ResourceType(
            name=CLOUD_NODE,
            provider=PROVIDER,
            source="nodes",
            lifecycle="cloud_node",
            required=frozenset({"MachineType", "Image"}),
            create_only=frozenset({"Provider", "MachineType", "Image", "Network"}),
            attributes=frozenset({"Arn", "InstanceId", "Provider", "PrivateIp", "Hostname"}),
            when_absent=NO_TAGS,
            compare_as=TAGS,
            bears_data=True,
        ),
        prefix="node",
        optional=frozenset({"Provider", "Network", "Configuration", "KeepAlive", "TargetState", "Tags"}),
        is_open=True,
        pending_s=20.0,
        deleting_s=10.0,
        tombstone_s=120.0,
        shows=_node,
    ),
    SimulatedType(
        facts=ResourceType(
            name=ADDRESS,
            provider=PROVIDER,
            source="addresses",
            attributes=frozenset({"Arn", "AddressId", "PublicAddress"}),
            when_absent={"Tags": [], "ServerId": None},
            compare_as=TAGS,
            bears_data=True,
        ),
        prefix="addr",
        optional=frozenset({"ServerId", "Tags"}),
        references={"ServerId": SERVER},
        # Here `Ref` is not the physical id.
        shows=lambda number, properties: {"PublicAddress": _public(number), "Ref": _public(number)},
    ),
    SimulatedType(
        facts=ResourceType(
            name=RELAY,
            provider=PROVIDER,
            source="relays",
            required=frozenset({"SubnetId", "AddressId"}),
            create_only=frozenset({"SubnetId", "AddressId"}),
            attributes=frozenset({"Arn", "RelayId"}),
            exclusive=(("AddressId",),),
            mutable=False,
        ),
        prefix="rel",
        references={"SubnetId": SUBNET, "AddressId": ADDRESS},
        pending_s=60.0,
        deleting_s=30.0,
        tombstone_s=120.0,
    ),
    SimulatedType(
        facts=ResourceType(
            name=BUCKET,
            provider=PROVIDER,
            source="buckets",
            create_only=frozenset({"Name"}),
            attributes=frozenset({"Arn"}),
            when_absent=NO_TAGS,
            compare_as=TAGS,
            exclusive=(("Name",),),
            bears_data=True,
        ),
        prefix="bkt",
        optional=frozenset({"Name", "Versioning", "Tags"}),
        defaults={"Versioning": False},
    ),
)


def _public(number: int) -> str:
    return f"198.51.100.{number % 256}"


TYPES: Mapping[TypeName, SimulatedType] = {block.facts.name: block for block in _BLOCKS}
