"""The lifecycle of a managed resource (DECISIONS 14).

Theory of operation. A resource walks to `Started` through states that each mean one thing done: checked, allocated at
the provider, initialised there, configured, installed. It walks to `Terminated` through `Deconfiguration` (let go of
the things that depend on it) and `Deallocation` (delete it at the provider). Besides the two walks there are four kinds
of edge:

* *turn back*: any state on the way up may enter the way down, when the target changes before it was reached;
* *update*: `Started` goes back to `Configuration` and up again; so does a resource whose deletion was cancelled
  (`Deconfiguration`, `Deallocation`) as long as it is still there;
* *vanish*: any state may go straight to `Terminated`, because the real thing may be found gone at any time;
* *release*: any state may go to `Release`, where our marks are taken off the real thing, and on to `Released`: it
  stays in the provider and is ours no longer. A release may still become a deletion, or be turned back: then the
  thing is adopted again, from `Allocation` on.

`Terminated` and `Released` are final: the next object at the address is a new incarnation. A `Cloud.Node` has one state
more, and a table of its own.
"""

from collections.abc import Mapping
from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle, Work


class ResourceState(StrEnum):
    VALIDATION = "Validation"
    ALLOCATION = "Allocation"
    INITIALIZATION = "Initialization"
    CONFIGURATION = "Configuration"
    INSTALLATION = "Installation"
    STARTED = "Started"
    DECONFIGURATION = "Deconfiguration"
    DEALLOCATION = "Deallocation"
    RELEASE = "Release"
    TERMINATED = "Terminated"
    RELEASED = "Released"


_S = ResourceState
_WALK_UP = (_S.VALIDATION, _S.ALLOCATION, _S.INITIALIZATION, _S.CONFIGURATION, _S.INSTALLATION, _S.STARTED)
_WALK_DOWN = (_S.DECONFIGURATION, _S.DEALLOCATION, _S.TERMINATED)
_ENDS = frozenset({_S.TERMINATED, _S.RELEASED})
_LEAVES = _ENDS | {_S.RELEASE}

ROWS: Mapping[StrEnum, frozenset[StrEnum]] = {
    _S.VALIDATION: _LEAVES | {_S.ALLOCATION, _S.DECONFIGURATION},
    _S.ALLOCATION: _LEAVES | {_S.INITIALIZATION, _S.DECONFIGURATION},
    _S.INITIALIZATION: _LEAVES | {_S.CONFIGURATION, _S.DECONFIGURATION},
    _S.CONFIGURATION: _LEAVES | {_S.INSTALLATION, _S.DECONFIGURATION},
    _S.INSTALLATION: _LEAVES | {_S.STARTED, _S.CONFIGURATION, _S.DECONFIGURATION},
    _S.STARTED: _LEAVES | {_S.CONFIGURATION, _S.DECONFIGURATION},
    _S.DECONFIGURATION: _LEAVES | {_S.DEALLOCATION, _S.CONFIGURATION},
    _S.DEALLOCATION: _LEAVES | {_S.CONFIGURATION},
    _S.RELEASE: _ENDS | {_S.DECONFIGURATION, _S.ALLOCATION},
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
        _S.RELEASED: (_S.RELEASE, _S.RELEASED),
    },
    born=_S.VALIDATION,
    ready=_S.STARTED,
    gone=_S.TERMINATED,
    released=_S.RELEASED,
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
