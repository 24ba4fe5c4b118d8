"""The throughput of a DynamoDB table and of its global indexes: provisioned, limited on demand, and warm.

A limit on demand is taken away by the number -1, which DynamoDB shows from then on; here there is none then. Every
table and every index has a warm throughput, whether one is declared or not: DynamoDB raises it by itself and lowers it
never. So it is compared only where it is declared, and as much as is declared is the least.
"""

from collections.abc import Mapping

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.kind import Work

PROVISIONED = "ProvisionedThroughput"
LIMITS = "OnDemandThroughput"
WARM = "WarmThroughput"
INDEXES = "GlobalSecondaryIndexes"
_CAPACITY = ("ReadCapacityUnits", "WriteCapacityUnits")
_LIMITED = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
_WARMED = ("ReadUnitsPerSecond", "WriteUnitsPerSecond")
_WITHOUT_LIMIT = -1
RULES: Mapping[str, Rule] = {
    f"{path}.{name}": Comparison.LEAST for path in (WARM, f"{INDEXES}.{WARM}") for name in _WARMED
}
DEFAULTS: JsonMap = {LIMITS: None, **{f"{LIMITS}.{name}": None for name in _LIMITED}}


def shown(owner: JsonMap, billing: str) -> dict[str, Json]:
    """The throughput in the description of a table or an index."""
    warm = {name: value for name in _WARMED if (value := (owner.get(WARM) or {}).get(name)) is not None}
    found: dict[str, Json] = {WARM: warm} if warm else {}
    if billing == "PROVISIONED":
        capacity = owner.get(PROVISIONED) or {}
        return {**found, PROVISIONED: {name: capacity.get(name) for name in _CAPACITY}}
    limits = owner.get(LIMITS) or {}
    limited = {name: limits[name] for name in _LIMITED if limits.get(name, _WITHOUT_LIMIT) != _WITHOUT_LIMIT}
    return {**found, LIMITS: limited} if limited else found


def at_birth(owner: JsonMap) -> dict[str, Json]:
    """The throughput that is declared of a new table or index, without values that were declared once and are taken
    out.
    """
    said = {name: owner[name] for name in (PROVISIONED, LIMITS, WARM) if owner.get(name) is not None}
    members = {name: {key: one for key, one in value.items() if one is not None} for name, value in said.items()}
    return {name: value for name, value in members.items() if value}


def changed(wanted: JsonMap, present: JsonMap) -> dict[str, Json]:
    """The throughput of an index that has to change. DynamoDB refuses a value that is in place already."""
    is_other = PROVISIONED in wanted and not means_same(wanted[PROVISIONED], present.get(PROVISIONED), {})
    capacity = {PROVISIONED: wanted[PROVISIONED]} if is_other else {}
    return {**capacity, **_limits(wanted, present), **_warmth(wanted, present)}


def limits(work: Work) -> dict[str, Json]:
    return _limits({LIMITS: work.want(LIMITS)}, {LIMITS: work.seen(LIMITS)})


def warmth(work: Work) -> dict[str, Json]:
    return _warmth({WARM: work.want(WARM)}, {WARM: work.seen(WARM)})


def is_warming(table: JsonMap) -> bool:
    """Whether the warm throughput of a table is being raised; that of an index is a status of the index."""
    return (table.get(WARM) or {}).get("Status") == "UPDATING"


def _limits(wanted: JsonMap, present: JsonMap) -> dict[str, Json]:
    """The limits that differ. A limit that was taken out, or each one when all were, is set to no limit."""
    if LIMITS not in wanted:
        return {}
    asked, there = wanted[LIMITS], present.get(LIMITS) or {}
    named = dict.fromkeys(there) if asked is None else asked
    found = {
        name: _WITHOUT_LIMIT if named[name] is None else named[name]
        for name in _LIMITED
        if name in named and not means_same(named[name], there.get(name), {})
    }
    return {LIMITS: found} if found else {}


def _warmth(wanted: JsonMap, present: JsonMap) -> dict[str, Json]:
    asked, there = wanted.get(WARM) or {}, present.get(WARM) or {}
    found = {
        name: asked[name]
        for name in _WARMED
        if asked.get(name) is not None and not means_same(asked[name], there.get(name), {name: Comparison.LEAST}, name)
    }
    return {WARM: found} if found else {}
