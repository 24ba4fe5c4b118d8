"""The service's requests to the running Conductor. Everything else the two share goes through the store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.composition import Composition, Declaration
from tenuto.model.drift import DriftNews
from tenuto.model.ids import Fid, Json, LogicalId, Partition, PhaseName, PhysicalId, TypeName
from tenuto.model.objection import Objection
from tenuto.model.outcome import Context
from tenuto.model.phase_map import PhaseActivity, PhaseDefinition
from tenuto.model.plan import Planning
from tenuto.model.process import Process
from tenuto.model.resource import ResourceType
from tenuto.model.snapshot import Candidate
from tenuto.ports.accounts import CheckedSettings, GivenSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRecord:
    """A phase as a whole: its definition, its activity now, and the number of objects in it by status.

    `processes` are those of which objects have an open entry in it. Of a phase whose plugin is not loaded, the
    definition has the name, and the states and types of the objects that wait for it.
    """

    definition: PhaseDefinition
    activity: PhaseActivity
    counts: Mapping[str, int]
    is_loaded: bool = True
    failing: int = 0
    """The number of objects whose upkeep has failed and has not succeeded since."""
    processes: tuple[Fid, ...] = ()
    warnings: tuple[str, ...] = ()
    """The types and the provider that it is for and that the Conductor does not know, each in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginReload:
    """The result of reading the plugins again: names of phases and listeners, and the refusals."""

    loaded: tuple[str, ...]
    """New, or of new code."""
    kept: tuple[str, ...]
    """The plugins in force as they were: those of packages, and those whose new form was refused."""
    removed: tuple[str, ...]
    errors: tuple[str, ...]


class Places(Protocol):
    """The places where processes can live, as providers tell them. Safe to call from several threads."""

    def types(self, provider: str | None = None) -> Mapping[TypeName, ResourceType]:
        """The types of one provider, or of all: a name that several bring is told as the first of them states it."""
        ...

    def bringing(self, name: TypeName) -> tuple[str, ...]:
        """The providers that bring a type of this name, in the order of the settings."""
        ...

    def context(self, provider: str, partition: Partition) -> Context:
        """Return the context that the provider of this name tells. Raises PermanentError and TransientError, as
        `lookup` does.
        """
        ...

    def provider_of_accounts(self, name: str | None) -> str:
        """The provider of this name, or the one that accounts are added for when none is named.

        Raises NotFoundError, naming the providers that there are.
        """
        ...

    def check_settings(self, provider: str, settings: GivenSettings) -> CheckedSettings:
        """The settings of an account as its provider reads them. Raises UserError, and TransientError without it."""
        ...

    def identify(self, account: Account) -> Identity:
        """Ask the account's own provider anew who the credentials are. Raises PermanentError and TransientError."""
        ...

    def credentials(self, account: Account) -> KnownCredentials:
        """The knowledge of the account's provider about its credentials, without a call. Never raises."""
        ...

    def lookup(self, provider: str, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        """Return the values of lookup parameters; a key that does not exist is missing from the answer."""
        ...

    def objections(
        self, provider: str, partition: Partition, fid: Fid, declared: Sequence[Declaration]
    ) -> Sequence[Objection]:
        """Return the provider's objections to declarations, as `ports.judging.JudgesDeclarations` says. Never raises
        ProviderError.
        """
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
        """The things that there are of each type and id, after a fresh sweep. Raises the errors of `preview`."""
        ...

    def exports(self, process: Process) -> Mapping[str, Json]:
        """The values that the process may import now, by the names of the exports. Raises the errors of `context`."""
        ...

    def retry(self, fid: Fid, logical_ids: Sequence[LogicalId], *, actor: str) -> Mapping[LogicalId, int]:
        """Clear the failed phases of the named resources (all when empty), as `actor` asked; how many each had."""
        ...

    def phases(self, is_seen: Callable[[Fid | None], bool] | None = None) -> tuple[PhaseRecord, ...]:
        """Every loaded phase, and those that objects wait in although their plugin is not loaded. With `is_seen`, with
        the objects of those processes alone that a reader may see; None stands for no process."""
        ...

    def reload_plugins(self) -> PluginReload:
        """Read the plugins again and put the sound ones into force; runs under way end as they were begun."""
        ...

    def count_drift(self, news: DriftNews) -> None:
        """Count, in the metrics of drift, the drifts that were told together with a command."""
        ...

    def is_loaded(self, phase: PhaseName) -> bool:
        """Whether the plugin of a phase is loaded. Asks nothing of the store."""
        ...
