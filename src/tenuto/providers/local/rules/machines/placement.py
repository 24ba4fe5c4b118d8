"""Placement: which host a machine gets, and why no other.

Theory of operation. Hosts pass filters one after the other; each filter says why a host falls out. Those that are left
are put in order: the tags that the machine wishes beside it, then the least committed memory, then a hash of the object
id. There is no chance in it, so the same snapshot always gives the same answer. A machine that no host could ever hold
is refused at once; one for which there is no room now waits. Machines that are powered off count, since they may be
started at any time. All that wait are placed one after the other, each against the room that the ones before it took.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from tenuto.model.ids import JsonMap, ObjectId

DISK_GIB = "DiskGiB"
"""The attribute of a machine with the size of its disks together, as it was placed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One host. `memory_mib` is all that it has, and so is `disk_gib`; None where it does not tell its disk."""

    name: str
    cores: int
    memory_mib: int
    is_up: bool = True
    is_cordoned: bool = False
    disk_gib: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One machine that needs a host. `host` is the only one that it may have, or empty; `affinity` weighs tags of the
    machines of its namespace, each written KEY=VALUE; `disk_gib` is the size of its disks together."""

    object_id: ObjectId
    namespace: str
    vcpus: int
    memory_mib: int
    host: str = ""
    affinity: Mapping[str, int] = field(default_factory=dict)
    tags: frozenset[str] = frozenset()
    disk_gib: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """One machine that has its host."""

    host: str
    machine: Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementRules:
    """The bounds of a zone: virtual processors for each core, the share of a host's memory that may be committed, and
    the MiB that it keeps for itself; of its disk it keeps so many GiB, and at most a part. `closed` says of hosts why
    they take nothing new."""

    vcpus_per_core: int = 16
    memory_ratio: float = 1.0
    kept_mib: int = 2048
    kept_disk_gib: int = 20
    kept_disk_part: float = 0.1
    closed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """The machine has a host. `trail` says why each of the others was left out."""

    host: str
    trail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplaced:
    """The machine has no host: `is_final` when none of the present ones could ever hold it. `advice` is for then."""

    message: str
    is_final: bool
    advice: str = "Ask for less, or add a host"


Placing = Mapping[ObjectId, Assigned | Unplaced]
_Filter = Callable[[Host], str]


def place(wanted: Sequence[Machine], hosts: Sequence[Host], placed: Sequence[Placed], rules: PlacementRules) -> Placing:
    """Place all that are wanted, in their order."""
    taken = list(placed)
    found: dict[ObjectId, Assigned | Unplaced] = {}
    for machine in wanted:
        answer = _place_one(machine, hosts, taken, rules)
        found[machine.object_id] = answer
        if isinstance(answer, Assigned):
            taken.append(Placed(host=answer.host, machine=machine))
    return found


def never_placed(machine: Machine, hosts: Sequence[Host], rules: PlacementRules) -> Unplaced | None:
    """Return why none of the present hosts could ever hold a machine; None when one could, now or once it has room."""
    # A host that is silent or cordoned will not be so for ever: its size alone is the reason to be told.
    open_ones = [replace(host, is_up=True, is_cordoned=False) for host in hosts]
    answer = _place_one(machine, open_ones, (), rules)
    return answer if isinstance(answer, Unplaced) and answer.is_final else None


def misfits(
    machines: Sequence[Machine], hosts: Sequence[Host], placed: Mapping[ObjectId, Placed], rules: PlacementRules
) -> Mapping[ObjectId, str]:
    """Return why machines, each of which has its host and was not made there yet, do not fit there any more."""
    known = {host.name: host for host in hosts}
    found: dict[ObjectId, str] = {}
    for machine in machines:
        own = placed.get(machine.object_id)
        if own is None:
            continue
        others = [one for key, one in placed.items() if key != machine.object_id]
        host = known.get(own.host)
        if host is None:
            found[machine.object_id] = "it is not in the zone any more"
            continue
        # One that does not answer just now is waited for: a Conductor that has just begun has not heard any.
        asked = replace(host, is_up=True)
        reasons = (why for ask in _filters(machine, others, rules) if (why := ask(asked)))
        if why := next(reasons, ""):
            found[machine.object_id] = why
    return found


def outgrown(
    machines: Sequence[Machine], hosts: Sequence[Host], placed: Mapping[ObjectId, Placed], rules: PlacementRules
) -> Mapping[ObjectId, str]:
    """Return why machines that are on their hosts cannot become as large as they ask to be.

    They are judged one after the other, each with those that fit before it. Only the room of the host counts: a host
    that takes nothing new keeps its machines.
    """
    known, there, found = {host.name: host for host in hosts}, dict(placed), dict[ObjectId, str]()
    for machine in machines:
        own = there.get(machine.object_id)
        host = known.get(own.host) if own is not None else None
        if own is None or host is None:
            continue
        others = [one for key, one in there.items() if key != machine.object_id]
        if why := _too_small(host, machine, rules) or _too_full(host, machine, others, rules):
            found[machine.object_id] = why
        else:
            there[machine.object_id] = Placed(host=own.host, machine=machine)
    return found


def resized(machine: Machine, properties: JsonMap) -> Machine:
    """The machine with the needs that its order has now. Disks that are ordered by size are counted anew."""
    sizes = [int(one.get("SizeGiB") or 0) for one in properties.get("Disks", ())]
    return replace(
        machine,
        vcpus=int(properties["Vcpus"]),
        memory_mib=int(properties["MemoryMiB"]),
        disk_gib=sum(sizes) if all(sizes) else max(machine.disk_gib, sum(sizes)),
    )


def _place_one(
    machine: Machine, hosts: Sequence[Host], placed: Sequence[Placed], rules: PlacementRules
) -> Assigned | Unplaced:
    if machine.host and machine.host not in {host.name for host in hosts}:
        known = ", ".join(sorted(host.name for host in hosts)) or "none"
        lost = f"there is no host {machine.host}; the hosts of the zone: {known}"
        return Unplaced(message=lost, is_final=True, advice="Correct Host, or leave it out")
    reasons: dict[str, str] = {}
    for host in hosts:
        for why in _filters(machine, placed, rules):
            if reason := why(host):
                reasons[host.name] = reason
                break
    left = [host for host in hosts if host.name not in reasons]
    trail = tuple(f"{name}: {reason}" for name, reason in sorted(reasons.items()))
    if left:
        return Assigned(host=min(left, key=lambda host: _order(host, machine, placed)).name, trail=trail)
    # The machine may have one host alone: the room of the others is no hope for it.
    asked = [host for host in hosts if machine.host in ("", host.name)]
    is_final = bool(asked) and all(_too_small(host, machine, rules) for host in asked)
    disk = f" and {machine.disk_gib} GiB of disk" if machine.disk_gib else ""
    what = f"no host has {machine.vcpus} vcpus and {machine.memory_mib} MiB{disk}"
    if any(host.name == machine.host and not host.is_up for host in hosts):
        silent = f"the host {machine.host} does not answer, and the machine asks for it"
        return Unplaced(message=silent, is_final=is_final, advice=f"Bring {machine.host} back, or leave Host out")
    return Unplaced(message=f"{what}: {'; '.join(trail) or 'the zone has no hosts'}", is_final=is_final)


def _filters(machine: Machine, placed: Sequence[Placed], rules: PlacementRules) -> Sequence[_Filter]:
    """The filters, in the order in which a host is asked."""
    return (
        lambda host: f"{machine.host} is asked for" if machine.host not in ("", host.name) else "",
        lambda host: rules.closed.get(host.name, ""),
        lambda host: "" if host.is_up else "it does not answer",
        lambda host: "it is cordoned" if host.is_cordoned else "",
        lambda host: _too_small(host, machine, rules),
        lambda host: _too_full(host, machine, placed, rules),
    )


def _too_small(host: Host, machine: Machine, rules: PlacementRules) -> str:
    """Return why the host could not hold the machine even if it were empty."""
    if machine.vcpus > host.cores * rules.vcpus_per_core:
        return f"it has {host.cores} cores"
    if machine.memory_mib > _memory(host, rules):
        return f"{_memory(host, rules)} MiB of it are for machines"
    if (room := _disk(host, rules)) is not None and machine.disk_gib > room:
        return f"{room} GiB of its disk are for machines"
    return ""


def _too_full(host: Host, machine: Machine, placed: Sequence[Placed], rules: PlacementRules) -> str:
    there = [one.machine for one in placed if one.host == host.name]
    free = _memory(host, rules) - sum(one.memory_mib for one in there)
    if machine.memory_mib > free:
        return f"{free} MiB are free"
    vcpus = host.cores * rules.vcpus_per_core - sum(one.vcpus for one in there)
    if machine.vcpus > vcpus:
        return f"{vcpus} vcpus are free"
    room = _disk(host, rules)
    left = None if room is None else room - sum(one.disk_gib for one in there)
    return f"{left} GiB of its disk are free" if left is not None and machine.disk_gib > max(left, 0) else ""


def _memory(host: Host, rules: PlacementRules) -> int:
    return int((host.memory_mib - rules.kept_mib) * rules.memory_ratio)


def _disk(host: Host, rules: PlacementRules) -> int | None:
    """The GiB of a host's disk that are for machines; None where it is not known: then nothing is refused for it."""
    if host.disk_gib is None:
        return None
    return host.disk_gib - int(min(rules.kept_disk_gib, host.disk_gib * rules.kept_disk_part))


def _order(host: Host, machine: Machine, placed: Sequence[Placed]) -> tuple[int, int, str]:
    """The key by which the best host comes first."""
    there = [one.machine for one in placed if one.host == host.name]
    score = sum(
        weight
        for tag, weight in machine.affinity.items()
        for one in there
        if one.namespace == machine.namespace and tag in one.tags
    )
    committed = sum(one.memory_mib for one in there)
    return -score, committed, sha256(f"{machine.object_id} {host.name}".encode()).hexdigest()
