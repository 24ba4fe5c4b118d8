"""Finding the process that a FID or an alias means."""

from tenuto.errors import NotFoundError
from tenuto.kit.times import iso_text
from tenuto.model.ids import Instant, PlanId
from tenuto.model.process import Process, ProcessState
from tenuto.ports.store_reads import ProcessReads


def any_process(store: ProcessReads, reference: str) -> Process:
    """A live process, else the one of that name that was gone last. Raises NotFoundError."""
    process = store.process(reference)
    if process is None:
        raise NotFoundError(f"There is no process {reference!r}. 'tenuto status' lists the processes.")
    return process


def live_process(store: ProcessReads, reference: str) -> Process:
    """A process that is not gone. Raises NotFoundError."""
    process = any_process(store, reference)
    if process.state is ProcessState.GONE:
        raise NotFoundError(
            f"Process {reference!r} is gone. 'tenuto history {process.fid}' tells how; 'tenuto run' makes a new one."
        )
    return process


def no_plan(plan_id: PlanId, removed_until: Instant | None) -> NotFoundError:
    """The error, which also tells since when plans are kept, where any were removed."""
    removed = f" Plans of {iso_text(removed_until)} and before may have been removed." if removed_until else ""
    return NotFoundError(f"There is no plan {plan_id}.{removed} 'tenuto history' names the plans of a process.")
