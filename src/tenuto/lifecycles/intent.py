"""The lifecycle of an intent: how far the last command of a process has come (`tenuto.model.process.Intent`).

Theory of operation. An intent is `waiting` until a plan is made for its command, `served` while jobs are at work on it,
and `done` when a job finds nothing left to do. A command that needs no work is done at once. A failure that suspends
the process ends the intent, too: any later work needs a new command, which is a new intent.
"""

from tenuto.lifecycles.table import Lifecycle
from tenuto.model.process import IntentStage

_S = IntentStage

INTENT = Lifecycle(
    name="intent",
    states=IntentStage,
    initial=frozenset({_S.WAITING}),
    rows={
        _S.WAITING: frozenset({_S.SERVED, _S.DONE}),
        _S.SERVED: frozenset({_S.DONE}),
        _S.DONE: frozenset(),
    },
    final=frozenset({_S.DONE}),
    born=_S.WAITING,
    ready=_S.DONE,
    gone=_S.DONE,
    change_at=_S.WAITING,
)
