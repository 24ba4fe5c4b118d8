"""Questions to a provider before anything is stored: may this be declared, and may this be asked for now?

Theory of operation. Most mistakes are seen without a provider: by the schema, by the fields of a type. A few are seen
only by a provider that knows the place itself: a name that nothing there has, a thing that is not ready for the
request. A provider that can tell is asked at the intake, so that the mistake is refused with its place in the file, or
at once, instead of becoming an object that fails. The answer is about this moment: a later change is met by the phases.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tenuto.model.composition import Declaration
from tenuto.model.event import Event
from tenuto.model.ids import Fid, Instant, JsonMap, Partition, TypeName
from tenuto.model.objection import Objection


@runtime_checkable
class JudgesDeclarations(Protocol):
    """A provider that knows more of declarations than their schemas."""

    def objections(self, partition: Partition, fid: Fid, declared: Sequence[Declaration]) -> Sequence[Objection]:
        """Return the objections to the declarations of one composition, in their order. Those that are new or changed
        come last, and only objections to them count; so of two that cannot share a value, the later one is objected to.
        `fid` is the process of the composition, which may be new and have nothing yet.
        Only values that are there already are judged: one that another resource will give is left to the phases.
        Changes nothing, and never raises ProviderError: a fact that cannot be known is no objection.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request for an object: its type, its place, its fields, who asks, and when."""

    type: TypeName
    partition: Partition
    properties: JsonMap
    actor: str
    at: Instant


@runtime_checkable
class JudgesRequests(Protocol):
    """A provider that knows whether an object of its types can be asked for now."""

    def judge(self, asked: Asked) -> Sequence[Event]:
        """Return events that tell of the request beside its own, such as for the thing that it is about; they are
        stored with the object. Changes nothing.

        Raises UserError for fields that cannot be, NotFoundError, and NotAllowedError for a request that cannot be
        served now.
        """
        ...
