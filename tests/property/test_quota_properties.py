"""The quota of a caller over any sequence of requests and pauses."""

from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.pacing.quotas import (
    DEFAULT_QUOTAS,
    asked,
    forgettable,
    network_of,
    parse_quotas,
    quotas_text,
    rate_of,
    retry_after,
)
from tenuto.model.ids import Instant
from tenuto.model.quotas import Quota
from tenuto.model.rate import Bucket

PAUSES = st.lists(st.floats(0, 30, allow_nan=False), max_size=120)
PER_SECOND = st.floats(0.1, 200)
ROUNDING = 1e-6


@given(PAUSES, PER_SECOND)
def test_no_window_of_time_admits_more_than_the_burst_and_the_rate(pauses: list[float], per_second: float) -> None:
    rate, bucket, now, admitted = rate_of(per_second), None, 0.0, []
    for pause in pauses:
        now += pause
        answer = asked(bucket, rate, Instant(now))
        bucket = answer.bucket
        if answer.wait_s == 0:
            admitted.append(now)
    for first, begin in enumerate(admitted):
        for last in range(first, len(admitted)):
            assert last - first + 1 <= rate.burst + (admitted[last] - begin) * per_second + ROUNDING


@given(PAUSES, PER_SECOND)
def test_one_who_waits_as_told_is_admitted(pauses: list[float], per_second: float) -> None:
    rate, bucket, now = rate_of(per_second), None, 0.0
    for pause in pauses:
        now += pause
        answer = asked(bucket, rate, Instant(now))
        if answer.wait_s > 0:
            now += retry_after(answer.wait_s) + ROUNDING
            again = asked(answer.bucket, rate, Instant(now))
            assert again.wait_s == 0
            answer = again
        bucket = answer.bucket


@given(PAUSES, PER_SECOND)
def test_a_refusal_takes_nothing(pauses: list[float], per_second: float) -> None:
    """A caller who knocks all the time is admitted as often as one who comes only when there is a token."""
    rate, now = rate_of(per_second), 0.0
    bucket: Bucket | None = None
    for pause in [0.0] * (int(rate.burst) + 1) + pauses:
        now += pause
        answer = asked(bucket, rate, Instant(now))
        if answer.wait_s > 0:
            assert answer.bucket.level >= 0
        bucket = answer.bucket


@given(st.floats(0, 100), st.floats(0, 100))
def test_a_clock_that_goes_back_gives_no_token(before: float, back: float) -> None:
    rate = rate_of(1.0)
    bucket = Bucket(level=0.0, at=Instant(before + back))
    assert asked(bucket, rate, Instant(before)).wait_s > 0


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=4), st.floats(0, 40), max_size=60),
    st.floats(0, 60),
    st.integers(0, 50),
)
def test_what_is_forgotten_is_full_or_fuller_than_what_stays(levels: dict[str, float], pause: float, most: int) -> None:
    rate = rate_of(10.0)
    buckets = {name: Bucket(level=level, at=Instant(0.0)) for name, level in levels.items()}
    gone = forgettable(buckets, rate, Instant(pause), most)
    stay = [name for name in buckets if name not in gone]
    assert len(stay) <= most
    now = {name: min(rate.burst, level + pause * rate.per_second) for name, level in levels.items()}
    assert all(now[name] < rate.burst for name in stay)
    if stay and len(stay) < len(buckets):
        assert max(now[name] for name in stay) <= min(now[name] for name in gone) + ROUNDING


@given(st.fixed_dictionaries({name: st.one_of(st.none(), st.integers(1, 10**6)) for name in DEFAULT_QUOTAS}))
def test_what_a_person_gives_is_what_is_told(quotas: dict[Quota, int | None]) -> None:
    told = quotas_text(quotas)
    assert parse_quotas(told) == quotas


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_all_addresses_of_one_network_count_together(host: int, other: int) -> None:
    def address(rest: int) -> str:
        text = f"{rest:016x}"
        return "2001:db8:1:2:" + ":".join(text[at : at + 4] for at in range(0, 16, 4))

    assert network_of(address(host)) == network_of(address(other)) == "2001:db8:1:2::/64"
    assert network_of("::ffff:10.0.0.1") == network_of("10.0.0.1") == "10.0.0.1"
    assert network_of("fe80::1%eth0") == "fe80::/64"
    assert network_of("unknown") == "unknown"
