"""Details: properties of a thing that bulk calls do not show, remembered until they must be read anew.

Theory of operation. The DNS switches of a VPC or the configurations of a bucket cost calls for each single thing, at
every sweep; with a few hundred of them that is nearly everything that a sweep costs, and AWS allows only so many. So a
detail that no composition declares is not read at all, and of the others a reader says after which moment they must
have been read: after our own last change of the thing, and now when it is its turn. A detail that was read later than
that is given out again.

Nothing may be kept here that changes by itself (a status), and nothing that changes when something else is changed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from threading import Lock

from tenuto.model.ids import Instant, JsonMap, PhysicalId
from tenuto.model.observation import Interest
from tenuto.ports.clock import Clock

Read = Callable[[Mapping[str, frozenset[str]]], Mapping[str, JsonMap]]
"""The reading of details of things: from ids, each with the names of the properties to read, to the properties that
were found, by id. A thing that it leaves out is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """Details, which of them, and the moment before they were asked for."""

    value: JsonMap
    names: frozenset[str]
    read_at: Instant

    def satisfies(self, interest: Interest) -> bool:
        return self.read_at > interest.since and self.names >= interest.names


class Details:
    """The memory of one client. Thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._known: dict[str, dict[str, _Known]] = {}

    def get(
        self, type_name: str, tracked: Mapping[PhysicalId, Interest], ids: Iterable[str], read: Read
    ) -> dict[str, JsonMap]:
        """The details of those of the ids that are tracked, as far as there is interest in any.

        An id that `read` leaves out is left out. A thing that is no longer tracked is forgotten. Raises the errors of
        `read`; then nothing is remembered of this time.
        """
        wanted = {one: tracked[PhysicalId(one)] for one in ids if PhysicalId(one) in tracked}
        with self._lock:
            known = self._known.get(type_name, {})
        read_at = self._clock.now()
        due = {
            one: interest.names
            for one, interest in wanted.items()
            if interest.names and (one not in known or not known[one].satisfies(interest))
        }
        fresh = {
            one: _Known(value=value, names=due[one], read_at=read_at)
            for one, value in (read(due) if due else {}).items()
        }
        kept = {one: found for one, found in known.items() if one in tracked and one not in due} | fresh
        with self._lock:
            self._known[type_name] = kept
        return {
            one: kept[one].value if one in kept else {}
            for one, interest in wanted.items()
            if one in kept or not interest.names
        }
