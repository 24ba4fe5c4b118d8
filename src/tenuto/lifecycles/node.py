"""The lifecycle of a node: a host that checks in, a hypervisor or a Conductor.

Theory of operation. A node is `created` by its first check-in, `missing` when it has not checked in for too long, and
in `error` when it has been missing so long that its instances are given up. Both may come back: a node is the one type
that returns from `error`, because a host that answers again is as good as before. A clean shut-down goes through
`stopping` to `stopped`. `deleted` is final here too, and its row stays for ever: where something ran keeps its name.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class NodeState(StrEnum):
    CREATED = "created"
    STOPPING = "stopping"
    STOPPED = "stopped"
    MISSING = "missing"
    ERROR = "error"
    DELETED = "deleted"


_S = NodeState

NODE = Lifecycle(
    name="node",
    states=NodeState,
    initial=frozenset({_S.CREATED, _S.ERROR, _S.MISSING}),
    rows={
        _S.CREATED: frozenset({_S.DELETED, _S.ERROR, _S.MISSING, _S.STOPPING}),
        _S.STOPPING: frozenset({_S.STOPPED, _S.DELETED, _S.ERROR, _S.CREATED}),
        _S.STOPPED: frozenset({_S.CREATED, _S.DELETED, _S.ERROR}),
        _S.MISSING: frozenset({_S.CREATED, _S.DELETED, _S.ERROR}),
        _S.ERROR: frozenset({_S.CREATED, _S.DELETED}),
        _S.DELETED: frozenset(),
    },
    final=frozenset({_S.DELETED}),
    errors=frozenset({_S.ERROR}),
    ages_out=False,
    born=_S.CREATED,
    ready=_S.CREATED,
    gone=_S.DELETED,
    failed=_S.ERROR,
    failure=dict.fromkeys((_S.CREATED, _S.STOPPING, _S.STOPPED, _S.MISSING), _S.ERROR),
    change_at=_S.CREATED,
    paths={_S.CREATED: (_S.CREATED,), _S.DELETED: (_S.DELETED,)},
)

LEAVING, LEFT = _S.STOPPING, _S.STOPPED
SHUT_DOWN = (LEAVING, LEFT)
"""The states of a clean shut-down, in order."""
GIVEN_UP = _S.ERROR
"""The state of a host that was missing for so long that its machines count as gone."""
MISSED = _S.MISSING
"""The state of a node that was to check in, and did not."""
