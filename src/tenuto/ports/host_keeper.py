"""The keeper of a provider's own hosts: the questions and commands of people about them."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tenuto.model.host_node import HostNode
from tenuto.model.ids import ObjectId
from tenuto.ports.objects import ObjectWork


class HostKeeper(Protocol):
    """The hosts of every zone. Thread-safe. Each command raises NotFoundError for a host that is not there, and
    NotAllowedError, and then has changed nothing."""

    def zones(self) -> Sequence[str]:
        """Return the zones that have hosts, by name."""
        ...

    def nodes(self, zone: str, *, with_machines: bool = True) -> Sequence[HostNode]:
        """Return the hosts of a zone, by name, without those that were deleted; on request without the machines on
        them, which are far more than the hosts."""
        ...

    def deleted(self, zone: str, name: str) -> HostNode | None:
        """Return the host of this name that was deleted last; None where none was."""
        ...

    def cordon(self, zone: str, name: str, *, is_cordoned: bool, actor: str) -> None:
        """Let a host get nothing new from now on, or let it get new things again. Twice is once."""
        ...

    def stop(self, zone: str, name: str, *, actor: str) -> None:
        """Have the agent of a host end once its work is done. The machines there run on. Twice is once."""
        ...

    def purge(self, zone: str, name: str, *, actor: str) -> Sequence[ObjectId]:
        """Have a host remove the things that no object stands for; return them. A known thing is never among them."""
        ...

    def delete(self, zone: str, name: str, *, is_forced: bool, actor: str) -> None:
        """Take a host out of its zone for good. With machines on it only when that is forced: they are gone then."""
        ...


@runtime_checkable
class HasKeeper(Protocol):
    """A provider with hosts of its own."""

    def keeper(self, work: ObjectWork) -> HostKeeper | None: ...


def host_keeper_of(providers: Sequence[object], work: ObjectWork) -> HostKeeper | None:
    """Return the keeper of the hosts of the first provider that has hosts of its own."""
    keepers = (one.keeper(work) for one in providers if isinstance(one, HasKeeper))
    return next((keeper for keeper in keepers if keeper is not None), None)
