"""The parts of compositions on the strict cloud: slots, and random properties for each type.

All that lies in a network lies in the first one, as most templates have it; the other network stands alone.
"""

from collections.abc import Mapping
from random import Random

from tenuto.core.language.resolve import referenced_resources
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, TypeName
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto_testing.simulation import strict_unblocked
from tenuto_testing.simulation.compositions import Drawer, Repertoire, Resources
from tenuto_testing.simulation.simulated_properties import second_part
from tenuto_testing.simulation.strict_drawing import (
    ADDRESS,
    ASSOCIATION,
    ATTACHED_VOLUME,
    ATTACHMENT,
    BUCKET,
    GATEWAY,
    GROUP,
    HOME,
    NAT,
    ROLE,
    ROLE_POLICY,
    ROUTE,
    RULE,
    RULE_OUT,
    SUBNET,
    TABLE,
    VPC,
    allowing,
    one_of,
    tags,
    trust,
)
from tenuto_testing.simulation.strict_machines import DRAWERS, SERVICES, SLOTS

_ATTACHMENT = "Att1"
_DEPENDING = frozenset({"Rou1", "Nat1", "Asa1", "Ins1", "Ins2"})
"""The slots that need a gateway without a reference to it: AWS makes their things in a network that has one, or
detaches none that its public address needs.
"""


def _vpc(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn = {"CidrBlock": f"10.{rng.choice((1, 1, 2))}.0.0/16", **tags(rng)}
    if rng.random() < 0.5:
        drawn["EnableDnsHostnames"] = rng.random() < 0.5
    return drawn


def _subnet(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    if HOME not in found:
        return None
    second = second_part(found[HOME].properties["CidrBlock"])
    drawn = {"VpcId": {"Ref": HOME}, "CidrBlock": f"10.{second}.{rng.randrange(4)}.0/24", **tags(rng)}
    if rng.random() < 0.4:
        drawn["MapPublicIpOnLaunch"] = rng.random() < 0.5
    if rng.random() < 0.3:
        drawn["AvailabilityZone"] = rng.choice(("us-east-1a", "us-east-1b"))
    return drawn


def _group(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    if HOME not in found:
        return None
    drawn: dict[str, Json] = {
        "GroupDescription": rng.choice(("front", "back")),
        "VpcId": {"Ref": HOME},
        **tags(rng),
    }
    if rng.random() < 0.5:
        ports = rng.sample((1022, 1080, 1443), rng.randrange(3))
        drawn["SecurityGroupIngress"] = [_traffic(port, {"CidrIp": "10.0.0.0/8"}) for port in ports]
    return drawn


def _traffic(port: int, peer: Mapping[str, Json]) -> dict[str, Json]:
    return {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, **peer}


def _rule(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    group = one_of(rng, found, GROUP)
    if group is None:
        return None
    peer = (
        {"CidrIp": "0.0.0.0/0"} if rng.random() < 0.5 else {"SourceSecurityGroupId": {"Ref": one_of(rng, found, GROUP)}}
    )
    drawn = {"GroupId": {"Ref": group}, **_traffic(rng.choice((22, 80, 443)), peer)}
    if rng.random() < 0.5:
        drawn["Description"] = rng.choice(("a note", "another"))
    return drawn


def _rule_out(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    group = one_of(rng, found, GROUP)
    if group is None:
        return None
    return {"GroupId": {"Ref": group}, **_traffic(rng.choice((25, 53)), {"CidrIp": "10.0.0.0/8"})}


def _gateway(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    return tags(rng)


def _attachment(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    gateway = one_of(rng, found, GATEWAY)
    return {"InternetGatewayId": {"Ref": gateway}, "VpcId": {"Ref": HOME}} if gateway and HOME in found else None


def _table(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    return {"VpcId": {"Ref": HOME}, **tags(rng)} if HOME in found else None


def _route(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    """To the gateway that is attached, or through a NAT gateway."""
    table = one_of(rng, found, TABLE)
    if table is None or _ATTACHMENT not in found:
        return None
    nat = one_of(rng, found, NAT)
    gateway = found[_ATTACHMENT].properties["InternetGatewayId"]
    target = {"NatGatewayId": {"Ref": nat}} if nat and rng.random() < 0.5 else {"GatewayId": gateway}
    block = rng.choice(("0.0.0.0/0", "0.0.0.0/0", "192.168.0.0/16"))
    return {"RouteTableId": {"Ref": table}, "DestinationCidrBlock": block, **target}


def _association(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    table, subnet = one_of(rng, found, TABLE), one_of(rng, found, SUBNET)
    return {"RouteTableId": {"Ref": table}, "SubnetId": {"Ref": subnet}} if table and subnet else None


def _address(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    return {"Domain": "vpc", **tags(rng)}


def _nat(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    subnet, address = one_of(rng, found, SUBNET), one_of(rng, found, ADDRESS)
    if subnet is None or address is None or _ATTACHMENT not in found:
        return None
    return {"SubnetId": {"Ref": subnet}, "AllocationId": {"Fn::GetAtt": [address, "AllocationId"]}, **tags(rng)}


def _role(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn = {"AssumeRolePolicyDocument": trust("ec2.amazonaws.com"), **tags(rng)}
    if rng.random() < 0.5:
        drawn["RoleName"] = f"{owner}-{rng.choice('abc')}"
    if rng.random() < 0.5:
        drawn["Description"] = rng.choice(("front", "back"))
    if rng.random() < 0.4:
        drawn["Policies"] = [{"PolicyName": "within", "PolicyDocument": allowing(rng.choice(("s3:Get*", "s3:List*")))}]
    return drawn


def _role_policy(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    role = one_of(rng, found, ROLE)
    if role is None:
        return None
    action = rng.choice(("sns:Publish", "sqs:SendMessage"))
    return {"RoleName": {"Ref": role}, "PolicyName": "beside", "PolicyDocument": allowing(action)}


def _bucket(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn = tags(rng)
    if rng.random() < 0.7:
        drawn["BucketName"] = f"tenuto-{owner}-{rng.choice('abc')}"
    if rng.random() < 0.4:
        drawn["VersioningConfiguration"] = {"Status": rng.choice(("Enabled", "Suspended"))}
    return drawn


_DRAWERS: Mapping[TypeName, Drawer] = {
    **DRAWERS,
    **strict_unblocked.DRAWERS,
    VPC: _vpc,
    SUBNET: _subnet,
    GROUP: _group,
    RULE: _rule,
    RULE_OUT: _rule_out,
    GATEWAY: _gateway,
    ATTACHMENT: _attachment,
    TABLE: _table,
    ROUTE: _route,
    ASSOCIATION: _association,
    ADDRESS: _address,
    NAT: _nat,
    ROLE: _role,
    ROLE_POLICY: _role_policy,
    BUCKET: _bucket,
}


def _fits(declaration: Declaration, found: Resources) -> bool:
    """A subnet is within its network; a slot that needs a gateway has it, and a route leads to the one that is
    attached; a volume is in the zone of the instance that it is attached to."""
    if declaration.logical_id in _DEPENDING:
        gateway = declaration.properties.get("GatewayId")
        return _ATTACHMENT in found and gateway in (None, found[_ATTACHMENT].properties["InternetGatewayId"])
    if declaration.type == ATTACHED_VOLUME:
        volume, machine = (declaration.properties[name]["Ref"] for name in ("VolumeId", "InstanceId"))
        return bool(found[volume].properties["AvailabilityZone"] == {"Fn::GetAtt": [machine, "AvailabilityZone"]})
    if declaration.type != SUBNET:
        return True
    network = found[referenced_resources(declaration.properties)[0]].properties["CidrBlock"]
    return second_part(declaration.properties["CidrBlock"]) == second_part(network)


def _after(rng: Random, found: Resources) -> dict[str, str]:
    extra = {slot: _ATTACHMENT for slot in sorted(_DEPENDING) if slot in found}
    if "Bkt1" in found and "Bkt2" in found and rng.random() < 0.3:
        extra["Bkt1"] = "Bkt2"
    return extra


_ALIKE: Mapping[TypeName, tuple[tuple[str, ...], ...]] = {RULE: (("GroupId", "FromPort"),)}
"""The values that AWS refuses twice, and that no plan has to know of: two resources that declare the same ones are a
mistake of their author."""

_SLOTS: Mapping[str, tuple[TypeName, ...]] = {
    "Net1": (VPC,),
    "Net2": (VPC,),
    "Sub1": (SUBNET,),
    "Sub2": (SUBNET,),
    "Sub3": (SUBNET,),
    "Grp1": (GROUP,),
    "Grp2": (GROUP,),
    "Rul1": (RULE,),
    "Rul2": (RULE,),
    "Rul3": (RULE_OUT,),
    "Igw1": (GATEWAY,),
    "Att1": (ATTACHMENT,),
    "Adr1": (ADDRESS,),
    "Adr2": (ADDRESS,),
    "Nat1": (NAT,),
    "Tab1": (TABLE,),
    "Tab2": (TABLE,),
    "Rou1": (ROUTE,),
    "Ass1": (ASSOCIATION,),
    "Ass2": (ASSOCIATION,),
    "Rol1": (ROLE,),
    "Pol1": (ROLE_POLICY,),
    "Bkt1": (BUCKET,),
    "Bkt2": (BUCKET,),
    **SLOTS,
}
_GROUND = frozenset({"Net1", "Sub1", "Sub2", "Grp1", "Igw1", "Att1", "Rol1"})
_NETWORKS = frozenset(_SLOTS) - SLOTS.keys()
_MACHINES = frozenset(SLOTS) - SERVICES
"""Several kinds of compositions, since one about everything takes long: every type costs calls at each sweep."""

REPERTOIRE = Repertoire(
    region="us-east-1",
    slots={**_SLOTS, **strict_unblocked.SLOTS},
    themes=(
        *(_NETWORKS, _NETWORKS, _GROUND | _MACHINES, SERVICES | {"Rol1", "Bkt1"}),
        *(frozenset(strict_unblocked.SLOTS) | {"Bkt1"}, frozenset(_SLOTS)),
    ),
    drawers=_DRAWERS,
    first=("Net1", VPC, {"CidrBlock": "10.1.0.0/16"}),
    fits=_fits,
    exclusive=lambda name: (*CATALOGUE[name].facts.exclusive, *_ALIKE.get(name, ())),
    swaps=(("Bkt1", "Bkt2", "BucketName"), ("Sub1", "Sub2", "CidrBlock"), ("Ass1", "Ass2", "SubnetId")),
    after=_after,
    retained=frozenset({BUCKET, ADDRESS}),
    name=frozenset({"BucketName"}),
    nameless=frozenset({ADDRESS}),
)
