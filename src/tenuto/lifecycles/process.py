"""The lifecycle of a process: the transition table of the process model, and no other move (DECISIONS 1).

`Gone` stands for the end that the specification describes in words: a completed kill, or a release. Running and Killing
know no direct way back and forth: a kill is cancelled through Suspended.
"""

from tenuto.lifecycles.table import Lifecycle
from tenuto.model.command import ProcessState

_S = ProcessState

PROCESS = Lifecycle(
    name="process",
    states=ProcessState,
    initial=frozenset({_S.RUNNING}),
    rows={
        _S.RUNNING: frozenset({_S.SUSPENDED, _S.KILLING, _S.GONE}),
        _S.SUSPENDED: frozenset({_S.RUNNING, _S.KILLING, _S.GONE}),
        _S.KILLING: frozenset({_S.SUSPENDED, _S.GONE}),
        _S.GONE: frozenset(),
    },
    final=frozenset({_S.GONE}),
    born=_S.RUNNING,
    ready=_S.RUNNING,
    gone=_S.GONE,
    change_at=_S.RUNNING,
)
