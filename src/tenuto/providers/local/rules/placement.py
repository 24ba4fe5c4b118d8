"""Placement: which host a machine gets, and why no other.

Theory of operation. Hosts pass filters one after the other; each filter says why a host falls out. Those that are left
are put in order: the tags that the machine wishes beside it, then the least committed memory, then a hash of the object
id. There is no chance in it, so the same snapshot always gives the same answer. A machine that no host could ever hold
is refused at once; one for which there is no room now waits. Machines that are powered off count, since they may be
started at any time. All that wait are placed one after the other, each against what the ones before it took.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from tenuto.model.ids import ObjectId


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One host. `memory_mib` is all that it has."""

    name: str
    cores: int
    memory_mib: int
    is_up: bool = True
    is_cordoned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One machine that needs a host. `host` is the only one that it may have, or empty; `affinity` weighs tags of the
    machines of its namespace, each written KEY=VALUE."""

    object_id: ObjectId
    namespace: str
    vcpus: int
    memory_mib: int
    host: str = ""
    affinity: Mapping[str, int] = field(default_factory=dict)
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """One machine that has its host."""

    host: str
    machine: Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementRules:
    """The bounds of a zone: virtual processors for each core, the share of a host's memory that may be committed, and
    the MiB that it keeps for itself. `closed` says of hosts why they take nothing new."""

    vcpus_per_core: int = 16
    memory_ratio: float = 1.0
    kept_mib: int = 2048
    closed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """The machine has a host. `trail` says why each of the others was left out."""

    host: str
    trail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplaced:
    """The machine has no host: `is_final` when none of the present ones could ever hold it."""

    message: str
    is_final: bool


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


def _place_one(
    machine: Machine, hosts: Sequence[Host], placed: Sequence[Placed], rules: PlacementRules
) -> Assigned | Unplaced:
    if machine.host and machine.host not in {host.name for host in hosts}:
        known = ", ".join(sorted(host.name for host in hosts)) or "none"
        return Unplaced(message=f"there is no host {machine.host}; the hosts of the zone: {known}", is_final=True)
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
    is_final = bool(hosts) and all(_too_small(host, machine, rules) for host in hosts)
    what = f"no host has {machine.vcpus} vcpus and {machine.memory_mib} MiB"
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
    return ""


def _too_full(host: Host, machine: Machine, placed: Sequence[Placed], rules: PlacementRules) -> str:
    there = [one.machine for one in placed if one.host == host.name]
    free = _memory(host, rules) - sum(one.memory_mib for one in there)
    if machine.memory_mib > free:
        return f"{free} MiB are free"
    vcpus = host.cores * rules.vcpus_per_core - sum(one.vcpus for one in there)
    return f"{vcpus} vcpus are free" if machine.vcpus > vcpus else ""


def _memory(host: Host, rules: PlacementRules) -> int:
    return int((host.memory_mib - rules.kept_mib) * rules.memory_ratio)


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
