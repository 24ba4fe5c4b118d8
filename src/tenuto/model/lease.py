"""The lease: which Conductor of several on one store may act, and until when."""

from dataclasses import dataclass

from tenuto.model.ids import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The one right to lead. Its `epoch` grows by one whenever a Conductor takes it, and never shrinks."""

    holder: str
    """The name of the node."""
    epoch: int
    renewed_at: Instant
    expires_at: Instant

    @property
    def is_released(self) -> bool:
        """Whether its holder has given it up: then its times do not matter."""
        return self.expires_at <= self.renewed_at
