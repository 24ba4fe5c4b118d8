"""The lifecycle of an upload: bytes on their way to become a blob.

It is born `created`, takes bytes, and is deleted when they became a blob or when no more bytes came for it.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class UploadState(StrEnum):
    CREATED = "created"
    DELETED = "deleted"


_S = UploadState

UPLOAD = Lifecycle(
    name="upload",
    states=UploadState,
    initial=frozenset({_S.CREATED}),
    rows={
        _S.CREATED: frozenset({_S.DELETED}),
        _S.DELETED: frozenset(),
    },
    final=frozenset({_S.DELETED}),
    born=_S.CREATED,
    ready=_S.CREATED,
    gone=_S.DELETED,
    change_at=_S.CREATED,
    paths={_S.CREATED: (_S.CREATED,), _S.DELETED: (_S.DELETED,)},
)
