"""The lifecycle of a managed resource (DECISIONS 14).

Theory of operation. A resource walks to `Started` through states that each mean one thing done: checked, allocated at
the provider, initialised there, configured, installed. It walks to `Terminated` through `Deconfiguration` (let go of
what depends on it) and `Deallocation` (delete it at the provider). Besides the two walks there are four kinds of edge:

* *turn back*: any state on the way up may enter the way down, when the target changes before it was reached;
* *update*: `Started` goes back to `Configuration` and up again; so does a resource whose deletion was cancelled
  (`Deconfiguration`, `Deallocation`) as long as it is still there;
* *vanish*: any state may go straight to `Terminated`, because the real thing may be found gone at any time;
* *release*: any state may go to `Released`: it stays in the provider and is ours no longer.

`Terminated` and `Released` are final: what comes after is a new incarnation. A `Cloud.Node` has one state more, and a
table of its own.
"""

from collections.abc import Mapping
from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class ResourceState(StrEnum):
    VALIDATION = "Validation"
    ALLOCATION = "Allocation"
    INITIALIZATION = "Initialization"
    CONFIGURATION = "Configuration"
    INSTALLATION = "Installation"
    STARTED = "Started"
    DECONFIGURATION = "Deconfiguration"
    DEALLOCATION = "Deallocation"
    TERMINATED = "Terminated"
    RELEASED = "Released"


_S = ResourceState
_WALK_UP = (_S.VALIDATION, _S.ALLOCATION, _S.INITIALIZATION, _S.CONFIGURATION, _S.INSTALLATION, _S.STARTED)
_WALK_DOWN = (_S.DECONFIGURATION, _S.DEALLOCATION, _S.TERMINATED)
_ENDS = frozenset({_S.TERMINATED, _S.RELEASED})

ROWS: Mapping[StrEnum, frozenset[StrEnum]] = {
    _S.VALIDATION: _ENDS | {_S.ALLOCATION, _S.DECONFIGURATION},
    _S.ALLOCATION: _ENDS | {_S.INITIALIZATION, _S.DECONFIGURATION},
    _S.INITIALIZATION: _ENDS | {_S.CONFIGURATION, _S.DECONFIGURATION},
    _S.CONFIGURATION: _ENDS | {_S.INSTALLATION, _S.DECONFIGURATION},
    _S.INSTALLATION: _ENDS | {_S.STARTED, _S.CONFIGURATION, _S.DECONFIGURATION},
    _S.STARTED: _ENDS | {_S.CONFIGURATION, _S.DECONFIGURATION},
    _S.DECONFIGURATION: _ENDS | {_S.DEALLOCATION, _S.CONFIGURATION},
    _S.DEALLOCATION: _ENDS | {_S.CONFIGURATION},
    _S.TERMINATED: frozenset(),
    _S.RELEASED: frozenset(),
}

RESOURCE = Lifecycle(
    name="resource",
    states=ResourceState,
    initial=frozenset({_S.VALIDATION}),
    rows=ROWS,
    final=_ENDS,
    paths={
        _S.STARTED: _WALK_UP,
        _S.TERMINATED: _WALK_DOWN,
        _S.RELEASED: (_S.RELEASED,),
    },
)
