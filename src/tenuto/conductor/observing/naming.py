"""Names whose meaning only the provider can tell: they are resolved before a process is planned.

The provider is asked for the pointers that are declared, that were declared when a resource was last changed, and that
it shows. Most compositions have none, and cost nothing. A command is planned with answers that are newer than it.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.core.planning.equality.values import pointers_of
from tenuto.model.composition import Composition
from tenuto.model.ids import Instant, JsonMap, LogicalId, ObjectId, TypeName
from tenuto.model.naming import ANYTHING, Names, Naming
from tenuto.model.observation import Observation
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Candidate
from tenuto.ports.provider import Pointers

_LONG_AGO = Instant(0.0)


class Namings:
    """Asks providers for the names that pointers stand for. Keeps nothing between calls."""

    def __init__(self, providers: Mapping[str, Pointers], types: ProviderTypes) -> None:
        self._providers = providers
        self._namings: dict[str, dict[TypeName, Mapping[str, Naming]]] = {}
        for facts in types:
            if any(one.pointer for one in facts.namings.values()):
                self._namings.setdefault(facts.provider, {})[facts.name] = facts.namings

    def of(
        self,
        process: Process,
        composition: Composition | None,
        objects: Sequence[ManagedObject],
        observations: Mapping[ObjectId, Observation],
        candidates: Mapping[LogicalId, Candidate],
    ) -> Names:
        """The names as they are known for a plan. A pointer without an answer is no difference by itself."""
        namings = self._namings.get(process.provider)
        if composition is None or not namings:
            return ANYTHING
        found = chain(_declared(composition, candidates), _recorded(objects, observations))
        wanted = pointers_of((properties, namings[name]) for name, properties in found if name in namings)
        if not wanted:
            return ANYTHING
        since = process.updated_at if process.intent.stands else _LONG_AGO
        told = self._providers[process.provider].pointed_at(process.partition, wanted, since)
        return Names(pointed_at=told, is_lenient=True)


def _declared(
    composition: Composition, candidates: Mapping[LogicalId, Candidate]
) -> Iterable[tuple[TypeName, JsonMap]]:
    for declaration in composition.resources:
        yield declaration.type, declaration.properties
        candidate = candidates.get(declaration.logical_id)
        if candidate is not None and candidate.item is not None:
            yield declaration.type, candidate.item.properties


def _recorded(
    objects: Iterable[ManagedObject], observations: Mapping[ObjectId, Observation]
) -> Iterable[tuple[TypeName, JsonMap]]:
    for found in objects:
        yield found.type, found.desired
        item = observations[found.object_id].item
        if item is not None:
            yield found.type, item.properties
