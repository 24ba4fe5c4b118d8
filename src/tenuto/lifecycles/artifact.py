"""The lifecycle of an artifact: a named list of versions, each of them a blob.

`created` means that it has at least one version. An artifact in `error` is kept until somebody deletes it.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class ArtifactState(StrEnum):
    INITIAL = "initial"
    CREATED = "created"
    ERROR = "error"
    DELETED = "deleted"


_S = ArtifactState

ARTIFACT = Lifecycle(
    name="artifact",
    states=ArtifactState,
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
