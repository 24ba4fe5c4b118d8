"""The refusals of the simulated cloud, in the order of real ones: the words first, then the world."""

from collections.abc import Container, Iterable, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network

from tenuto.model.ids import Instant, Json, JsonMap, PhysicalId
from tenuto.model.outcome import Pending, Refused, Request
from tenuto.providers.simulated.register import Register
from tenuto.providers.simulated.things import Thing, as_list
from tenuto.providers.simulated.types import BUCKET, SUBNET, SimulatedType

Things = Mapping[PhysicalId, Thing]


def words(kind: SimulatedType, properties: JsonMap, zones: Sequence[str]) -> Refused | None:
    """Whether the properties alone can be taken."""
    name = kind.facts.name
    for path in sorted(properties):
        if path not in kind.properties and not kind.is_open:
            return Refused(code="UnknownProperty", message=f"{name} has no property {path}", hint=f"Remove {path}.")
    for path in sorted(kind.facts.required):
        if properties.get(path) in (None, ""):
            return Refused(code="MissingProperty", message=f"{name} needs {path}", hint=f"Declare {path}.")
    if "CidrBlock" in properties and _network(properties["CidrBlock"]) is None:
        return Refused(code="InvalidCidrBlock", message=f"{properties['CidrBlock']!r} is no address range")
    zone = properties.get("Zone")
    if zone is not None and zone not in zones:
        return Refused(code="UnknownZone", message=f"{zone!r} is no zone", hint=f"Zones here: {', '.join(zones)}.")
    return None


def normal(properties: JsonMap) -> dict[str, Json]:
    """The properties as they are stored: host bits of an address range are cut off."""
    found = dict(properties)
    if (network := _network(found.get("CidrBlock"))) is not None:
        found["CidrBlock"] = str(network)
    return found


def references(
    kind: SimulatedType, properties: JsonMap, things: Things, given: Container[str], now: Instant
) -> Refused | Pending | None:
    """Whether everything that is referred to is there, of the right type, visible and working.

    A thing that never was there is refused; one that is not there any more may be seen to be gone, and made again, by
    the caller.
    """
    for path, wanted in sorted(kind.references.items()):
        for physical_id in as_list(properties.get(path)):
            other = things.get(physical_id)
            if other is None or not other.is_standing(now):
                message = f"{path} {physical_id!r} does not exist"
                if physical_id in given:
                    return Pending(code="NotFound", message=message, is_undone=True)
                return Refused(code="UnknownReference", message=message)
            if other.type.facts.name != wanted:
                return Refused(code="WrongReference", message=f"{path} {physical_id!r} is no {wanted}")
            if not other.is_visible(now):
                return Pending(code="NotVisibleYet", message=f"{path} {physical_id} is not visible yet", is_undone=True)
            if now < other.ready_at:
                return Pending(code="IncorrectState", message=f"{path} {physical_id} is pending", is_undone=True)
    return None


def rivals(
    request: Request, kind: SimulatedType, properties: JsonMap, things: Register, now: Instant
) -> Refused | None:
    """Whether something else holds a value that only one can have. Names of buckets are unique in the whole cloud."""
    for group in kind.facts.exclusive:
        if any(properties.get(path) is None for path in group):
            continue
        shared = next((path for path in group if path in kind.references), None)
        for other in things.users(properties[shared]) if shared else things.of_type(kind):
            is_alike = other.type is kind and other.exists(now)
            if is_alike and all(other.properties.get(path) == properties[path] for path in group):
                what = ", ".join(f"{path} {properties[path]}" for path in group)
                message = f"{other.physical_id} has {what} already"
                hint = f"Delete it, or give {request.logical_id} another {group[-1]}."
                return Refused(code="AlreadyExists", message=message, hint=hint)
    if kind.facts.name == SUBNET:
        return _overlap(properties, things, now)
    return None


def fixed(kind: SimulatedType, changed: JsonMap) -> Refused | None:
    """Whether a change touches a property that cannot be changed in place."""
    for path in sorted(changed):
        if path in kind.facts.create_only or not kind.facts.mutable:
            return Refused(code="CannotBeChanged", message=f"{path} of {kind.facts.name} cannot be changed")
    return None


def dependants(thing: Thing, things: Iterable[Thing], now: Instant) -> Pending | Refused | None:
    """Whether something that still exists keeps the thing from being deleted."""
    users = [other.physical_id for other in things if other.exists(now) and thing.physical_id in other.references()]
    if users:
        message = f"{thing.physical_id} is used by {', '.join(sorted(users))}"
        return Pending(code="DependencyViolation", message=message, is_undone=True, is_held=True)
    if thing.type.facts.name == BUCKET and thing.holds:
        return Refused(
            code="BucketNotEmpty",
            message=f"{thing.physical_id} holds {thing.holds} objects",
            hint="Empty the bucket.",
        )
    return None


def _overlap(properties: JsonMap, things: Register, now: Instant) -> Refused | None:
    mine = _network(properties["CidrBlock"])
    whole = _network(things[properties["NetworkId"]].properties["CidrBlock"])
    if not _is_inside(mine, whole):
        message = f"{properties['CidrBlock']} is not within {properties['NetworkId']}"
        return Refused(code="InvalidCidrBlock", message=message)
    for other in things.users(properties["NetworkId"]):
        if other.type.facts.name != SUBNET or not other.exists(now):
            continue
        theirs = _network(other.properties["CidrBlock"])
        if other.properties["NetworkId"] == properties["NetworkId"] and mine and theirs and mine.overlaps(theirs):
            return Refused(code="CidrConflict", message=f"{properties['CidrBlock']} overlaps {other.physical_id}")
    return None


def _is_inside(mine: IPv4Network | IPv6Network | None, whole: IPv4Network | IPv6Network | None) -> bool:
    if isinstance(mine, IPv4Network) and isinstance(whole, IPv4Network):
        return mine.subnet_of(whole)
    if isinstance(mine, IPv6Network) and isinstance(whole, IPv6Network):
        return mine.subnet_of(whole)
    return False


def _network(text: Json) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(str(text), strict=False)
    except ValueError:
        return None
