"""The parts of compositions on the simulated cloud: slots, and random properties for each type."""

from collections.abc import Mapping
from random import Random

from tenuto.model.cloud_node import CLOUD_NODE, DEALLOCATED, STARTED, TARGET_STATE
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, TypeName
from tenuto.providers.simulated.types import ADDRESS, BUCKET, GROUP, NETWORK, RELAY, RULE, SERVER, SUBNET, TYPES
from tenuto_testing.simulation.compositions import Drawer, Repertoire, Resources


def second_part(block: Json) -> str:
    """The part of an address range by which networks differ here."""
    return str(block).split(".")[1]


def _of(found: Resources, type_name: TypeName) -> list[str]:
    return [slot for slot, declaration in found.items() if declaration.type == type_name and slot != "Any1"]


def _tags(rng: Random) -> dict[str, Json]:
    return {"Tags": [{"Key": "stage", "Value": rng.choice("ab")}]} if rng.random() < 0.4 else {}


def _network(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn = {"CidrBlock": f"10.{rng.choice((1, 1, 2))}.0.0/16", **_tags(rng)}
    networks = _of(found, NETWORK)
    if networks and rng.random() < 0.3:
        drawn["Label"] = {"Fn::Join": ["/", ["beside", {"Fn::GetAtt": [rng.choice(networks), "Arn"]}]]}
    elif rng.random() < 0.5:
        drawn["Label"] = rng.choice(("one", "two"))
    return drawn


def _subnet(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    networks = _of(found, NETWORK)
    if not networks:
        return None
    network = rng.choice(networks)
    second = second_part(found[network].properties["CidrBlock"])
    drawn = {"NetworkId": {"Ref": network}, "CidrBlock": f"10.{second}.{rng.randrange(4)}.0/24", **_tags(rng)}
    if rng.random() < 0.4:
        drawn["IsPublic"] = rng.random() < 0.5
    if rng.random() < 0.3:
        drawn["Zone"] = rng.choice(("sim-1a", "sim-1b"))
    return drawn


def _group(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    networks, servers = _of(found, NETWORK), _of(found, SERVER)
    if not networks:
        return None
    drawn: dict[str, Json] = {"NetworkId": {"Ref": rng.choice(networks)}, **_tags(rng)}
    if rng.random() < 0.5:
        drawn["Ingress"] = [{"Protocol": "tcp", "Port": port} for port in rng.sample((22, 80, 443), rng.randrange(3))]
    if servers and rng.random() < 0.6:
        drawn["GuardId"] = {"Ref": rng.choice(servers)}
    return drawn


def _rule(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    groups = _of(found, GROUP)
    if not groups:
        return None
    drawn: dict[str, Json] = {"GroupId": {"Ref": rng.choice(groups)}, "Port": rng.choice((22, 80))}
    if rng.random() < 0.4:
        drawn["PeerId"] = {"Ref": rng.choice(groups)}
    if rng.random() < 0.5:
        drawn["Note"] = rng.choice(("a note", "another"))
    return drawn


def _server(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    subnets, groups = _of(found, SUBNET), _of(found, GROUP)
    if not subnets:
        return None
    drawn: dict[str, Json] = {
        "SubnetId": {"Ref": rng.choice(subnets)},
        "Image": rng.choice(("img-1", "img-1", "img-2")),
        **_tags(rng),
    }
    if groups and rng.random() < 0.6:
        drawn["GroupIds"] = [{"Ref": name} for name in rng.sample(groups, rng.randint(1, min(2, len(groups))))]
    if rng.random() < 0.5:
        drawn["Size"] = rng.choice(("small", "large"))
    if rng.random() < 0.3:
        drawn["Password"] = rng.choice(("open", "sesame"))
    return drawn


def _address(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    servers = _of(found, SERVER)
    drawn = _tags(rng)
    if servers and rng.random() < 0.6:
        drawn["ServerId"] = {"Ref": rng.choice(servers)}
    return drawn


def _relay(rng: Random, owner: str, found: Resources) -> dict[str, Json] | None:
    subnets, addresses = _of(found, SUBNET), _of(found, ADDRESS)
    if not subnets or not addresses:
        return None
    address = {"Fn::GetAtt": [rng.choice(addresses), "AddressId"]}
    return {"SubnetId": {"Ref": rng.choice(subnets)}, "AddressId": address}


def _bucket(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn = _tags(rng)
    if rng.random() < 0.7:
        drawn["Name"] = f"{owner}-{rng.choice('abc')}"
    if rng.random() < 0.4:
        drawn["Versioning"] = rng.random() < 0.5
    return drawn


def _node(rng: Random, owner: str, found: Resources) -> dict[str, Json]:
    drawn: dict[str, Json] = {
        "MachineType": rng.choice(("small", "small", "large")),
        "Image": rng.choice(("img-1", "img-1", "img-2")),
        **_tags(rng),
    }
    networks = _of(found, NETWORK)
    if networks and rng.random() < 0.4:
        drawn["Network"] = {"Ref": rng.choice(networks)}
    if rng.random() < 0.5:
        drawn["Configuration"] = {"Role": rng.choice(("web", "db"))}
    if rng.random() < 0.3:
        drawn["Rack"] = rng.randrange(3)
    if rng.random() < 0.4:
        drawn[TARGET_STATE] = rng.choice((STARTED, DEALLOCATED, DEALLOCATED))
    return drawn


_DRAWERS: Mapping[TypeName, Drawer] = {
    NETWORK: _network,
    SUBNET: _subnet,
    GROUP: _group,
    RULE: _rule,
    SERVER: _server,
    ADDRESS: _address,
    RELAY: _relay,
    BUCKET: _bucket,
    CLOUD_NODE: _node,
}


def _fits(declaration: Declaration, found: Resources) -> bool:
    """A subnet is within its network."""
    if declaration.type != SUBNET:
        return True
    network = found[declaration.properties["NetworkId"]["Ref"]].properties["CidrBlock"]
    return second_part(declaration.properties["CidrBlock"]) == second_part(network)


def _after(rng: Random, found: Resources) -> dict[str, str]:
    """Now and then a dependency that only a person knows of, in either direction."""
    buckets = [slot for slot in ("Bkt1", "Bkt2", "Any1") if slot in found]
    extra: dict[str, str] = {}
    if len(buckets) > 1 and rng.random() < 0.5:
        first, second = rng.sample(buckets, 2)
        extra[first] = second
    if "Srv1" in found and buckets and rng.random() < 0.3:
        extra["Srv1"] = buckets[0]
    return extra


_SLOTS: Mapping[str, tuple[TypeName, ...]] = {
    "Net1": (NETWORK,),
    "Net2": (NETWORK,),
    "Sub1": (SUBNET,),
    "Sub2": (SUBNET,),
    "Sub3": (SUBNET,),
    "Grp1": (GROUP,),
    "Grp2": (GROUP,),
    "Srv1": (SERVER,),
    "Srv2": (SERVER,),
    "Grp3": (GROUP,),
    "Srv3": (SERVER,),
    "Rul1": (RULE,),
    "Rul2": (RULE,),
    "Adr1": (ADDRESS,),
    "Adr2": (ADDRESS,),
    "Rel1": (RELAY,),
    "Rel2": (RELAY,),
    "Bkt1": (BUCKET,),
    "Bkt2": (BUCKET,),
    "Any1": (BUCKET, NETWORK),
    "Nod1": (CLOUD_NODE,),
    "Nod2": (CLOUD_NODE,),
}
REPERTOIRE = Repertoire(
    region="sim-1",
    slots=_SLOTS,
    themes=(frozenset(_SLOTS),),
    drawers=_DRAWERS,
    first=("Net1", NETWORK, {"CidrBlock": "10.1.0.0/16"}),
    fits=_fits,
    exclusive=lambda name: TYPES[name].facts.exclusive,
    swaps=(("Bkt1", "Bkt2", "Name"), ("Sub1", "Sub2", "CidrBlock"), ("Rel1", "Rel2", "AddressId")),
    after=_after,
    retained=frozenset({NETWORK, BUCKET}),
    name=frozenset({"Name"}),
    nameless=frozenset({NETWORK}),
)
