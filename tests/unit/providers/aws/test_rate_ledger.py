"""The rate ledger: whatever happens to a Conductor, no API is called more often than its bucket allows."""

import threading
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tenuto.core.pacing import rates
from tenuto.errors import StoreUnavailableError
from tenuto.model.ids import Instant, Partition
from tenuto.model.rate import Api, Bucket, Rate
from tenuto.ports.store_changes import SaveRates, StoreChange
from tenuto.providers.aws.rates.buckets import api_of, rate_of, tokens_of
from tenuto.providers.aws.rates.ledger import SHARE, UNKNOWN, RateLedger
from tenuto.storage.sqlite.memory import MemoryStore

HOME = Partition(account="default", region="us-east-1")
API = Api(partition=HOME, name="ec2:CreateVpc")
RATE = Rate(burst=6.0, per_second=2.0)
FOREVER = float("inf")
RATES = st.builds(Rate, burst=st.floats(1.0, 100.0), per_second=st.floats(0.1, 50.0))
SECONDS = st.floats(0.0, 30.0)
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("call"), st.integers(1, 20)),
        st.tuples(st.just("pass"), SECONDS),
        st.tuples(st.just("die"), st.just(0)),
        st.tuples(st.just("throttle"), st.just(0)),
    ),
    max_size=30,
)


class CountingStore(MemoryStore):
    """Counts its commits, and refuses them on demand."""

    commits = 0
    is_full = False

    def commit(self, changes: Sequence[StoreChange]) -> None:
        if self.is_full:
            raise StoreUnavailableError("the disk is full")
        self.commits += 1
        super().commit(changes)


@example(rate=Rate(burst=1.0, per_second=0.125), events=[("throttle", 0), ("call", 8), ("pass", 10.0), ("call", 1)])
@given(rate=RATES, events=EVENTS)
def test_no_crash_and_no_throttle_lets_more_calls_through_than_the_bucket_allows(
    rate: Rate, events: Sequence[tuple[str, float]]
) -> None:
    store, now = MemoryStore(), 1000.0
    ledger = RateLedger(store)
    calls: list[float] = []
    for kind, amount in events:
        match kind:
            case "call":
                calls += [now + ledger.take(API, rate, Instant(now), FOREVER) for _ in range(int(amount))]
            case "pass":
                now += amount
            case "die":
                ledger = RateLedger(store)
                calls = [call for call in calls if call <= now]  # who is dead does not make the calls that waited
            case _:
                ledger.slow(API, rate, Instant(now))
    calls.sort()
    for first, begin in enumerate(calls):
        for last in range(first, len(calls)):
            allowed = rate.burst + (calls[last] - begin) * rate.per_second
            assert last - first + 1 <= allowed + 1e-6 * (1 + allowed)


@given(rate=RATES, calls=st.integers(1, 60))
def test_calls_that_wait_go_one_after_the_other_at_the_rate(rate: Rate, calls: int) -> None:
    ledger = RateLedger()
    waits = [ledger.take(API, rate, Instant(0.0), FOREVER) for _ in range(calls)]
    assert waits == sorted(waits)
    waiting = [wait for wait in waits if wait > 0]
    assert all(after - before == pytest.approx(1 / rate.per_second) for before, after in pairwise(waiting))


def test_a_call_that_would_wait_too_long_takes_nothing() -> None:
    ledger, now = RateLedger(), Instant(0.0)
    for _ in range(6):
        assert ledger.take(API, RATE, now, 0.0) == 0.0
    for _ in range(100):
        assert ledger.take(API, RATE, now, 0.0) == 0.5
    assert ledger.take(API, RATE, Instant(0.5), 0.0) == 0.0


def test_a_call_that_takes_more_than_there_can_be_waits_for_a_full_bucket_and_leaves_a_debt() -> None:
    ledger, now = RateLedger(), Instant(0.0)
    assert ledger.take(API, RATE, now, FOREVER, tokens=10.0) == 0.0
    assert ledger.take(API, RATE, now, 0.0) == (4.0 + 1.0) / RATE.per_second
    assert ledger.take(API, RATE, Instant(2.0), FOREVER, tokens=10.0) == RATE.burst / RATE.per_second


def test_a_throttle_empties_the_bucket_and_halves_the_pace_until_it_has_grown_back() -> None:
    bucket = rates.slowed(rates.full(RATE, Instant(0.0)), RATE, Instant(0.0))
    assert (bucket.level, bucket.pace) == (0.0, 0.5)
    assert rates.wait_s(bucket, RATE) == 1.0
    assert rates.filled(bucket, RATE, Instant(60.0)).pace == pytest.approx(0.7)
    assert rates.filled(bucket, RATE, Instant(150.0)).pace == pytest.approx(1.0)


def test_calls_that_are_refused_together_slow_us_down_once() -> None:
    bucket = rates.full(RATE, Instant(0.0))
    for at in (0.0, 0.1, 0.9):
        bucket = rates.slowed(bucket, RATE, Instant(at))
    assert bucket.pace == pytest.approx(0.5, abs=0.01)
    assert rates.slowed(bucket, RATE, Instant(1.1)).pace == pytest.approx(0.25, abs=0.01)


@given(times=st.lists(st.floats(0.0, 100.0), min_size=1, max_size=50))
def test_however_often_it_is_throttled_a_call_goes_through_now_and_then(times: list[float]) -> None:
    bucket, now = rates.full(RATE, Instant(0.0)), 0.0
    for seconds in times:
        now += seconds
        bucket = rates.slowed(bucket, RATE, Instant(now))
    assert rates.SLOWEST <= bucket.pace < 1.0
    assert rates.wait_s(bucket, RATE) <= 1.0 / (RATE.per_second * rates.SLOWEST) + 1e-9


def test_an_endpoint_that_is_a_hundred_times_slower_than_was_thought_is_found_out() -> None:
    fast = rates.share_of(UNKNOWN, 0.6)
    bucket = rates.full(fast, Instant(0.0))
    for second in range(0, 60, 2):
        bucket = rates.slowed(bucket, fast, Instant(second))
    assert fast.per_second * bucket.pace < 10.0


def test_a_published_rate_never_falls_below_a_tenth() -> None:
    reads = rates.share_of(Rate(burst=200.0, per_second=20.0), SHARE)
    bucket = rates.full(reads, Instant(0.0))
    for second in range(0, 60, 2):
        bucket = rates.slowed(bucket, reads, Instant(second))
    assert bucket.pace == pytest.approx(0.1)


@given(rate=RATES, bucket=st.builds(Bucket, level=st.floats(-50, 1), at=st.just(Instant(0.0)), pace=st.floats(0.05, 1)))
def test_a_clock_that_is_set_back_gives_no_tokens(rate: Rate, bucket: Bucket) -> None:
    assert rates.filled(bucket, rate, Instant(-100.0)) == bucket


def test_what_was_learned_survives_the_conductor() -> None:
    store = MemoryStore()
    RateLedger(store).slow(API, RATE, Instant(10.0))
    assert RateLedger(store).take(API, RATE, Instant(10.0), FOREVER) > 1.0


def test_a_bucket_that_was_kept_by_a_clock_that_was_ahead_fills_from_now_on() -> None:
    store = MemoryStore()
    ahead = RateLedger(store)
    for _ in range(int(RATE.burst)):
        ahead.take(API, RATE, Instant(1e6), FOREVER)
    ledger = RateLedger(store)
    waits = ledger.take(API, RATE, Instant(10.0), 0.0)
    assert waits > 0.0
    assert ledger.take(API, RATE, Instant(10.0 + waits + 1e-6), 0.0) == 0.0


def test_not_every_call_is_a_write() -> None:
    store, rate = CountingStore(), Rate(burst=40.0, per_second=1.0)
    ledger = RateLedger(store)
    for _ in range(40):
        ledger.take(API, rate, Instant(0.0), FOREVER)
    assert 3 <= store.commits <= 5


def test_a_full_disk_does_not_stop_calls_and_is_written_when_it_can_be() -> None:
    store = CountingStore()
    ledger = RateLedger(store)
    store.is_full = True
    assert ledger.take(API, RATE, Instant(0.0), 0.0) == 0.0
    assert store.rates() == {}
    store.is_full = False
    assert ledger.take(API, RATE, Instant(0.0), 0.0) == 0.0
    assert store.rates()[API].level < RATE.burst - 1


class SlowStore(MemoryStore):
    """Holds up the commits of one API until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.held: Api | None = None
        self.has_begun = threading.Event()
        self.goes_on = threading.Event()
        self.commits = 0

    def commit(self, changes: Sequence[StoreChange]) -> None:
        [change] = changes
        assert isinstance(change, SaveRates)
        self.commits += 1
        if self.held in change.buckets:
            self.has_begun.set()
            self.goes_on.wait()
        super().commit(changes)


def begun(function: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=function)
    thread.start()
    return thread


def test_a_slow_disk_holds_up_no_call_of_another_api() -> None:
    store, other = SlowStore(), Api(partition=HOME, name="ec2:CreateSubnet")
    store.held = API
    ledger = RateLedger(store)
    writer = begun(lambda: ledger.take(API, RATE, Instant(0.0), FOREVER))
    store.has_begun.wait()
    for _ in range(10):
        ledger.take(other, RATE, Instant(0.0), FOREVER)
    ledger.slow(other, RATE, Instant(0.0))
    assert writer.is_alive()
    store.goes_on.set()
    writer.join()
    assert store.rates()[API].level < RATE.burst


def test_a_slow_disk_holds_up_no_call_that_what_is_written_covers() -> None:
    store, rate = SlowStore(), Rate(burst=40.0, per_second=1.0)
    ledger = RateLedger(store)
    for _ in range(8):  # the first write leaves ten calls, and the ninth call writes ahead
        ledger.take(API, rate, Instant(0.0), FOREVER)
    assert store.commits == 1
    store.held = API
    writer = begun(lambda: ledger.take(API, rate, Instant(0.0), FOREVER))
    store.has_begun.wait()
    ledger.take(API, rate, Instant(0.0), FOREVER)
    assert writer.is_alive()
    store.goes_on.set()
    writer.join()
    assert store.rates()[API].level == 40.0 - 9 - 10


def test_a_call_that_nothing_written_covers_waits_for_the_write_and_one_writes_for_all() -> None:
    store, rate = SlowStore(), Rate(burst=40.0, per_second=1.0)
    store.held = API
    ledger = RateLedger(store)
    done: list[float] = []
    threads = [begun(lambda: done.append(ledger.take(API, rate, Instant(0.0), FOREVER))) for _ in range(20)]
    store.has_begun.wait()
    assert done == []
    store.goes_on.set()
    for thread in threads:
        thread.join()
    assert len(done) == 20
    assert store.commits <= 20
    assert store.rates()[API].level <= 40.0 - 20


def test_no_call_goes_before_what_is_written_says_so_however_many_threads_there_are() -> None:
    """Each call that was let go is taken off what a Conductor would believe that started at this moment."""
    store, rate = MemoryStore(), Rate(burst=64.0, per_second=1.0)
    ledger, guard, gone, promised = RateLedger(store), threading.Lock(), 0, []

    def call() -> None:
        nonlocal gone
        for _ in range(40):
            ledger.take(API, rate, Instant(0.0), FOREVER)
            with guard:
                gone += 1
                promised.append(store.rates()[API].level - (rate.burst - gone))

    threads = [begun(call) for _ in range(8)]
    for thread in threads:
        thread.join()
    assert len(promised) == 320
    assert max(promised) <= 0.0


def test_a_write_that_fails_lets_those_who_wait_for_it_go_on() -> None:
    class Failing(SlowStore):
        def commit(self, changes: Sequence[StoreChange]) -> None:
            super().commit(changes)
            raise StoreUnavailableError("the disk is full")

    store = Failing()
    store.held = API
    ledger = RateLedger(store)
    threads = [begun(lambda: ledger.take(API, RATE, Instant(0.0), FOREVER)) for _ in range(4)]
    store.has_begun.wait()
    store.goes_on.set()
    for thread in threads:
        thread.join()
    assert 1 <= store.commits <= 4


def test_each_operation_of_ec2_has_its_bucket_and_iam_has_one_for_all_regions() -> None:
    there = Partition(account="default", region="eu-west-1")
    assert api_of(HOME, "ec2", "CreateVpc") != api_of(HOME, "ec2", "CreateSubnet")
    assert api_of(HOME, "ec2", "CreateVpc") != api_of(there, "ec2", "CreateVpc")
    assert api_of(HOME, "iam", "CreateRole") == api_of(there, "iam", "DeleteRole")
    assert api_of(HOME, "iam", "CreateRole") != api_of(HOME, "iam", "GetRole")


def test_what_is_asked_for_by_id_takes_from_the_smaller_bucket_that_ec2_has_for_it() -> None:
    asked = [
        tokens_of(HOME, "ec2", operation, parameters)[0]
        for operation, parameters in (
            ("DescribeInstances", {"MaxResults": 1000}),
            ("DescribeInstances", {"InstanceIds": ["i-1"], "Filters": []}),
            ("DescribeInstances", {"InstanceIds": ["i-1"]}),
            ("DescribeVpcs", {"VpcIds": ["vpc-1"]}),
        )
    ]
    assert [(rate.burst, rate.per_second) for _, rate, _ in asked] == [(100, 20), (100, 20), (50, 10), (100, 20)]
    assert len({api for api, _, _ in asked}) == 3


def test_others_in_the_account_keep_their_share_and_an_emulator_is_not_taken_for_aws() -> None:
    published = rate_of("ec2", "CreateNatGateway")
    ours = RateLedger().rate(published, is_amazon=True)
    assert (ours.burst, ours.per_second) == (10.0 * SHARE, 1.0 * SHARE)
    assert RateLedger().rate(published, is_amazon=False) == UNKNOWN
    assert RateLedger(share=0.5).rate(published, is_amazon=False).per_second == 0.5
    assert RateLedger(share=0.1).rate(rate_of("ec2", "CreateVpcEndpoint"), is_amazon=True).burst == 1.0
