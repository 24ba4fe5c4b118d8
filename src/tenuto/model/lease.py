"""The lease: which Conductor of several on one store may act, and until when."""

from dataclasses import dataclass

from tenuto.model.ids import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """There is one. Its `epoch` grows by one whenever somebody takes it, and never shrinks."""

    holder: str
    """The name of the node."""
    epoch: int
    renewed_at: Instant
    expires_at: Instant
