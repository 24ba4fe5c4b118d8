"""The things of the simulated cloud by the keys that they are asked by: a call costs the same in a large cloud.

Users of a thing are kept as "may refer": references that were changed away are not taken out again, so the caller
checks the present references of the candidates.
"""

from collections.abc import Iterable, Iterator, Mapping

from tenuto.model.ids import Partition, PhysicalId
from tenuto.providers.simulated.things import Thing
from tenuto.providers.simulated.types import SimulatedType

_Things = dict[PhysicalId, Thing]


class Register(Mapping[PhysicalId, Thing]):
    """The things of every partition, in the order of their making. Changes only under the cloud's lock."""

    def __init__(self) -> None:
        self._all: _Things = {}
        self._within: dict[Partition, _Things] = {}
        self._of_type: dict[tuple[Partition, str], _Things] = {}
        self._by_token: dict[str, Thing] = {}
        self._users: dict[PhysicalId, _Things] = {}

    def __getitem__(self, physical_id: PhysicalId) -> Thing:
        return self._all[physical_id]

    def __iter__(self) -> Iterator[PhysicalId]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def add(self, thing: Thing) -> None:
        self._all[thing.physical_id] = thing
        self._within.setdefault(thing.partition, {})[thing.physical_id] = thing
        self._of_type.setdefault((thing.partition, thing.type.prefix), {})[thing.physical_id] = thing
        if thing.token:
            self._by_token[thing.token] = thing
        self.note_references(thing)

    def remove(self, physical_id: PhysicalId) -> None:
        """Remove a thing from every index. One that is not there is removed already."""
        thing = self._all.pop(physical_id, None)
        if thing is None:
            return
        del self._within[thing.partition][physical_id]
        del self._of_type[thing.partition, thing.type.prefix][physical_id]
        self._by_token.pop(thing.token, None)
        for name in thing.references():
            self._users.get(PhysicalId(name), {}).pop(physical_id, None)

    def note_references(self, thing: Thing) -> None:
        """Note the references of a thing that may refer to something else than before."""
        for name in thing.references():
            self._users.setdefault(PhysicalId(name), {})[thing.physical_id] = thing

    def within(self, partition: Partition) -> Mapping[PhysicalId, Thing]:
        return self._within.get(partition, {})

    def of(self, partition: Partition, kind: SimulatedType) -> Iterable[Thing]:
        return self._of_type.get((partition, kind.prefix), {}).values()

    def by_token(self, token: str) -> Thing | None:
        return self._by_token.get(token)

    def of_type(self, kind: SimulatedType) -> list[Thing]:
        """Return the things of a type in every partition."""
        return [
            thing for (_, prefix), found in self._of_type.items() if prefix == kind.prefix for thing in found.values()
        ]

    def users(self, physical_id: PhysicalId) -> list[Thing]:
        """The things that may refer to a thing."""
        return [one for one in self._users.get(physical_id, {}).values() if self._all.get(one.physical_id) is one]
