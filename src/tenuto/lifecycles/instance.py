"""The lifecycle of an instance: a virtual machine on a node.

Theory of operation. An instance is asked for (`initial`), checked and prepared (`preflight`), made (`creating`), and
runs (`created`). Its failure has two steps, because cleaning up takes time (DECISIONS 13): at once it goes to the state
named for where it failed, such as `created-error`, so that every user sees it and no phase works on it; and to `error`
when the clean-up has run. From `error` it does not age out: a person must have seen it and delete it.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class InstanceState(StrEnum):
    INITIAL = "initial"
    PREFLIGHT = "preflight"
    CREATING = "creating"
    CREATED = "created"
    DELETE_WAIT = "delete-wait"
    INITIAL_ERROR = "initial-error"
    PREFLIGHT_ERROR = "preflight-error"
    CREATING_ERROR = "creating-error"
    CREATED_ERROR = "created-error"
    DELETE_WAIT_ERROR = "delete-wait-error"
    ERROR = "error"
    DELETED = "deleted"


_S = InstanceState

INSTANCE = Lifecycle(
    name="instance",
    states=InstanceState,
    initial=frozenset({_S.INITIAL, _S.ERROR}),
    rows={
        _S.INITIAL: frozenset({_S.PREFLIGHT, _S.DELETE_WAIT, _S.DELETED, _S.INITIAL_ERROR}),
        _S.PREFLIGHT: frozenset({_S.CREATING, _S.DELETE_WAIT, _S.DELETED, _S.PREFLIGHT_ERROR}),
        _S.CREATING: frozenset({_S.CREATED, _S.DELETE_WAIT, _S.DELETED, _S.CREATING_ERROR}),
        _S.CREATED: frozenset({_S.DELETE_WAIT, _S.DELETED, _S.CREATED_ERROR}),
        _S.DELETE_WAIT: frozenset({_S.DELETED, _S.DELETE_WAIT_ERROR}),
        _S.INITIAL_ERROR: frozenset({_S.ERROR}),
        _S.PREFLIGHT_ERROR: frozenset({_S.ERROR}),
        _S.CREATING_ERROR: frozenset({_S.ERROR}),
        _S.CREATED_ERROR: frozenset({_S.ERROR}),
        _S.DELETE_WAIT_ERROR: frozenset({_S.ERROR}),
        _S.ERROR: frozenset({_S.DELETE_WAIT, _S.DELETED}),
        _S.DELETED: frozenset(),
    },
    final=frozenset({_S.DELETED}),
    errors=frozenset(
        {_S.INITIAL_ERROR, _S.PREFLIGHT_ERROR, _S.CREATING_ERROR, _S.CREATED_ERROR, _S.DELETE_WAIT_ERROR, _S.ERROR}
    ),
    born=_S.INITIAL,
    ready=_S.CREATED,
    gone=_S.DELETED,
    failed=_S.ERROR,
    failure={
        _S.INITIAL: _S.INITIAL_ERROR,
        _S.PREFLIGHT: _S.PREFLIGHT_ERROR,
        _S.CREATING: _S.CREATING_ERROR,
        _S.CREATED: _S.CREATED_ERROR,
        _S.DELETE_WAIT: _S.DELETE_WAIT_ERROR,
        _S.INITIAL_ERROR: _S.ERROR,
        _S.PREFLIGHT_ERROR: _S.ERROR,
        _S.CREATING_ERROR: _S.ERROR,
        _S.CREATED_ERROR: _S.ERROR,
        _S.DELETE_WAIT_ERROR: _S.ERROR,
    },
    change_at=_S.CREATED,
    paths={
        _S.CREATED: (_S.INITIAL, _S.PREFLIGHT, _S.CREATING, _S.CREATED),
        _S.DELETED: (_S.DELETE_WAIT, _S.DELETED),
    },
)
