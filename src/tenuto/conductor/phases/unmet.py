"""Warnings about phases that are sound and will meet no resource: their type or provider is not known here.

A phase may be loaded before its provider is, so that it is not refused. A word that is close to a known one is told.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from tenuto.core.phases.phase_set import EVERY_RESOURCE
from tenuto.kit.nearest import meant
from tenuto.lifecycles.cloud_node import CLOUD_NODE as NODES
from tenuto.lifecycles.table import Work
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import PhaseName, TypeName
from tenuto.model.phase_map import PhaseDefinition


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWords:
    """The types and providers of a Conductor. `listed` are the types that a suggestion is chosen from."""

    is_offered: Callable[[TypeName], bool]
    listed: tuple[TypeName, ...]
    providers: frozenset[str]


def makers(definitions: Iterable[PhaseDefinition], work: Work = Work.CREATE) -> frozenset[str]:
    """The providers for which a plugin makes the machines of nodes, or does other work on them."""
    return frozenset(one.provider for one in definitions if NODES.work[work] in one.states and one.provider)


def warnings(definitions: Collection[PhaseDefinition], known: KnownWords) -> dict[PhaseName, tuple[str, ...]]:
    """The sentences about the names in each phase that the Conductor does not know, by phase."""
    made = makers(definitions)
    return {one.name: tuple(_warnings_of(one, known, made)) for one in definitions}


def _warnings_of(definition: PhaseDefinition, known: KnownWords, made: frozenset[str]) -> Sequence[str]:
    found = [
        f"{definition.name} is for the type {name}, which no provider or plugin of this Conductor offers."
        f"{meant(name, (*known.listed, CLOUD_NODE))}"
        for name in definition.types
        if name not in (EVERY_RESOURCE, CLOUD_NODE) and not known.is_offered(name)
    ]
    provider = definition.provider
    providers = known.providers | (made if {EVERY_RESOURCE, CLOUD_NODE} & {*definition.types} else frozenset())
    if provider is not None and provider not in providers:
        text = f"{definition.name} is for the provider {provider}, which this Conductor does not have"
        beside = "" if providers == known.providers else ", and no phase of Allocation makes machines for it"
        found.append(f"{text}{beside}.{meant(provider, providers)}")
    return found
