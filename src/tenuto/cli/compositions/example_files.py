"""The examples that come with Tenuto: small, commented compositions, each of which runs as it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One composition. `provider` is the name of the provider that it runs on."""

    name: str
    provider: str
    summary: str

    @property
    def file(self) -> str:
        return f"{self.name}.yaml"

    def text(self) -> str:
        return files("tenuto.examples").joinpath(self.file).read_text(encoding="utf-8")


EXAMPLES: Mapping[str, Example] = {
    one.name: one
    for one in (
        Example(name="vpc", provider="aws", summary="a network with public and private subnets in two zones"),
        Example(name="bucket", provider="aws", summary="an encrypted bucket for logs, closed to the public"),
        Example(name="queue", provider="aws", summary="a queue for work, and one for what failed"),
        Example(name="local", provider="local", summary="a network and two machines on hosts of your own"),
        Example(name="pair", provider="local", summary="two machines on one Linux host of your own"),
        Example(name="simulated", provider="simulated", summary="a network and a server that cost nothing"),
    )
}
"""The examples by name, in the order in which they are listed."""
