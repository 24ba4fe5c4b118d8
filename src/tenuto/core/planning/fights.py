"""Two writers of one property: when to stop setting it back (DECISIONS 27).

Theory of operation. Drift is corrected, and another writer, who does not know of it, sets it back: an autoscaler,
another tool, a person with a script. Both are right in their own eyes, so they would take turns for ever. Each time
the same two values change places counts as a flip. After more than a few flips within a window the resource is *held*:
its drift is seen and told, and not corrected, while everything else goes on. A writer that sets another value each time
(again an autoscaler) is given twice as many turns, so that accidents that happen to hit one property are healed.

Only turns count. The same drift that is planned twice because the first plan never got to it is one flip: between two
flips we must have touched the resource.

A turn needs two. When the value was never seen as declared since we set it, no one set it back: the provider accepted
the change, and does not keep it. After the second such try the *property* is left as it is shown, for a reason of its
own; every other drift of the resource is corrected.

A hold ends when a user says `retry` (or `resume`), when something else is declared, or when the property is found as
declared. Another value than the one that was found at first does not end it, unless the provider did not keep the
declared one: then a third value is the work of another hand.

A message shows long values without their common part (`apart`): it is short, and tells where they differ.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tenuto.core.language.expressions import is_list
from tenuto.kit.times import iso_text
from tenuto.model.command import Command
from tenuto.model.delta import DeltaKind, Difference, Unknown
from tenuto.model.flip import EXISTENCE, Flip
from tenuto.model.ids import Instant, Json, LogicalId
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import HoldPolicy

_ANY_VALUE = 2
"""The factor of the limit where the other writer sets another value each time."""
MOST_TRIES = 2
"""The number of times that a change is made that the provider accepts and does not keep: the second repairs a change
that was lost to a race between two changes."""
_LONGEST = 120
"""Letters of a value in a message: the plan shows the whole."""
_REMEMBERED = 4_000
"""Letters of a value that are kept to tell another wish from the same one, and the parts that differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The flips to remember of an address from now on, and those that hold it."""

    saved: tuple[Flip, ...] = ()
    removed: tuple[tuple[LogicalId, str], ...] = ()
    held: tuple[Flip, ...] = ()


def judge(
    difference: Difference,
    found: ManagedObject,
    known: Iterable[Flip],
    policy: HoldPolicy,
    now: Instant,
    *,
    is_drift: bool,
) -> Judgement:
    """Judge one difference. `known` are the flips that are remembered of its address.

    A difference that is not drift (another wish, an address as declared) ends all remembered flips.
    """
    before = {flip.path: flip for flip in known}
    if not is_drift:
        return Judgement(removed=tuple(flip.key for flip in before.values()))
    seen = {flip.path: flip for flip in _seen(difference, now)}
    after = {path: _counted(before.get(path), flip, found, policy, now) for path, flip in seen.items()}
    return Judgement(
        saved=tuple(flip for path, flip in after.items() if flip != before.get(path)),
        removed=tuple(flip.key for path, flip in before.items() if path not in after and _is_over(flip, policy, now)),
        held=tuple(flip for flip in after.values() if flip.held_at is not None),
    )


def ended(known: Iterable[Flip]) -> tuple[tuple[LogicalId, str], ...]:
    """The holds of an address that is as declared: they are over. Flips below the limit are still counted."""
    return tuple(flip.key for flip in known if flip.held_at is not None)


def confirmed(known: Iterable[Flip]) -> tuple[Flip, ...]:
    """The flips of an address that was seen as declared: a change from now on is the work of another writer."""
    return tuple(
        replace(flip, is_confirmed=True, ignored=0) for flip in known if flip.held_at is None and not flip.is_confirmed
    )


def is_forgiven(flip: Flip, process: Process) -> bool:
    """Whether a resource that is held as fought over is corrected again: its owner has said `resume`."""
    return flip.held_at is not None and process.intent.waiting is Command.RESUME


def is_ignored(flip: Flip) -> bool:
    """Whether the flip is held because the provider accepts the value and does not keep it."""
    return flip.ignored >= MOST_TRIES


def split_off(difference: Difference, held: Iterable[Flip]) -> tuple[Difference, Difference | None]:
    """A difference in two: the held changes, and the rest; None where there is no rest."""
    paths = {flip.path for flip in held}
    left = tuple(change for change in difference.changes if change.path in paths)
    rest = tuple(change for change in difference.changes if change.path not in paths)
    return replace(difference, changes=left), replace(difference, changes=rest) if rest else None


def held_message(process: Process, held: Iterable[Flip]) -> str:
    """The message of a hold: the values that were seen, and the next step."""
    told = [_of_ignored(flip) if is_ignored(flip) else _told(flip) for flip in held]
    return f"{'; '.join(told)}. Not corrected any more: {_advice(process, held)}"


def by_address(flips: Iterable[Flip]) -> Mapping[LogicalId, tuple[Flip, ...]]:
    found: dict[LogicalId, tuple[Flip, ...]] = {}
    for flip in flips:
        found[flip.logical_id] = (*found.get(flip.logical_id, ()), flip)
    return found


def _seen(difference: Difference, now: Instant) -> Iterable[Flip]:
    if difference.kind is DeltaKind.VANISHED:
        yield _flip(difference.logical_id, EXISTENCE, "gone", "there", now)
    for change in difference.changes:
        if not isinstance(change.after, Unknown):
            before = change.before if change.has_before else None
            yield _flip(difference.logical_id, change.path, before, change.after, now)


def _flip(logical_id: LogicalId, path: str, found: Json, declared: Json, now: Instant) -> Flip:
    texts = [_text(value) for value in (found, declared)]
    return Flip(
        logical_id=logical_id,
        path=path,
        found=_short(texts[0], _REMEMBERED),
        declared=_short(texts[1], _REMEMBERED),
        digest=hashlib.sha256("\n".join(texts).encode()).hexdigest(),
        times=(now,),
        turns=(now,),
        since=now,
        count=1,
    )


def _counted(before: Flip | None, seen: Flip, found: ManagedObject, policy: HoldPolicy, now: Instant) -> Flip:
    """The flip with this sighting, which counts only when we have set it back since the last one."""
    if before is None or before.declared != seen.declared:
        return seen
    before_turns = before.turns or before.times
    is_same = before.digest == seen.digest
    if before.held_at is not None and is_ignored(before) and not is_same:
        return seen
    if before.held_at is not None or found.touched_at < before_turns[-1]:
        return before
    if not before.is_confirmed and seen.path != EXISTENCE:
        return _unproven(before, seen, now)
    times = _recent(before.times if is_same else (), policy.flips, policy, now)
    turns = _recent(before_turns, _ANY_VALUE * policy.flips, policy, now)
    if len(turns) == 1:
        return seen
    is_held = policy.flips > 0 and (len(times) > policy.flips or len(turns) > _ANY_VALUE * policy.flips)
    return replace(
        seen, times=times, turns=turns, count=before.count + 1, since=before.since, held_at=now if is_held else None
    )


def _unproven(before: Flip, seen: Flip, now: Instant) -> Flip:
    """The flip of a change that was made and never seen. A provider may show another value each time."""
    ignored = before.ignored + 1
    return replace(
        before,
        found=seen.found,
        digest=seen.digest,
        times=(*before.times[:-1], now),
        turns=(*before.turns[:-1], now),
        ignored=ignored,
        held_at=now if ignored >= MOST_TRIES else None,
    )


def _recent(times: tuple[Instant, ...], most: int, policy: HoldPolicy, now: Instant) -> tuple[Instant, ...]:
    """The latest of these moments within the window, and now."""
    recent = [time for time in times if now - time <= policy.flip_window_s]
    return (*recent[max(0, len(recent) - most) :], now)


def _is_over(flip: Flip, policy: HoldPolicy, now: Instant) -> bool:
    """Whether one that is not seen now need not be remembered: it was held, or is long past."""
    return flip.held_at is not None or now - (flip.turns or flip.times)[-1] > policy.flip_window_s


def _told(flip: Flip) -> str:
    since = f"since {iso_text(flip.since)}"
    if flip.path == EXISTENCE:
        return f"{flip.logical_id} vanished {flip.count} times {since}, and was made again each time but the last"
    is_same = flip.times == flip.turns
    shown, declared = _differing(flip)
    found = f"as {shown} {flip.count} times" if is_same else f"otherwise {flip.count} times, last as {shown},"
    return f"{flip.logical_id}.{flip.path} was found {found} {since}, and set back to {declared} each time but the last"


def _of_ignored(flip: Flip) -> str:
    shown, declared = _differing(flip)
    property_name = f"{flip.logical_id}.{flip.path}"
    times = f"it accepted this {flip.ignored} times, and still shows {shown}"
    return f"The provider does not keep {property_name} = {declared}: {times}"


def _differing(flip: Flip) -> tuple[str, str]:
    """Return the found and the declared value, for people: of long values only the part in which they differ."""
    if max(len(flip.found), len(flip.declared)) > _LONGEST:
        try:
            values = apart(json.loads(flip.found), json.loads(flip.declared))
        except ValueError:
            # A value was too long to be remembered whole.
            return _short(flip.found, _LONGEST), _short(flip.declared, _LONGEST)
        found, declared = (_short(_text(value), _LONGEST) for value in values)
        return found, declared
    return _named(flip.found), _named(flip.declared)


def _named(text: str) -> str:
    """A value of JSON as people say it."""
    return "nothing" if text == "null" else text


def _advice(process: Process, held: Iterable[Flip]) -> str:
    name = process.alias or process.fid
    paths = sorted({flip.path for flip in held if flip.path != EXISTENCE})
    addresses = " ".join(sorted({flip.logical_id for flip in held}))
    are_ignored = all(is_ignored(flip) for flip in held)
    ways = [
        f"declare what it shows ('tenuto update {name} FILE')"
        if are_ignored
        else "find who else does this, or declare what they want"
    ]
    if paths:
        whom = "as it is" if are_ignored else "to them"
        ways.append(f"leave it {whom} with 'Metadata: {{Tenuto: {{ignore: [{', '.join(paths)}]}}}}'")
    return f"{'; or '.join(ways)}. 'tenuto retry {name} {addresses}' corrects it again."


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


_NAMES = ("Id", "Key", "Name", "Sid")
"""Members that tell which item of a list it is: kept, although they are equal."""


def apart(one: Json, other: Json) -> tuple[Json, Json]:
    """Return both values without equal members and items, at every depth. The rest of equal values means nothing."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return _mappings(one, other)
    if is_list(one) and is_list(other):
        return _lists(one, other)
    return one, other


def _mappings(one: Mapping[str, Json], other: Mapping[str, Json]) -> tuple[Json, Json]:
    left: dict[str, Json] = {}
    right: dict[str, Json] = {}
    for key in sorted({*one, *other}):
        if key in one and key in other:
            if one[key] == other[key]:
                if key in _NAMES:
                    left[key] = right[key] = one[key]
                continue
            left[key], right[key] = apart(one[key], other[key])
        elif key in one:
            left[key] = one[key]
        else:
            right[key] = other[key]
    return left, right


def _lists(one: Sequence[Json], other: Sequence[Json]) -> tuple[Json, Json]:
    left = [item for item in one if item not in other]
    right = [item for item in other if item not in one]
    if len(left) != len(right) or not left:
        # Of lists in another order, or with repeats, nothing can be left out.
        return (left, right) if left or right else (list(one), list(other))
    pairs = [apart(*pair) for pair in zip(left, right, strict=True)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
