"""Nodes among all objects: Conductors and the hosts of providers, each of a type of its own, in a place of its own."""

from tenuto.model.ids import Partition, TypeName

NODE_TYPE = TypeName("Tenuto::Conductor")
NODE_PLACE = Partition(account="tenuto", region="conductors")
"""The account of nodes: no cloud's account has this name."""
CLOCK_FACT = "clock"
"""The fact of a Conductor that tells of the last step of its clock."""
HOLD_FACT = "retention"
"""The fact of a Conductor that tells until when removal by age waits, after its clock went forward."""
HOST_TYPE = TypeName("Tenuto::Host")
"""The type of the hosts of a provider. The region of each is its zone."""
STRAYS = "Strays"
"""The attribute of a host with the ids of things there that no object stands for."""
ISOLATED = "Isolated"
"""The attribute of a host with the ids of machines there that are to be on no network: each failed with its host, and
waits for a person."""
NODE_TYPES = frozenset({NODE_TYPE, HOST_TYPE})
"""The types of objects that neither a composition nor a request makes: a node is there when it checks in."""


def host_place(zone: str) -> Partition:
    """The place of the hosts of a zone."""
    return Partition(account=NODE_PLACE.account, region=zone)
