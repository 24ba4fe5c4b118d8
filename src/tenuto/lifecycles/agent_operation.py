"""The lifecycle of an agent operation: commands that the agent inside an instance is asked to carry out.

Theory of operation. `preflight` is optional: an operation whose files are already on the right node is queued at once.
`complete` needs a result of every command; an operation whose agent died stays `executing` until a user deletes it,
and `complete` knows no way to `error`, because its result is in.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class AgentOperationState(StrEnum):
    INITIAL = "initial"
    PREFLIGHT = "preflight"
    QUEUED = "queued"
    EXECUTING = "executing"
    COMPLETE = "complete"
    ERROR = "error"
    DELETED = "deleted"


_S = AgentOperationState

AGENT_OPERATION = Lifecycle(
    name="agent_operation",
    states=AgentOperationState,
    initial=frozenset({_S.INITIAL, _S.ERROR}),
    rows={
        _S.INITIAL: frozenset({_S.PREFLIGHT, _S.QUEUED, _S.DELETED, _S.ERROR}),
        _S.PREFLIGHT: frozenset({_S.QUEUED, _S.DELETED, _S.ERROR}),
        _S.QUEUED: frozenset({_S.EXECUTING, _S.DELETED, _S.ERROR}),
        _S.EXECUTING: frozenset({_S.COMPLETE, _S.DELETED, _S.ERROR}),
        _S.COMPLETE: frozenset({_S.DELETED}),
        _S.ERROR: frozenset({_S.DELETED}),
        _S.DELETED: frozenset(),
    },
    final=frozenset({_S.DELETED}),
    errors=frozenset({_S.ERROR}),
    born=_S.INITIAL,
    ready=_S.COMPLETE,
    gone=_S.DELETED,
    failed=_S.ERROR,
    failure=dict.fromkeys((_S.INITIAL, _S.PREFLIGHT, _S.QUEUED, _S.EXECUTING), _S.ERROR),
    change_at=_S.COMPLETE,
    optional=frozenset({_S.PREFLIGHT}),
    paths={
        _S.COMPLETE: (_S.INITIAL, _S.PREFLIGHT, _S.QUEUED, _S.EXECUTING, _S.COMPLETE),
        _S.DELETED: (_S.DELETED,),
    },
)
