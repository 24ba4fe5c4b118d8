"""The lifecycle of a namespace, the tenant of every other object: it exists, or it is deleted.

Nothing outside can fail while it is made, so it is born `created` and knows no error.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class NamespaceState(StrEnum):
    CREATED = "created"
    DELETED = "deleted"


_S = NamespaceState

NAMESPACE = Lifecycle(
    name="namespace",
    states=NamespaceState,
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
