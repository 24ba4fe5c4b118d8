"""Retention: how long history is kept by default, how a person sets it, and since when the history is complete.

Each kind is bounded twice. The age is what people ask for ("what happened last month"); the number bounds the file in
every case, even with a property that two writers fight about, or a user who is denied six commands a second.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from tenuto.kit.nearest import perhaps
from tenuto.model.clock import ClockStep
from tenuto.model.ids import Instant
from tenuto.model.retention import KeepRule, KeepRules, Remnant, Tally

DAY_S = 86_400.0
CLEANER_DELAY_S = 3600.0
"""A final object is kept for an hour (DECISIONS 12): for that long `status` shows the end of its resource."""

DEFAULT_KEPT: KeepRules = {
    # No one asks who was refused a year ago, and a caller without any right must not fill the disk: 3 MB.
    Remnant.DENIED: KeepRule(seconds=90 * DAY_S, most=10_000),
    # A quarter of a year, since audits go by quarters. A million take 300 MB, and are 10,000 a day.
    Remnant.EVENT: KeepRule(seconds=90 * DAY_S, most=1_000_000),
    Remnant.OP: KeepRule(seconds=90 * DAY_S, most=1_000_000),
    # People and scripts give them; they are the first thing that an auditor asks for.
    Remnant.COMMAND: KeepRule(seconds=400 * DAY_S, most=100_000),
    Remnant.JOB: KeepRule(seconds=90 * DAY_S, most=500_000),
    Remnant.DRY_RUN: KeepRule(seconds=30 * DAY_S, most=10_000),
    # The largest rows: up to megabytes each. The job of a plan tells what was done for longer.
    Remnant.PLAN: KeepRule(seconds=30 * DAY_S, most=50_000),
    Remnant.OBJECT: KeepRule(seconds=CLEANER_DELAY_S),
    Remnant.PROCESS: KeepRule(seconds=90 * DAY_S),
    Remnant.COMPOSITION: KeepRule(),
}

HOLD_S = DAY_S
"""The longest time for which removal by age waits after the clock went forward: a working day and a night, in which a
person reads the log, or sees the wrong time. Nothing is lost when it is longer; all is kept for so much longer."""
_LEAST_STEP_S = 60.0
"""Smaller steps are left alone: no round of the cleaner comes within a minute of a start, and no age is shorter."""

HISTORY = (Remnant.COMMAND, Remnant.JOB, Remnant.DRY_RUN, Remnant.OP, Remnant.EVENT, Remnant.DENIED)
"""The kinds that record past events and acts."""

NO_LIMIT = "all"
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": DAY_S}
_SETTABLE = tuple(kind for kind in Remnant if kind is not Remnant.COMPOSITION)
_EXPECTED = f"expected KIND=LIMITS, such as events=30d, plans=7d,1000 or denied={NO_LIMIT}"


def parse_rules(lines: Iterable[str], before: KeepRules = DEFAULT_KEPT) -> KeepRules:
    """The rules with those of `KIND=LIMITS` lines in their place. LIMITS are an age, a number, or both, with a comma; a
    limit that is not given stays, and `all` is no limit at all. Raises ValueError.
    """
    rules = dict(before)
    for line in lines:
        name, separator, limits = line.strip().partition("=")
        if not separator:
            raise ValueError(_EXPECTED)
        if name not in set(_SETTABLE):
            raise ValueError(f"there is no kind {name!r}{perhaps(name, _SETTABLE)}; there are {', '.join(_SETTABLE)}")
        rules[Remnant(name)] = _with_limits(rules[Remnant(name)], limits)
    return rules


def _with_limits(rule: KeepRule, limits: str) -> KeepRule:
    if limits == NO_LIMIT:
        return KeepRule()
    parts = limits.split(",")
    if len(parts) > 2:
        raise ValueError(_EXPECTED)
    seconds, most = rule.seconds, rule.most
    for part in parts:
        if re.fullmatch(r"[0-9]{1,9}", part):
            most = int(part)
        elif age := re.fullmatch(r"([0-9]{1,9})([smhd])", part):
            seconds = int(age[1]) * _UNITS[age[2]]
        else:
            raise ValueError(_EXPECTED)
    return KeepRule(seconds=seconds, most=most)


def rules_text(rules: KeepRules) -> tuple[str, ...]:
    """The rules as `parse_rules` reads them, one for each kind."""
    return tuple(f"{kind}={limits_text(rules.get(kind, KeepRule()))}" for kind in _SETTABLE)


def limits_text(rule: KeepRule) -> str:
    """One rule as a person gives it."""
    parts = [] if rule.seconds is None else [_age_text(rule.seconds)]
    parts += [] if rule.most is None else [str(rule.most)]
    return ",".join(parts) or NO_LIMIT


def _age_text(seconds: float) -> str:
    for unit, factor in reversed(_UNITS.items()):
        if seconds and seconds % factor == 0:
            return f"{seconds / factor:.0f}{unit}"
    return f"{seconds:.0f}s"


def held_until(now: Instant, *, step: ClockStep | None, absent_s: float, before: Instant) -> Instant:
    """The moment until which no row may be removed for its age, at a start; now or earlier for no such wait.

    A clock that is wrongly ahead makes young rows look old, and a removal cannot be taken back. A known step forward
    is waited out: after that no row goes before its age has really passed, or by a day early at most. Without a known
    step, `absent_s` are the seconds since anything was last written, by the present clock: more than a day may be a
    long absence or a wrong clock. `before` is the end of the wait that the last Conductor knew. It may have been
    written by a clock that was ahead, so it counts for a day at most.
    """
    forward_s = step.seconds if step is not None else absent_s if absent_s > HOLD_S else 0.0
    new_s = min(forward_s, HOLD_S) if forward_s >= _LEAST_STEP_S else 0.0
    return Instant(max(now + new_s, min(before, now + HOLD_S)))


def complete_since(
    tallies: Mapping[Remnant, Tally], kinds: Sequence[Remnant], start: Instant | None, born_at: Instant | None
) -> Instant | None:
    """The moment after which everything of these kinds is kept, when a question goes further back; else None.

    `born_at` is the moment at which the subject of the question began, so that nothing older of it was removed.
    """
    floors = [found.removed_until for kind in kinds if (found := tallies.get(kind)) and found.removed_until is not None]
    floor = max(floors, default=None)
    if floor is None or (start is not None and start > floor) or (born_at is not None and born_at > floor):
        return None
    return floor
