"""The service's requests to the running Conductor. Everything else the two share goes through the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.composition import Composition
from tenuto.model.drift import DriftNews
from tenuto.model.ids import Fid, Json, LogicalId, Partition, PhaseName, PhysicalId, TypeName
from tenuto.model.outcome import Context
from tenuto.model.phase_map import PhaseActivity, PhaseDefinition
from tenuto.model.plan import Planning
from tenuto.model.process import Process
from tenuto.model.resource import ResourceType
from tenuto.model.snapshot import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRecord:
    """A phase as a whole: what it is, what it does now, and how many objects are in it by status.

    Of a phase whose plugin is not loaded, the definition has the name, and the states and types of the objects that
    wait for it; `processes` are theirs.
    """

    definition: PhaseDefinition
    activity: PhaseActivity
    counts: Mapping[str, int]
    is_loaded: bool = True
    failing: int = 0
    """How many objects have had no good round of an upkeep phase since one failed."""
    processes: tuple[Fid, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginReload:
    """The result of reading the plugins again: names of phases and listeners, and what was refused."""

    loaded: tuple[str, ...]
    """New, or of new code."""
    kept: tuple[str, ...]
    """In force as they were: those of packages, and those whose new form was refused."""
    removed: tuple[str, ...]
    errors: tuple[str, ...]


class Places(Protocol):
    """Where processes can live, as providers tell it. Safe to call from several threads."""

    def types(self) -> Mapping[TypeName, ResourceType]: ...

    def context(self, provider: str, partition: Partition) -> Context:
        """As the provider of this name tells it. Raises PermanentError and TransientError, as `lookup` does."""
        ...

    def identify(self, account: Account) -> Identity:
        """Ask anew who the credentials of an account are. Raises PermanentError and TransientError.

        Accounts are added and checked with the provider that the settings name first.
        """
        ...

    def credentials(self, account: Account) -> KnownCredentials:
        """The knowledge of the providers about the credentials of an account, without a call. Never raises."""
        ...

    def lookup(self, provider: str, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        """Values of lookup parameters; a key that does not exist is missing from the answer."""
        ...


class Conductor(Places, Protocol):
    """The Conductor's control face. Safe to call from several threads."""

    def wake(self, fid: Fid) -> None:
        """Look at the process soon: a level, not an edge. Never raises."""
        ...

    def preview(self, process: Process, composition: Composition | None) -> Planning:
        """The plan that a job would make for this process value and composition now, with a fresh sweep of the world.

        Changes nothing. Raises TransientError when the provider cannot be observed, PermanentError when it refuses,
        NotAdoptableError when something that is to be adopted cannot be.
        """
        ...

    def existing(self, partition: Partition, wanted: Sequence[tuple[TypeName, PhysicalId]]) -> tuple[Candidate, ...]:
        """The things that there are of each type and id, after a fresh sweep. Raises what `preview` raises."""
        ...

    def retry(self, fid: Fid, logical_ids: Sequence[LogicalId], *, actor: str) -> Mapping[LogicalId, int]:
        """Clear the failed phases of the named resources (all when empty), as `actor` asked; how many each had."""
        ...

    def phases(self) -> tuple[PhaseRecord, ...]:
        """Every loaded phase, and those that objects wait in although their plugin is not loaded."""
        ...

    def reload_plugins(self) -> PluginReload:
        """Read the plugins again and put what is sound into force; runs under way end as they were begun."""
        ...

    def count_drift(self, news: DriftNews) -> None:
        """Drifts that were told together with a command are among the numbers."""
        ...

    def is_loaded(self, phase: PhaseName) -> bool:
        """Whether the plugin of a phase is loaded. Asks nothing of the store."""
        ...
