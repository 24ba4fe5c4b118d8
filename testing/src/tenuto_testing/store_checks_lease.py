"""The duties of every store for the lease: one epoch at a time, checked in the commit that it guards."""

from dataclasses import replace

from tenuto.errors import LeaseLostError
from tenuto.model.ids import Instant
from tenuto.model.lease import Lease
from tenuto.ports.store import Store
from tenuto.ports.store_administration import ExpectLease, SaveLease
from tenuto_testing.store_bench import born, raises
from tenuto_testing.store_samples import a_process

FIRST = Lease(holder="one", epoch=1, renewed_at=Instant(10.0), expires_at=Instant(100.0))


def a_lease_is_taken_under_the_next_epoch_and_renewed_under_its_own(store: Store) -> None:
    assert store.lease() is None
    store.commit([SaveLease(lease=FIRST)])
    renewed = replace(FIRST, renewed_at=Instant(50.0), expires_at=Instant(140.0))
    store.commit([SaveLease(lease=renewed)])
    assert store.lease() == renewed
    taken = replace(FIRST, holder="two", epoch=2)
    store.commit([SaveLease(lease=taken)])
    assert store.lease() == taken


def a_lease_of_another_epoch_or_of_somebody_else_under_the_same_is_refused(store: Store) -> None:
    raises((LeaseLostError,), store, [SaveLease(lease=replace(FIRST, epoch=2))])
    store.commit([SaveLease(lease=FIRST), SaveLease(lease=replace(FIRST, holder="two", epoch=2))])
    for wrong in (FIRST, replace(FIRST, epoch=2), replace(FIRST, epoch=4)):
        raises((LeaseLostError,), store, [SaveLease(lease=wrong)])


def nothing_of_a_commit_is_written_when_the_lease_was_taken_meanwhile(store: Store) -> None:
    raises((LeaseLostError,), store, [ExpectLease(epoch=1), born(a_process())])
    store.commit([SaveLease(lease=FIRST)])
    store.commit([SaveLease(lease=replace(FIRST, holder="two", epoch=2))])
    raises((LeaseLostError,), store, [ExpectLease(epoch=1), born(a_process())])
    raises((LeaseLostError,), store, [born(a_process()), ExpectLease(epoch=1)])
    assert store.processes() == ()
    store.commit([ExpectLease(epoch=2), born(a_process())])
    assert len(store.processes()) == 1
