"""Things of a former namespace: those that ended before the namespace that has its name now began.

Theory of operation. Histories, plans and deleted objects outlive a namespace, and carry the name of their account. The
next namespace of that name may be another tenant's, and a grant is about a name. So a thing that ended before the
present namespace of the name began counts as a thing of no account: only the owner sees it, and those whose grants are
about all accounts.

A thing that is live is never one of a former namespace: a namespace is deleted only when nothing lives in it. So the
question costs nothing for a live thing, and a clock that was wrong hides nothing that is live.
"""

from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.command import ProcessState
from tenuto.model.ids import Instant
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.service.accounts.accounts import is_namespace

NO_ACCOUNT = ""
"""The name of the account of such a thing, as grants are asked: the pattern `*` alone matches it."""


def is_of_former(store: Store, account: str, at: Instant) -> bool:
    """Whether a thing that ended at a moment is of a namespace that had the name of this account before."""
    found = store.account(account)
    if found is None or found.created_at is None or at >= found.created_at:
        return False
    return is_namespace(store, found)


def is_former_process(store: Store, process: Process) -> bool:
    """Whether a process ended with a former namespace."""
    if process.state is not ProcessState.GONE:
        return False
    return is_of_former(store, process.partition.account, process.ended_at or process.updated_at)


def is_former_object(store: Store, item: ManagedObject) -> bool:
    """Whether an object ended with a former namespace."""
    table = CATALOGUE.get(item.lifecycle)
    is_over = table is not None and table.is_final(item.state)
    return is_over and is_of_former(store, item.partition.account, item.moved_at)
