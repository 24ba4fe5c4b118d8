"""The last sweeps, as the service is told of them: one thing with its properties, and the age of every sweep."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tenuto.conductor.observing.seen import Seen
from tenuto.conductor.providing.requests import Requests
from tenuto.core.access.masking import Masker
from tenuto.core.planning.comparing.secrets import drifted_secrets
from tenuto.model.ids import Json, ObjectId
from tenuto.model.observation import Condition, Observation, Presence
from tenuto.model.resource import ManagedObject
from tenuto.ports.sights import Sight, SweepRecord

_UNSEEN = Observation(presence=Presence.UNSEEN)


class ReflectorSights:
    """Implements `ports.sights.Sights` on the memory of the reflector."""

    def __init__(self, *, seen: Seen, requests: Callable[[], Requests]) -> None:
        self._seen = seen
        self._requests = requests

    def sight(self, found: ManagedObject) -> Sight:
        if found.physical_id is None:
            return Sight(observation=_UNSEEN)
        observation = self._seen.observe(found)
        item, drifted = observation.item, frozenset[str]()
        if item is not None:
            drifted = drifted_secrets(found, item.seen_by(found.desired))
            masker = self._requests().masker(found, item.properties)
            if masker:
                item = replace(
                    item,
                    properties=_masked_map(item.properties, masker),
                    attributes=_masked_map(item.attributes, masker),
                )
                observation = replace(observation, item=item)
        return Sight(observation=observation, at=self._seen.swept_at(found), drifted=drifted)

    def notes(self, objects: Sequence[ManagedObject]) -> Mapping[ObjectId, str]:
        noted = self._seen.noted(one for one in objects if one.is_settled)
        items = ((object_id, seen.item) for object_id, seen in self._seen.observe_all(noted).items())
        return {
            object_id: item.message
            for object_id, item in items
            if item is not None and item.message and item.condition is Condition.READY
        }

    def sweeps(self) -> tuple[SweepRecord, ...]:
        return self._seen.swept()


def _masked_map(values: Mapping[str, Json], masker: Masker) -> dict[str, Json]:
    return {name: _masked(value, masker) for name, value in values.items()}


def _masked(value: Json, masker: Masker) -> Json:
    match value:
        case str():
            return masker.mask(value)
        case Mapping():
            return _masked_map(value, masker)
        case list() | tuple():
            return [_masked(one, masker) for one in value]
        case _:
            return value
