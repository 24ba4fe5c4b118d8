"""The resumption of all processes that one cause suspended: the list of them, those left out with the reason, and the
one command for all.

Theory of operation. A process that failures suspended stores their codes (`Process.causes`). A user who resumes by a
code sees the list first, and then names the processes of that list, so that none is resumed that was not shown. Each is
resumed by the same command as by itself, with the same rights and the same checks; one that does not take it, or that
the asker may not resume, is left out, and the others go on. A process that a user may not see is counted, not named.

The list shows no plan, so nothing is destroyed by it: a process of which the next plan deletes or replaces anything is
left out, with the command that shows that plan and asks. Each one is planned for that, from a fresh sweep.

Rejected: one transaction for all. Each process has its own history, its own command and its own way to fail.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from tenuto.core.access.admission import admit
from tenuto.core.planning.failures import why_not_by_cause
from tenuto.errors import ConflictError, NotAllowedError, NotFoundError, ProviderError, UserError
from tenuto.model.access import ROOT
from tenuto.model.command import Command
from tenuto.model.ids import Fid
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.ports.store_reads import ProcessReads


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """The user who resumes. `sees` is about `status`; `refusal` says why they may not resume a process, or is empty."""

    name: str = ROOT
    sees: Callable[[Process], bool] = lambda _: True
    refusal: Callable[[Process], str] = lambda _: ""


OWNER = Asker()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    process: Process
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseView:
    """The processes that some causes suspended: those that are resumed (or would be), and those that are left out.

    `hidden` is how many more there are that the asker may neither resume nor see.
    """

    causes: tuple[str, ...]
    processes: tuple[Process, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    hidden: int = 0


class Causes:
    """The causes of suspended processes, and the command that resumes them together. `resume` is the command of one
    process: it takes a FID, the causes and an actor.

    It raises the errors of `Commands.resume`, and ConflictError when none of the causes suspends the process any more.
    """

    def __init__(
        self,
        *,
        store: ProcessReads,
        resume: Callable[[Fid, Collection[str], str], Process],
        plan: Callable[[Fid], Plan],
    ) -> None:
        self._store = store
        self._resume = resume
        self._plan = plan

    def suspended_by(
        self, causes: Sequence[str], *, only: Collection[str] | None = None, asker: Asker = OWNER
    ) -> CauseView:
        """The result that `resume` would have now. Changes nothing. Others than `only` are not planned.

        Raises NotFoundError when no process that the asker may see or resume is suspended by any of the causes.
        """
        wanted = frozenset(causes)
        found = [one for one in self._store.processes() if wanted.intersection(one.causes)]
        chosen: list[Process] = []
        left_out: list[LeftOut] = []
        hidden = 0
        for process in found:
            if denied := asker.refusal(process):
                if asker.sees(process):
                    left_out.append(LeftOut(process=process, why=denied))
                else:
                    hidden += 1
            elif why := _why_not(process) or ("" if _is_apart(process, only) else self._why_unsafe(process)):
                left_out.append(LeftOut(process=process, why=why))
            else:
                chosen.append(process)
        if not chosen and not left_out:
            raise self._none(causes, asker)
        return CauseView(causes=tuple(causes), processes=tuple(chosen), left_out=tuple(left_out), hidden=hidden)

    def resume(self, causes: Sequence[str], *, only: Collection[str] | None = None, asker: Asker = OWNER) -> CauseView:
        """Resume every process that one of the causes suspended; `only` those of these FIDs, when it is given.

        A process that a command or a job has changed meanwhile is left out when it cannot be resumed any more.
        """
        view = self.suspended_by(causes, only=only, asker=asker)
        resumed: list[Process] = []
        left_out = list(view.left_out)
        for process in view.processes:
            if _is_apart(process, only):
                why = "It was suspended after the list was made. Give the command once more for it."
                left_out.append(LeftOut(process=process, why=why))
                continue
            try:
                resumed.append(self._resume(process.fid, causes, asker.name))
            except (NotAllowedError, NotFoundError, ConflictError) as refused:
                left_out.append(LeftOut(process=process, why=str(refused)))
        return CauseView(causes=view.causes, processes=tuple(resumed), left_out=tuple(left_out), hidden=view.hidden)

    def _why_unsafe(self, process: Process) -> str:
        """Return why the process is resumed only with its plan; empty when the plan destroys nothing."""
        name = process.alias or process.fid
        try:
            plan = self._plan(process.fid)
        except (ProviderError, UserError) as error:
            return f"Its next plan cannot be made now: {error}"
        count = sum(1 for operation in plan.operations if operation.is_destructive)
        if not count:
            return ""
        things = "a resource" if count == 1 else f"{count} resources"
        return (
            f"Its next plan deletes or replaces {things}. 'tenuto resume {name} --dry-run' shows the plan, and "
            f"'tenuto resume {name}' asks for it."
        )

    def _none(self, causes: Sequence[str], asker: Asker) -> NotFoundError:
        counts = Counter(
            cause
            for process in self._store.processes()
            if not asker.refusal(process) or asker.sees(process)
            for cause in process.causes
        )
        known = ", ".join(f"{cause} ({count})" for cause, count in sorted(counts.items()))
        there_are = (
            f"The causes of suspended processes are: {known}" if known else "No process is suspended by a failure"
        )
        return NotFoundError(f"No process is suspended by {' or '.join(causes)}. {there_are}. See 'tenuto status'.")


def _is_apart(process: Process, only: Collection[str] | None) -> bool:
    return only is not None and process.fid not in only


def _why_not(process: Process) -> str:
    """Return why a process is not resumed with the others, although the asker may; empty when it is."""
    if why := why_not_by_cause(process):
        return why
    try:
        admit(Command.RESUME, process)
    except NotAllowedError as refused:
        return str(refused)
    return ""
