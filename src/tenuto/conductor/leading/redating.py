"""Redating: the changes that put stored moments right for our own clock (`core.pacing.reckoning`), as values."""

from collections.abc import Iterable

from tenuto.core.pacing.reckoning import Reckoning
from tenuto.model.node import NODE_TYPES
from tenuto.model.process import Process
from tenuto.ports.record_kinds import USER_SECRET, WEB_SESSION
from tenuto.ports.records import SaveRecord
from tenuto.ports.store import Store
from tenuto.ports.store_administration import SaveDelivery
from tenuto.ports.store_changes import SaveFlips, SaveJob, SaveObject, SaveProcess, StoreChange

_MOST_DELIVERIES = 10_000
"""The number of deliveries of one sink: more never wait (`conductor.notifier`)."""


def redated(store: Store, reckoning: Reckoning) -> list[StoreChange]:
    """Return the changes of stored times that the reckoning asks for: none, as a rule. Raises StoreUnavailableError."""
    return [
        *(change for process in store.processes() for change in _of_process(store, process, reckoning)),
        *_of_objects(store, reckoning),
        *_of_deliveries(store, reckoning),
        *_of_sign_ins(store, reckoning),
    ]


def _of_process(store: Store, process: Process, reckoning: Reckoning) -> Iterable[StoreChange]:
    after = reckoning.process(process)
    if after != process:
        yield SaveProcess(process=after, expected_generation=process.generation)
    job = store.job(process.job_id) if process.job_id else None
    if job is not None and reckoning.job(job) != job:
        yield SaveJob(job=reckoning.job(job))
    flips = [(flip, reckoning.flip(flip)) for flip in store.flips(process.fid)]
    if changed := tuple(after for before, after in flips if after != before):
        yield SaveFlips(fid=process.fid, saved=changed)


def _of_objects(store: Store, reckoning: Reckoning) -> Iterable[StoreChange]:
    for found in store.dated_after(reckoning.horizon):
        after = reckoning.object(found)
        # Nothing is decided by the times of a node, and those of our own are from just now.
        if after != found and found.type not in NODE_TYPES:
            names = tuple(name for name, entry in after.phases.items() if found.phases[name] is not entry)
            yield SaveObject(object=after, expected_generation=found.generation, entries=names)


def _of_deliveries(store: Store, reckoning: Reckoning) -> Iterable[StoreChange]:
    for sink in store.sinks():
        for delivery in store.deliveries(sink.name, is_dead=False, limit=_MOST_DELIVERIES):
            after = reckoning.delivery(delivery)
            if after != delivery:
                yield SaveDelivery(delivery=after)


def _of_sign_ins(store: Store, reckoning: Reckoning) -> Iterable[StoreChange]:
    for secret in store.user_secrets():
        kept = reckoning.secret(secret)
        if kept != secret:
            yield SaveRecord(kind=USER_SECRET, value=kept, expected_generation=secret.generation)
    for session in store.records(WEB_SESSION):
        after = reckoning.session(session)
        if after != session:
            yield SaveRecord(kind=WEB_SESSION, value=after, expected_generation=session.generation)
