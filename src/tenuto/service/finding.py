"""Finding the process that a FID or an alias means."""

from tenuto.errors import NotFoundError
from tenuto.model.ids import PlanId
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


def no_plan(plan_id: PlanId) -> NotFoundError:
    return NotFoundError(f"There is no plan {plan_id}. 'tenuto history' names the plans of a process.")
