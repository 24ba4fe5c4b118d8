"""A provider: one cloud, or one simulated one. Bulk first: a sequence in, one answer per item out, in the same order.

No method blocks on something that takes the provider long: an item that is not done yet answers `Pending`. No method
raises for the fault of one item; it answers `Refused` or `Pending` for that item. A TransientError or PermanentError
raised from a whole call means that no item of it was judged. Every method may be called from several threads.

A text in an answer may repeat the values of a request: the Conductor masks it. A provider itself masks the texts that
it logs or records (an `Op`), with `core.access.masking.masker_of`.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.ids import Instant, Json, ObjectId, Partition, TypeName
from tenuto.model.observation import ObservedItem, Sweep, Tracked
from tenuto.model.outcome import Context, Op, Outcome, Request
from tenuto.model.resource import ResourceType

NOT_LEADING = "NotLeading"
NO_MANDATE = "NoMandate"
NOT_CONFIRMED = "NotConfirmed"
"""The code of a question whose the credentials are, to which no answer came (`core.access.accounts`)."""
NOT_SENT = frozenset({NOT_LEADING, NO_MANDATE, NOT_CONFIRMED})
"""The codes of calls that were kept from being made: the provider certainly did nothing."""


class Ownership(Protocol):
    """The marks by which a provider tells whose an existing thing is. Neither method changes anything else."""

    def claim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        """Write our ownership on things that exist (adoption). Idempotent; `Done` also for types without tags.

        The caller has made sure that a thing has no owner: ownership that is there already is overwritten.
        """
        ...

    def disclaim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        """Take our ownership off things that stay (release). Idempotent; `Done` also when a thing is gone.

        A mark that names another incarnation is not ours, and stays.
        """
        ...


class Identities(Protocol):
    """The identities of credentials. `core.access.accounts` says when a provider asks for one by itself."""

    def identify(self, account: Account) -> Identity:
        """Ask anew who the credentials are; nothing of it is kept, so that it also answers for an account that is not
        stored yet.

        Raises PermanentError (no way in: no such profile, not permitted, expired) and TransientError.
        """
        ...

    def credentials(self, account: str) -> KnownCredentials:
        """The known facts about the credentials of an account, by its name, without a call. Never raises."""
        ...


class Pointers(Protocol):
    """The targets of names that can be pointed elsewhere, such as aliases of keys."""

    def pointed_at(self, partition: Partition, names: Sequence[str], since: Instant) -> Mapping[str, str]:
        """The qualified name that each of the names (`model.naming`) stands for, as asked for after `since`.

        Never raises: a name that the provider does not know, or does not tell about, is missing from the answer.
        """
        ...


class Provider(Ownership, Identities, Pointers, Protocol):
    """The questions and orders of the Conductor to a cloud. Each face has at most eight methods.

    `HandlesProvider` compares with `name`.
    """

    name: str

    def types(self) -> Mapping[TypeName, ResourceType]:
        """The resource types it can manage. Always the same answer."""
        ...

    def context(self, partition: Partition) -> Context:
        """Return account id, zones and the like. May be cached. Raises TransientError, PermanentError (bad
        credentials).
        """
        ...

    def lookup(self, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        """Return the values of lookup parameters (SSM paths). A key that does not exist is missing from the answer."""
        ...

    def sweep(
        self, partition: Partition, source: str, tracked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> Mapping[TypeName, Sweep]:
        """Look at one source in bulk: at everything that is tracked, and at all else that comes with it.

        Raises UnconfirmedError when the credentials lead to another account. A sweep that lacks something that is
        tracked is returned only when the account was confirmed after the sweep began. `is_whole` asks for all else too,
        at any cost; `Sweep.is_whole` says whether all else is there. `is_near` asks for nothing else, where that costs
        no more calls; then a thing that is tracked beside it is aside (`Interest.is_aside`).

        Of the costly properties those are shown in which an interest is given; they may have been read at an earlier
        look, as long as that was after the moment that the interest names.
        A sweep that could not be completed raises TransientError: half a picture is never returned as a whole one.
        """
        ...

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[ObservedItem | None]:
        """The existing thing by the token, the ownership tags or the natural key of each request (after a crash).

        A thing that was half made for one of them, and is of no use, is deleted by it and not found.
        """
        ...

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        """Create each, with ownership tags in the same call where the provider can. `Done` carries the physical id,
        also when the new thing is still pending: waiting for it is the observation's work.

        The caller has stored its intent before. A thing that exists already and is not ours is `Refused`.
        """
        ...

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        """Bring each to its desired properties, from any present ones: `observed` are those that were last seen.
        Idempotent."""
        ...

    def delete(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        """Delete each. `Done` only when it is gone for sure, or was before; under way is `Pending`. Idempotent."""
        ...


@runtime_checkable
class HasEnd(Protocol):
    """A provider with calls that wait for something beside the cloud, such as a program that hands out credentials."""

    def close(self) -> None:
        """The Conductor ends: give up such waits, end what was started for them, and start no more.

        Returns at once and never raises. Calls that are under way go on, and those that needed it raise a ProviderError
        that says that nothing was sent. Twice is fine.
        """
        ...


class OpSink(Protocol):
    """The guard that a provider's client asks before each changing call, and the sink of its call reports."""

    def permit(self, objects: Sequence[ObjectId]) -> None:
        """Raise TransientError, with a code of `NOT_SENT`, when the call must not be made now.

        Another Conductor may lead by then, or one of these objects has no mandate any more. It is asked right before
        the call, after every wait.
        """
        ...

    def record(self, op: Op) -> None:
        """Record a call and its answer. Never raises and never blocks on the store."""
        ...

    def called(self, service: str, api: str, result: str) -> None:
        """A call of any kind was answered: `ok`, `throttled` or `error`. Never raises and never blocks."""
        ...
