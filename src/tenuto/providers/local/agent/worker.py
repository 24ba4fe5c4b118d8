"""The worker of an agent: it does orders with the driver of the host, one call at a time, and observes the host."""

import errno
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

import structlog

from tenuto.errors import TenutoError, TransientError, UserError
from tenuto.model.ids import ObjectId
from tenuto.providers.local.agent.journal import MOST_TRIES, Journal, JournalFullError
from tenuto.providers.local.driver import HostDriver, Problem
from tenuto.providers.local.wire.messages import Observed, Order, Report, Verb

_FULL = {
    errno.ENOSPC: "is full",
    errno.EDQUOT: "is full",
    errno.EROFS: "takes no writes, as after an error of the disk",
}
"""The errors of a disk that keeps nothing more, in words."""
_log = structlog.get_logger("tenuto.hosts")


class Worker:
    """Does the work. One thread uses it."""

    def __init__(self, driver: HostDriver, journal: Journal) -> None:
        self._driver = driver
        self._journal = journal
        self._isolated: tuple[ObjectId, ...] | None = None
        self._not_isolated = ""

    def meet(self, hosts: Mapping[str, str]) -> None:
        """Let the driver know the hosts of the zone."""
        self._driver.meet(hosts)

    def hold(self, until: float) -> None:
        """Hold the lease of the host until a moment. Any thread may call it."""
        self._driver.hold(until)

    def let_go(self) -> None:
        """Hold the host to no lease any more. Any thread may call it."""
        self._driver.let_go()

    def isolate(self, object_ids: Sequence[ObjectId] | None) -> str:
        """Have just these machines on no network; None where nothing was told of it. A failure is tried again.

        Return the failure, in words.
        """
        if object_ids is None or (tuple(object_ids) == self._isolated and not self._not_isolated):
            return ""
        try:
            told = self._driver.isolate(object_ids)
        except (TransientError, OSError) as error:
            told = _told(error)
        if told and told != self._not_isolated:
            _log.warning("agent.not_isolated", things=list(object_ids), reason=told)
        elif not told:
            _log.info("agent.isolated", things=list(object_ids))
        self._isolated, self._not_isolated = tuple(object_ids), told
        return f"machines that are to be on no network cannot be taken off theirs: {told}" if told else ""

    def doubt(self) -> str:
        """Return the reason why the driver leaves things as they are for now, or an empty text."""
        return self._driver.doubt()

    def foreign(self) -> str:
        """Return the words about folders of others among those of the driver, or an empty text."""
        return self._driver.foreign()

    def work(self, orders: Sequence[Order]) -> tuple[Report, ...]:
        """Do orders in their turn, those of one kind that follow each other in bulk; return the report of each.

        Work that was cut off before is done alone, after all other, and the work that was cut off most often comes
        last: it may be the cause of the agent's death.
        """
        try:
            return self._worked(orders)
        except JournalFullError as full:
            # An order that was carried out in part is harmless to repeat.
            problem = Problem(message=str(full), is_full=True)
            return tuple(Report(object_id=one.object_id, generation=one.generation, problem=problem) for one in orders)

    def _worked(self, orders: Sequence[Order]) -> tuple[Report, ...]:
        due, told = self._journal.begin(orders)
        tries = self._journal.cut_off(due)
        fresh = [one for one in due if one.object_id not in tries]
        bulks = [list(group) for _, group in groupby(fresh, key=lambda order: order.verb)]
        suspects = sorted((one for one in due if one.object_id in tries), key=lambda order: tries[order.object_id])
        for bulk in (*bulks, *([one] for one in suspects)):
            if tries.get(bulk[0].object_id, 0) >= MOST_TRIES:
                done = [_given_up(bulk[0])]
            else:
                self._journal.count_try(bulk)
                done = self._done(bulk[0].verb, bulk)
            self._journal.finish(done)
            told.extend(done)
        return tuple(told)

    def observe(self, number: int) -> Observed:
        """Observe everything that is on the host now."""
        try:
            return Observed(number=number, things=tuple(self._driver.observe()))
        except UserError:
            raise
        except Exception as error:  # noqa: BLE001 - told to the Conductor: nothing is concluded about the host
            _log.exception("agent.observation_failed")
            return Observed(number=number, things=(), problem=f"the host cannot tell what is on it: {_told(error)}")

    def _done(self, verb: Verb, orders: Sequence[Order]) -> list[Report]:
        ids = [one.object_id for one in orders]
        specs = [one.spec for one in orders if one.spec is not None]
        if verb is Verb.ENSURE:
            problems = _tried(ids, lambda: self._driver.ensure(specs))
        else:
            problems = _tried(ids, lambda: self._driver.remove(ids))
        for object_id, problem in sorted(problems.items()):
            _log.warning("agent.order_failed", object=object_id, verb=verb.value, reason=problem.message)
        return [
            Report(object_id=one.object_id, generation=one.generation, problem=problems.get(one.object_id))
            for one in orders
        ]


def _given_up(order: Order) -> Report:
    problem = Problem(
        message=f"the agent of the host ended {MOST_TRIES} times while it was at work on this, and does not begin it "
        "again: its log may tell why",
        is_final=True,
    )
    return Report(object_id=order.object_id, generation=order.generation, problem=problem)


def _tried(ids: Iterable[ObjectId], act: Callable[[], Mapping[ObjectId, Problem]]) -> Mapping[ObjectId, Problem]:
    """The problems of an act. One that raises is a problem of each thing, and may pass."""
    try:
        return act()
    except UserError:
        raise  # The host can do nothing any more: the agent ends, and says so.
    except Exception as error:  # noqa: BLE001 - the border: the driver's fault is a report, not the end of the agent
        if isinstance(error, OSError) and error.errno in _FULL:
            return dict.fromkeys(
                ids, Problem(message=f"the disk of the host {_FULL[error.errno]} ({error.strerror})", is_full=True)
            )
        _log.exception("agent.driver_failed")
        return dict.fromkeys(ids, Problem(message=f"the driver of the host failed: {_told(error)}"))


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, TenutoError | OSError) else repr(error)
