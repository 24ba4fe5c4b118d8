"""The lifecycle of a network interface: what ties an instance to a network.

`created` means that its address and its data are there. An interface in `error` is kept until somebody deletes it.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class NetworkInterfaceState(StrEnum):
    INITIAL = "initial"
    CREATED = "created"
    ERROR = "error"
    DELETED = "deleted"


_S = NetworkInterfaceState

NETWORK_INTERFACE = Lifecycle(
    name="network_interface",
    states=NetworkInterfaceState,
    initial=frozenset({_S.INITIAL}),
    rows={
        _S.INITIAL: frozenset({_S.CREATED, _S.DELETED, _S.ERROR}),
        _S.CREATED: frozenset({_S.DELETED, _S.ERROR}),
        _S.ERROR: frozenset({_S.DELETED}),
        _S.DELETED: frozenset(),
    },
    final=frozenset({_S.DELETED}),
    errors=frozenset({_S.ERROR}),
)
