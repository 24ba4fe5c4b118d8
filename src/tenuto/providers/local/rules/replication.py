"""The hosts that are to keep a copy of a blob: as many as the policy says, wherever there is least.

Theory of operation. A copy stands until its host is lost or deleted: one that is silent for a while is not made up for,
since it will be back with all that it has. New copies go to hosts that have the blob for a machine anyway, then to
those with the fewest bytes of copies, and at last by a hash, so the same facts give the same answer.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tenuto.model.ids import ObjectId

FACTOR = 2
"""Copies of a blob on hosts, besides that of the Conductor: one host and the Conductor may be lost at one time."""
MENDER = "Mender"
"""The attribute of a blob with the host that gives its copy back, whose file at the Conductor is damaged or lost."""
SEND_AS = "SendAs"
"""The property of the order for a copy with the name of the part as which it is sent to the Conductor."""
MOST_COPYING = 20
"""Copies that are under way at one time: the networks of the hosts are their machines'."""

_AT = "@"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicationRules:
    """The policy. Zones with one of the drivers `left_out` have no copies."""

    factor: int = FACTOR
    left_out: tuple[str, ...] = ("simulated",)


def hosts_for(
    sha512: str,
    *,
    factor: int,
    standing: Collection[str],
    candidates: Sequence[str],
    near: Collection[str],
    load: Mapping[str, int],
) -> tuple[str, ...]:
    """The hosts that are to have a further copy. `near` are those that need the blob anyway, `load` has the bytes of
    the copies on each.

    A host is named by its zone and its name. There are never more copies than hosts.
    """
    lacking = factor - len(standing)
    free = [one for one in candidates if one not in standing]
    order = sorted(free, key=lambda one: (one not in near, load.get(one, 0), _chance(sha512, one)))
    return tuple(order[: max(0, lacking)])


def key_of(zone: str, host: str) -> str:
    """The name of a host among those of all zones."""
    return f"{zone}/{host}"


def place_of(key: str) -> tuple[str, str]:
    """The zone and the name of a host."""
    zone, _, host = key.partition("/")
    return zone, host


def mend_part(blob: ObjectId) -> ObjectId:
    """The name of the part as which a host gives the content of a blob back to the Conductor."""
    return ObjectId(f"mend-{blob}")


def replica_id(blob: ObjectId, key: str) -> ObjectId:
    """The name of the copy of a blob on a host, in orders."""
    return ObjectId(f"{blob}{_AT}{key}")


def is_replica(object_id: ObjectId) -> bool:
    """Whether an order is about a copy of a blob: no other thing has such a name."""
    return _AT in object_id


def _chance(sha512: str, host: str) -> str:
    return hashlib.sha256(f"{sha512} {host}".encode()).hexdigest()
