"""The lifecycles of artifacts, blobs and network interfaces: things that are made at once, and are deleted at once.

The specification gives the three the same table, so one function makes them; each keeps a name of its own, because an
object carries the name of its table.

An *artifact* is a named list of versions, each of them a blob: `created` means that it has at least one version. A
*blob* is an immutable file that nodes hold copies of: `created` means that its data is there. A *network interface* is
the tie between an instance and a network: `created` means that its address and its data are there. None of them changes
its state when it changes: a change runs the phases of `created` without a move. In `error` it is kept until a person
deletes it.
"""

from enum import StrEnum

from tenuto.lifecycles.table import Lifecycle


class MadeState(StrEnum):
    INITIAL = "initial"
    CREATED = "created"
    ERROR = "error"
    DELETED = "deleted"


_S = MadeState


def _table(name: str) -> Lifecycle:
    return Lifecycle(
        name=name,
        states=MadeState,
        initial=frozenset({_S.INITIAL}),
        rows={
            _S.INITIAL: frozenset({_S.CREATED, _S.DELETED, _S.ERROR}),
            _S.CREATED: frozenset({_S.DELETED, _S.ERROR}),
            _S.ERROR: frozenset({_S.DELETED}),
            _S.DELETED: frozenset(),
        },
        final=frozenset({_S.DELETED}),
        errors=frozenset({_S.ERROR}),
        born=_S.INITIAL,
        ready=_S.CREATED,
        gone=_S.DELETED,
        failed=_S.ERROR,
        failure={_S.INITIAL: _S.ERROR, _S.CREATED: _S.ERROR},
        change_at=_S.CREATED,
        paths={_S.CREATED: (_S.INITIAL, _S.CREATED), _S.DELETED: (_S.DELETED,)},
    )


ARTIFACT = _table("artifact")
BLOB = _table("blob")
NETWORK_INTERFACE = _table("network_interface")
