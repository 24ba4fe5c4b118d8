"""The lifecycle of a network.

Theory of operation. A network that exists is deleted through `delete-wait`: instances may still be on it, and it goes
when the last of them has gone. One that was never made (`initial`) has no instance to wait for and is deleted at once.
`delete-wait`, `deleted` and `error` are together called dead: nothing new may be put on such a network.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class NetworkState(StrEnum):
    INITIAL = "initial"
    CREATED = "created"
    DELETE_WAIT = "delete-wait"
    ERROR = "error"
    DELETED = "deleted"


_S = NetworkState

NETWORK = Lifecycle(
    name="network",
    states=NetworkState,
    initial=frozenset({_S.INITIAL}),
    rows={
        _S.INITIAL: frozenset({_S.CREATED, _S.DELETED, _S.ERROR}),
        _S.CREATED: frozenset({_S.DELETED, _S.DELETE_WAIT, _S.ERROR}),
        _S.DELETE_WAIT: frozenset({_S.DELETED, _S.ERROR}),
        _S.ERROR: frozenset({_S.DELETED}),
        _S.DELETED: frozenset(),
    },
    final=frozenset({_S.DELETED}),
    errors=frozenset({_S.ERROR}),
    born=_S.INITIAL,
    ready=_S.CREATED,
    gone=_S.DELETED,
    failed=_S.ERROR,
    failure={_S.INITIAL: _S.ERROR, _S.CREATED: _S.ERROR, _S.DELETE_WAIT: _S.ERROR},
    change_at=_S.CREATED,
    paths={_S.CREATED: (_S.INITIAL, _S.CREATED), _S.DELETED: (_S.DELETE_WAIT, _S.DELETED)},
)
