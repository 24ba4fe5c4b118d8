"""The lifecycle of a blob: an immutable file that nodes hold copies of.

`created` means that its data is there. A blob in `error` is kept until somebody deletes it.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class BlobState(StrEnum):
    INITIAL = "initial"
    CREATED = "created"
    ERROR = "error"
    DELETED = "deleted"


_S = BlobState

BLOB = Lifecycle(
    name="blob",
    states=BlobState,
    initial=frozenset({_S.INITIAL}),
    rows={
        _S.INITIAL: frozenset({_S.CREATED, _S.DELETED, _S.ERROR}),
        _S.CREATED: frozenset({_S.DELETED, _S.ERROR}),
        _S.ERROR: frozenset({_S.DELETED}),
        _S.DELETED: frozenset(),
    },
    final=frozenset({_S.DELETED}),
    errors=frozenset({_S.ERROR}),
)
