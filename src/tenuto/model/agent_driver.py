"""The drivers of an agent, by the words of `tenuto node agent --driver`: the means by which a host runs machines."""

DRIVERS = ("memory", "ns", "qemu")
PRIVILEGED = frozenset({"ns", "qemu"})
"""The drivers that need root for a while, to start the programs that work with its rights."""
VIRTUAL = frozenset({"qemu"})
"""The drivers whose machines are virtual ones, for which KVM counts."""
USER = "tenuto-node"
"""The user that an agent with a privileged driver becomes, unless another one is named."""
