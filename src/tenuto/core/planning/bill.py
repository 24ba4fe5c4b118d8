"""The bill of a plan: calls per API, and the least time that they can take.

A plan that makes a hundred things takes five minutes, however fast the Conductor is, where the provider gives out three
calls in ten seconds. A reader of the plan should know that before, and not wonder afterwards. The bill counts the calls
that the types name; looks are not on it, since they are shared by all and would be made anyway. It is a lower bound: a
call that has to be repeated, or one that only turns out to be needed, is not on it either. A list of members whose new
value is only known once another operation is done counts as one call, and its line says that there may be more.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from tenuto.core.pacing import rates
from tenuto.core.planning.comparing.deletion_policy import POLICY_PATH
from tenuto.model.delta import Change, Unknown
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.plan import Plan, Step, StepKind
from tenuto.model.rate import ApiCall, Bill, BillLine, Calls, MemberCalls, Rate
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.model.verb import Verb


def bill_of(plan: Plan, types: Mapping[TypeName, ResourceType], objects: Iterable[ManagedObject] = ()) -> Bill:
    """The bill of a plan. Resources of a type that is not known, or that names no calls, are not on it.

    `objects` are those of the process: the things that hang on a resource must go before it, and an object that was
    never made goes without a call.
    """
    objects = tuple(objects)
    changes = {one.object_id: one.changes for one in plan.operations}
    verbs = {one.object_id: one.verb for one in plan.operations}
    unmade = {one.object_id for one in objects if one.physical_id is None}
    standing = {one.object_id: one.desired for one in objects}
    resources: dict[ApiCall, int] = defaultdict(int)
    uncounted: set[tuple[str, Rate]] = set()
    for step in plan.steps:
        known = types.get(step.type)
        if known is not None and not (step.object_id in unmade and _leaves(step, verbs.get(step.object_id))):
            desired = standing.get(step.object_id, {})
            if step.kind is StepKind.RETRY:
                calls = _calls_of_retry(verbs[step.object_id], desired, known.calls)
            else:
                calls = _calls_of(step, known.calls, changes.get(step.object_id, ()), desired)
            for call in calls:
                resources[call] += 1
            if step.kind is StepKind.CHANGE:
                for some in _unknown_members(changes.get(step.object_id, ()), known.calls):
                    uncounted.update((call.api, call.rate) for call in some.put + some.drop)
    counts: dict[tuple[str, Rate], int] = defaultdict(int)
    longest: dict[tuple[str, Rate], float] = defaultdict(float)
    for call, served in resources.items():
        api = (call.api, call.rate)
        counts[api] += -(-served // call.serves)
        each_s = rates.least_s(served, call.each) if call.each else 0.0
        longest[api] = max(longest[api], each_s, rates.least_s(counts[api], call.rate))
    lines = (
        BillLine(api=api[0], calls=count, least_s=longest[api], or_more=api in uncounted)
        for api, count in counts.items()
    )
    return Bill(lines=tuple(sorted(lines, key=lambda line: (-line.least_s, -line.calls, line.api))))


def shared(calls: Calls, allow: Callable[[Rate], Rate]) -> Calls:
    """Return the same calls at the rates that the account is allowed."""

    def each(some: tuple[ApiCall, ...]) -> tuple[ApiCall, ...]:
        return tuple(replace(call, rate=allow(call.rate), each=call.each and allow(call.each)) for call in some)

    return replace(
        calls,
        create=each(calls.create),
        delete=each(calls.delete),
        modify=each(calls.modify),
        adopt=each(calls.adopt),
        release=each(calls.release),
        changes={name: each(some) for name, some in calls.changes.items()},
        drops={name: each(some) for name, some in calls.drops.items()},
        members={
            name: replace(
                some, put=each(some.put), drop=each(some.drop), clear=each(some.clear), retell=each(some.retell)
            )
            for name, some in calls.members.items()
        },
    )


def _leaves(step: Step, verb: Verb | None) -> bool:
    if step.kind is StepKind.RETRY:
        return verb in (Verb.DELETE, Verb.RELEASE)
    return step.kind in (StepKind.REMOVE, StepKind.RELEASE)


def _calls_of(step: Step, calls: Calls, changes: Sequence[Change], standing: JsonMap) -> Iterable[ApiCall]:
    match step.kind:
        case StepKind.MAKE:
            yield from _creation(step.properties, calls)
        case StepKind.CHANGE:
            yield from _change(changes, calls)
        case StepKind.ADOPT:
            yield from calls.adopt
        case StepKind.REMOVE:
            yield from _deletion(standing, calls)
        case StepKind.RELEASE:
            yield from calls.release
        case StepKind.FORGET | StepKind.RETRY:
            pass


def _calls_of_retry(verb: Verb, desired: JsonMap, calls: Calls) -> Iterable[ApiCall]:
    """The calls of a second try of the same operation. How much of a change was done before it failed is not known."""
    match verb:
        case Verb.CREATE:
            return _creation(desired, calls)
        case Verb.ADOPT:
            return calls.adopt
        case Verb.DELETE:
            return _deletion(desired, calls)
        case Verb.RELEASE:
            return calls.release
        case Verb.MODIFY | Verb.REPLACE:
            return calls.modify
        case Verb.REFRESH:
            return ()


def _deletion(standing: JsonMap, calls: Calls) -> Iterable[ApiCall]:
    for name, some in calls.members.items():
        yield from some.clear * len(_members(standing.get(name)))
    yield from calls.delete


def _creation(properties: JsonMap, calls: Calls) -> Iterable[ApiCall]:
    yield from calls.create
    set_after = [name for name, born in calls.settings.items() if _plain(properties.get(name, born)) != _plain(born)]
    yield from _settings(set_after, calls)
    for name, some in calls.members.items():
        if isinstance(properties.get(name), list | tuple) and not some.comes_with_it:
            yield from _moved(some, *_difference(some.at_birth, properties[name], some))


def _change(changes: Sequence[Change], calls: Calls) -> Iterable[ApiCall]:
    moved: dict[str, tuple[int, int, int]] = {}
    names: dict[str, None] = {}
    for change in changes:
        if change.stays or change.path == POLICY_PATH:
            continue  # Not declared any more, and left as it is; or kept by Tenuto alone.
        name = _property(change.path)
        if not change.has_after and change.path in calls.drops:
            yield from calls.drops[name]
            continue
        if name not in calls.members:
            names[name] = None
        elif not _is_unknown_list(change):
            come, go, retold = moved.get(name, (0, 0, 0))
            more = _difference(change.before if change.has_before else None, change.after, calls.members[name])
            is_whole = change.path == name
            moved[name] = (come + more[0], go + more[1], retold + more[2]) if is_whole else (come + 1, go, retold)
    for name, counted in moved.items():
        yield from _moved(calls.members[name], *counted)
    for some in _unknown_members(changes, calls):
        yield from some.put or some.drop
    yield from _settings(names, calls)


def _unknown_members(changes: Sequence[Change], calls: Calls) -> Iterable[MemberCalls]:
    """The calls for the lists that change for certain, and whose members that come and go cannot be counted yet."""
    return (calls.members[one.path] for one in changes if one.path in calls.members and _is_unknown_list(one))


def _is_unknown_list(change: Change) -> bool:
    return isinstance(change.after, Unknown) and change.path == _property(change.path)


def _settings(names: Collection[str], calls: Calls) -> Iterable[ApiCall]:
    """The calls that set some properties together."""
    told = [call for name in names for call in calls.changes.get(name, ())]
    yield from (call for call in told if not call.joint)
    yield from dict.fromkeys(call for call in told if call.joint)
    if any(name not in calls.changes for name in names):
        yield from calls.modify


def _moved(some: MemberCalls, come: int, go: int, retold: int) -> Iterable[ApiCall]:
    yield from some.put * (min(come, 1) if some.is_bulk else come)
    yield from some.drop * (min(go, 1) if some.is_bulk else go)
    yield from some.retell * retold


def _difference(before: Json, after: Json, calls: MemberCalls) -> tuple[int, int, int]:
    """Return how many members come, how many go, and how many change in the word about them alone."""
    old, new, key = _members(before), _members(after), calls.key
    known = {_plain(one) for one in old}
    wanted = {_plain(one) for one in new}
    kept = {_plain(one.get(key)) for one in new if isinstance(one, Mapping)} if key else set()
    gone = [one for one in old if _plain(one) not in wanted]
    still = sum(1 for one in gone if key and isinstance(one, Mapping) and _plain(one.get(key)) in kept)
    come, go = len(wanted - known), len(gone) - still
    bare = {_without(one, calls.told) for one in gone} if calls.told else set()
    retold = len(bare & {_without(one, calls.told) for one in new if _plain(one) not in known})
    return come - retold, go - retold, retold


def _without(member: Json, name: str) -> Hashable:
    """A member without the word about it."""
    return _plain(
        {key: value for key, value in member.items() if key != name} if isinstance(member, Mapping) else member
    )


def _members(value: Json) -> Sequence[Json]:
    """Return the members of a list. A mapping has tags, each by its key."""
    if isinstance(value, Mapping):
        return [{"Key": key, "Value": value[key]} for key in sorted(value)]
    return value if isinstance(value, list | tuple) else ()


def _plain(value: Json) -> Hashable:
    """Return a value that is equal for values that a provider takes for the same: 80 and "80", True and "true"."""
    if isinstance(value, Mapping):
        return tuple((key, _plain(value[key])) for key in sorted(value))
    if isinstance(value, list | tuple):
        return tuple(_plain(one) for one in value)
    return str(value).casefold()


def _property(path: str) -> str:
    """The property that a path is in: `Tags` of `Tags[0].Value`."""
    return path.partition(".")[0].partition("[")[0]
