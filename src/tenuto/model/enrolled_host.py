"""A host of a provider's own, as the Conductor knows it before, while and after it answers."""

from dataclasses import dataclass

from tenuto.model.ids import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolledHost:
    """One host, by zone and name.

    Of its secrets only digests are kept: that of the agent's own, and that of the token by which an agent may join
    until `token_ends_at`, once. `driver`, `address`, `cores`, `memory_mib` and `disk_gib` are those that its agent told
    when it registered last; before the first time they are empty. An agent of before tells no disk.
    """

    zone: str
    name: str
    enrolled_at: Instant
    enrolled_by: str
    token_digest: str = ""
    token_ends_at: Instant | None = None
    secret_digest: str = ""
    joined_at: Instant | None = None
    driver: str = ""
    address: str = ""
    cores: int = 0
    memory_mib: int = 0
    disk_gib: int | None = None
    generation: int = 0
    """The stored generation, 0 when there is none yet."""

    @property
    def key(self) -> str:
        """The name of its record."""
        return host_key(self.zone, self.name)


def host_key(zone: str, name: str) -> str:
    """The name of the record of a host."""
    return f"{zone}/{name}"
