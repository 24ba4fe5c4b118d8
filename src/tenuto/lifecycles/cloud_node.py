"""The lifecycle of a `Cloud.Node`: that of a managed resource, and `Deallocated` besides (DECISIONS 14).

Theory of operation. A node that is not needed for a while may give its machine back and keep its record: the walk down
ends in `Deallocated` instead of `Terminated`. From there it walks up again from the first state, for the new machine
must be checked, allocated and set up like the first one; or it is terminated at once, since nothing is left to give
back. `Terminated` stays final: a node wanted again after that is a new incarnation.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle, Work


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
    RELEASE = "Release"
    TERMINATED = "Terminated"
    RELEASED = "Released"


_S = CloudNodeState
_WALK_UP = (_S.VALIDATION, _S.ALLOCATION, _S.INITIALIZATION, _S.CONFIGURATION, _S.INSTALLATION, _S.STARTED)
_ENDS = frozenset({_S.TERMINATED, _S.RELEASED})
_LEAVES = _ENDS | {_S.RELEASE}

CLOUD_NODE = Lifecycle(
    name="cloud_node",
    states=CloudNodeState,
    initial=frozenset({_S.VALIDATION}),
    rows={
        _S.VALIDATION: _LEAVES | {_S.ALLOCATION, _S.DECONFIGURATION},
        _S.ALLOCATION: _LEAVES | {_S.INITIALIZATION, _S.DECONFIGURATION},
        _S.INITIALIZATION: _LEAVES | {_S.CONFIGURATION, _S.DECONFIGURATION},
        _S.CONFIGURATION: _LEAVES | {_S.INSTALLATION, _S.DECONFIGURATION},
        _S.INSTALLATION: _LEAVES | {_S.STARTED, _S.CONFIGURATION, _S.DECONFIGURATION},
        _S.STARTED: _LEAVES | {_S.CONFIGURATION, _S.DECONFIGURATION},
        _S.DECONFIGURATION: _LEAVES | {_S.DEALLOCATION, _S.CONFIGURATION},
        _S.DEALLOCATION: _LEAVES | {_S.DEALLOCATED, _S.CONFIGURATION},
        _S.DEALLOCATED: _LEAVES | {_S.VALIDATION},
        _S.RELEASE: _ENDS | {_S.DECONFIGURATION, _S.ALLOCATION},
        _S.TERMINATED: frozenset(),
        _S.RELEASED: frozenset(),
    },
    final=_ENDS,
    paths={
        _S.STARTED: _WALK_UP,
        _S.DEALLOCATED: (_S.DECONFIGURATION, _S.DEALLOCATION, _S.DEALLOCATED),
        _S.TERMINATED: (_S.DECONFIGURATION, _S.DEALLOCATION, _S.TERMINATED),
        _S.RELEASED: (_S.RELEASE, _S.RELEASED),
    },
    born=_S.VALIDATION,
    ready=_S.STARTED,
    gone=_S.TERMINATED,
    released=_S.RELEASED,
    rested=_S.DEALLOCATED,
    change_at=_S.CONFIGURATION,
    turnable=frozenset({_S.DECONFIGURATION, _S.DEALLOCATION, _S.RELEASE}),
    reading=frozenset({_S.VALIDATION}),
    work={
        Work.CREATE: _S.ALLOCATION,
        Work.AWAIT: _S.INITIALIZATION,
        Work.CONFIGURE: _S.CONFIGURATION,
        Work.DELETE: _S.DEALLOCATION,
        Work.RELEASE: _S.RELEASE,
    },
)
