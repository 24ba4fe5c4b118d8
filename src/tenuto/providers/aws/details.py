"""Details: what bulk calls do not show of a thing, remembered until it must be read anew.

Theory of operation. The DNS switches of a VPC or the configurations of a bucket cost calls for each single thing, at
every look; with a few hundred of them that is nearly everything that a look costs, and AWS allows only so many. Who
asks says of each thing after which moment its details must have been read: after our own last change of it, and now
when it is its turn. What was read later than that is given out again.

Nothing may be kept here that changes by itself (a status), and nothing that changes when something else is changed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from threading import Lock

from tenuto.model.ids import Instant, JsonMap, PhysicalId
from tenuto.ports.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """Details, and the moment before they were asked for."""

    value: JsonMap
    read_at: Instant


class Details:
    """The memory of one door. Thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._known: dict[str, dict[str, _Known]] = {}

    def get(
        self,
        type_name: str,
        tracked: Mapping[PhysicalId, Instant],
        ids: Iterable[str],
        read: Callable[[list[str]], Mapping[str, JsonMap]],
    ) -> dict[str, JsonMap]:
        """The details of those of the ids that are tracked, read after the moment that is given with each.

        What `read` leaves out is left out. What is no longer tracked is forgotten. Raises what `read` raises; then
        nothing is remembered of this time.
        """
        wanted = {one: tracked[PhysicalId(one)] for one in ids if PhysicalId(one) in tracked}
        with self._lock:
            known = self._known.get(type_name, {})
        read_at = self._clock.now()
        due = [one for one, not_before in wanted.items() if one not in known or known[one].read_at <= not_before]
        fresh = {one: _Known(value=value, read_at=read_at) for one, value in read(due).items()} if due else {}
        gone = set(due)
        kept = {one: found for one, found in known.items() if one in tracked and one not in gone} | fresh
        with self._lock:
            self._known[type_name] = kept
        return {one: kept[one].value for one in wanted if one in kept}
