"""The rules of the host by which the frames of its networks come from the other hosts of the zone only.

Theory of operation. The frames of the mesh come in by the host itself and not by the namespace of their network, so
that the rules are the host's: one table, with a chain for each network. A chain names the number of its network, so
that links of others at the same port, and the networks of another installation on this machine, are left alone. As with
all rules, the digest of the form that the kernel shows is kept right after they were applied.
"""

from collections.abc import Mapping

from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.executor.kernel.host_facts import digest, mesh_rules
from tenuto.providers.local.executor.kernel.programs import run
from tenuto.providers.local.executor.networking.outside import KIND
from tenuto.providers.local.rules.networks.filters import MESH_TABLE
from tenuto.providers.local.rules.networks.spec import NetworkSpec

_KEPT = "mesh-rules"


class MeshRules:
    """The rules for the mesh of the networks of one host."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state

    def ensure(self, name: str, wanted: NetworkSpec) -> None:
        """Bring the rules of a network about, in one transaction. Raises ProgramError."""
        if self.are_kept(name, wanted, mesh_rules()):
            return
        run("nft", "-f", "-", given=wanted.mesh_filters)
        applied = mesh_rules().get(wanted.netns, "")
        self._state.write(KIND, name, _KEPT, f"{digest(wanted.mesh_filters)} {applied}")

    def are_kept(self, name: str, wanted: NetworkSpec, rules: Mapping[str, str]) -> bool:
        """Whether the host has the rules of a network, as they were when they were applied. `rules` are the digests of
        its rules, by their chains."""
        shown = rules.get(wanted.netns, "")
        return bool(shown) and self._state.read(KIND, name, _KEPT) == f"{digest(wanted.mesh_filters)} {shown}"


def take_out(netns: str) -> None:
    """Remove the rules of a network; with the last ones goes their table. Twice is once. Raises ProgramError."""
    rules = mesh_rules()
    if set(rules) == {netns}:
        run("nft", "delete", "table", "ip", MESH_TABLE)
    elif netns in rules:
        run("nft", "-f", "-", given="".join(f"{verb} chain ip {MESH_TABLE} {netns}\n" for verb in ("flush", "delete")))
