"""The lifecycle of a `Cloud.Node`: that of a managed resource, and `Deallocated` besides (DECISIONS 14).

Theory of operation. A node that is not needed for a while may give its machine back and keep its record: the walk down
ends in `Deallocated` instead of `Terminated`. From there it walks up again from the first state, for the new machine
must be checked, allocated and set up like the first one; or it is terminated at once, since nothing is left to give
back. `Terminated` stays final: a node wanted again after that is a new incarnation.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class CloudNodeState(StrEnum):
    VALIDATION = "Validation"
    ALLOCATION = "Allocation"
    INITIALIZATION = "Initialization"
    CONFIGURATION = "Configuration"
    INSTALLATION = "Installation"
    STARTED = "Started"
    DECONFIGURATION = "Deconfiguration"
    DEALLOCATION = "Deallocation"
    DEALLOCATED = "Deallocated"
    TERMINATED = "Terminated"
    RELEASED = "Released"


_S = CloudNodeState
_WALK_UP = (_S.VALIDATION, _S.ALLOCATION, _S.INITIALIZATION, _S.CONFIGURATION, _S.INSTALLATION, _S.STARTED)
_ENDS = frozenset({_S.TERMINATED, _S.RELEASED})

CLOUD_NODE = Lifecycle(
    name="cloud_node",
    states=CloudNodeState,
    initial=frozenset({_S.VALIDATION}),
    rows={
        _S.VALIDATION: _ENDS | {_S.ALLOCATION, _S.DECONFIGURATION},
        _S.ALLOCATION: _ENDS | {_S.INITIALIZATION, _S.DECONFIGURATION},
        _S.INITIALIZATION: _ENDS | {_S.CONFIGURATION, _S.DECONFIGURATION},
        _S.CONFIGURATION: _ENDS | {_S.INSTALLATION, _S.DECONFIGURATION},
        _S.INSTALLATION: _ENDS | {_S.STARTED, _S.CONFIGURATION, _S.DECONFIGURATION},
        _S.STARTED: _ENDS | {_S.CONFIGURATION, _S.DECONFIGURATION},
        _S.DECONFIGURATION: _ENDS | {_S.DEALLOCATION, _S.CONFIGURATION},
        _S.DEALLOCATION: _ENDS | {_S.DEALLOCATED, _S.CONFIGURATION},
        _S.DEALLOCATED: _ENDS | {_S.VALIDATION},
        _S.TERMINATED: frozenset(),
        _S.RELEASED: frozenset(),
    },
    final=_ENDS,
    paths={
        _S.STARTED: _WALK_UP,
        _S.DEALLOCATED: (_S.DECONFIGURATION, _S.DEALLOCATION, _S.DEALLOCATED),
        _S.TERMINATED: (_S.DECONFIGURATION, _S.DEALLOCATION, _S.TERMINATED),
        _S.RELEASED: (_S.RELEASED,),
    },
    born=_S.VALIDATION,
    ready=_S.STARTED,
    gone=_S.TERMINATED,
    released=_S.RELEASED,
    rested=_S.DEALLOCATED,
    change_at=_S.CONFIGURATION,
    turnable=frozenset({_S.DECONFIGURATION, _S.DEALLOCATION}),
    reading=frozenset({_S.VALIDATION}),
)
