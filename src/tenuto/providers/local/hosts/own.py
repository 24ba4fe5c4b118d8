"""The Conductor's own machine as the only host of every zone.

Theory of operation. The host is commanded in the Conductor's own process, one order at a time. It never falls silent:
while the Conductor runs, so does its host. Room is reserved in a folder before a machine is made, so a machine keeps
its room over restarts.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from tenuto.kit.documents import dumps, loads
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import ObjectId, TypeName
from tenuto.providers.local.driver import HostDriver, Problem, Seen, Spec
from tenuto.providers.local.rules.placement import Assigned, Host, Machine, Placed, PlacementRules, Placing, place

_PLACED = "placed"
_Answer = TypeVar("_Answer")


class OwnHost:
    """Implements `providers.local.driver.Driver` with one host."""

    def __init__(self, driver: HostDriver, folder: StateFolder, facts: Host) -> None:
        self.name = driver.name
        self._driver = driver
        self._folder = folder
        self._facts = facts
        self._turn = threading.Lock()

    def hosts(self, zone: str) -> Sequence[Host]:
        return (self._facts,)

    def assign(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Placing:
        with self._turn:
            placed = {one.machine.object_id: one for one in self._placed()}
            fresh = [machine for machine in machines if machine.object_id not in placed]
            found = dict(place(fresh, (self._facts,), tuple(placed.values()), rules))
            for machine in fresh:
                answer = found[machine.object_id]
                if isinstance(answer, Assigned):
                    one = Placed(host=answer.host, machine=machine)
                    self._folder.write(_PLACED, machine.object_id, _PLACED, dumps(one))
            return found | {
                machine.object_id: Assigned(host=placed[machine.object_id].host)
                for machine in machines
                if machine.object_id in placed
            }

    def ensure(self, zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        return self._in_turn(lambda: self._driver.ensure(specs))

    def remove(self, zone: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        def act() -> Mapping[ObjectId, Problem]:
            problems = self._driver.remove(object_ids)
            for object_id in object_ids:
                if object_id not in problems:
                    self._folder.remove(_PLACED, object_id)
            return problems

        return self._in_turn(act)

    def observe(self, zone: str, type_name: TypeName) -> Sequence[Seen]:
        return self._in_turn(lambda: self._driver.observe(zone, type_name))

    def _in_turn(self, act: Callable[[], _Answer]) -> _Answer:
        with self._turn:
            return act()

    def _placed(self) -> list[Placed]:
        texts = (self._folder.read(_PLACED, name, _PLACED) for name in self._folder.names(_PLACED))
        return [loads(Placed, text) for text in texts if text is not None]
