"""The rate ledger and the age of sweeps, for people: the allowed rate of each API, and the age of the observations."""

from collections.abc import Callable, Iterable, Mapping

from tenuto.core.pacing.rates import filled
from tenuto.model.ids import Instant, JsonMap, TypeName
from tenuto.model.rate import Api, ApiCall, Bucket, Rate
from tenuto.model.resource import ResourceType
from tenuto.ports.sights import SweepRecord
from tenuto.service.common.values import time_text


def rates_document(
    rates: Mapping[Api, Bucket],
    types: Mapping[TypeName, ResourceType],
    now: Instant,
    is_seen: Callable[[str], bool],
) -> JsonMap:
    """The buckets, the slowest pace first. `level` and `burst` are calls; `burst` is null where no type tells it."""
    known = _known_rates(types)
    rows = []
    for api, bucket in rates.items():
        if not is_seen(api.partition.account):
            continue
        rate = known.get(api.name)
        shown = filled(bucket, rate, now) if rate else bucket
        rows.append(
            {
                "api": api.name,
                "account": api.partition.account,
                "region": api.partition.region,
                "level": round(shown.level, 1),
                "burst": rate.burst if rate else None,
                "per_second": rate.per_second if rate else None,
                "pace": round(shown.pace, 3),
                "slowed_at": time_text(bucket.slowed_at),
                "at": time_text(bucket.at),
            }
        )
    rows.sort(key=lambda row: (row["pace"], row["account"], row["region"], row["api"]))
    return {"as_of": time_text(now), "rates": rows}


def sweeps_document(sweeps: Iterable[SweepRecord], now: Instant, is_seen: Callable[[str], bool]) -> JsonMap:
    """The last sweep of each source: the idle ones last, of the others the failed ones and then the oldest first."""
    rows = [
        {
            "provider": one.provider,
            "account": one.partition.account,
            "region": one.partition.region,
            "source": one.source,
            "things": one.things,
            "at": time_text(one.at),
            "age_s": None if one.at is None else round(max(0.0, now - one.at), 1),
            "failure": one.failure or None,
            "failed_at": time_text(one.failed_at),
            "is_idle": one.is_idle,
        }
        for one in sweeps
        if is_seen(one.partition.account)
    ]
    rows.sort(key=_need)
    return {"as_of": time_text(now), "sweeps": rows}


def _need(row: JsonMap) -> tuple[bool, bool, str, str, str, str]:
    where = (row["account"], row["region"], row["source"])
    return (row["is_idle"], row["failure"] is None, row["at"] or "", *where)


def _known_rates(types: Mapping[TypeName, ResourceType]) -> dict[str, Rate]:
    found: dict[str, Rate] = {}
    for name in types:
        calls = types[name].calls
        listed: list[ApiCall] = [*calls.create, *calls.delete, *calls.modify, *calls.adopt, *calls.release]
        listed += [call for group in calls.changes.values() for call in group]
        listed += [call for one in calls.members.values() for call in (*one.put, *one.drop, *one.clear, *one.retell)]
        found.update((call.api, call.rate) for call in listed)
    return found
