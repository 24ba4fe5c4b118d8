"""The lifecycle of an attempt: the knowledge about one outside act (`tenuto.model.attempt`).

Theory of operation. An act is `unsent` until its intent is stored, and `sent` from then on. An answer makes it
`answered`; the answer that nothing was done makes it `unsent` again. When no answer came, the next run is `in-doubt`
and looks for the thing that the act may have made: it is `found`, or it is `absent` after as long as a new thing may be
invisible, and may be sent again. An act in doubt that is repeated under its token is answered with the thing that it
made. A search may also come before the act: a deletion begins in doubt when the creation before it got no answer, and
is sent when the search has found something to delete.
"""

from tenuto.lifecycles.table import Lifecycle
from tenuto.model.attempt import AttemptState

_S = AttemptState

ATTEMPT = Lifecycle(
    name="attempt",
    states=AttemptState,
    initial=frozenset({_S.UNSENT}),
    rows={
        _S.UNSENT: frozenset({_S.SENT, _S.IN_DOUBT}),
        _S.SENT: frozenset({_S.UNSENT, _S.ANSWERED, _S.IN_DOUBT}),
        _S.IN_DOUBT: frozenset({_S.ANSWERED, _S.FOUND, _S.ABSENT}),
        _S.FOUND: frozenset({_S.SENT}),
        _S.ABSENT: frozenset({_S.SENT}),
        _S.ANSWERED: frozenset(),
    },
    final=frozenset({_S.ANSWERED}),
    born=_S.UNSENT,
    ready=_S.ANSWERED,
    gone=_S.ANSWERED,
    change_at=_S.UNSENT,
)
