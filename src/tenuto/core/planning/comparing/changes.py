"""Changes between declared and observed values, property by property.

Only declared properties are compared, each in the way its type says, and those whose absence means something. A value
that is known only after the plan differs from everything. The rule of the meaning of absence is DECISIONS 25.

A name that can be pointed elsewhere (an alias of a key) says which thing is meant only at one moment. Where a change
would replace, that moment is when it was declared: an alias that is moved later replaces nothing, and one that is
declared anew replaces only a thing that it certainly does not name. Where a change is made in place, the thing that it
names now decides.

*Hidden members.* A provider may show a property without some of its members, such as the code of a function. These are
compared with the last desired value: they take the places where nothing is shown, before anything is compared.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from tenuto.core.language import resolve
from tenuto.core.language.expressions import is_list
from tenuto.core.planning.comparing.ignores import EVERYTHING, as_found
from tenuto.core.planning.comparing.losses import losses
from tenuto.core.planning.comparing.paths import MISSING, at, with_value
from tenuto.core.planning.comparing.secrets import (
    Desired,
    has_drifted,
    is_another_secret,
    is_kept_secret,
    secrets_in,
    veiled,
)
from tenuto.core.planning.comparing.settled_members import with_settled_members
from tenuto.core.planning.equality.others import members_said, own_members, without_services
from tenuto.core.planning.equality.retelling import is_as_sent
from tenuto.core.planning.equality.values import means_same, pointers_of
from tenuto.model.composition import Composition
from tenuto.model.delta import Change, Unknown
from tenuto.model.ids import Json, JsonMap
from tenuto.model.naming import ANYTHING, NOTHING_KNOWN, Names
from tenuto.model.resource import LOST, Comparison, ManagedObject, ResourceType


def changes_of(
    desired: Desired,
    observed: JsonMap,
    current: ManagedObject,
    resource_type: ResourceType,
    composition: Composition | None,
    kept: tuple[str, ...] = (),
) -> tuple[Change, ...]:
    """The properties in which `observed` differs from `desired`, by path; nothing at the `kept` paths."""
    changes: list[Change] = []
    is_same_wish = desired.digest == current.desired_digest
    wanted = as_found(dict(resource_type.when_absent) | dict(desired.properties), observed, kept)
    observed = as_found(observed, current.desired, resource_type.hidden)
    observed = _without_others(observed, (wanted, current.desired), resource_type)
    for path, value in sorted(wanted.items()):
        is_kept = is_kept_secret(value)
        if is_kept and current.desired.get(path) != value:
            # The reference tells another secret from the one before, also where another change comes with it.
            changes.append(_change(path, Unknown.SECRET, Unknown.SECRET, resource_type))
            continue
        if is_kept or secrets_in(value, composition):
            is_another = not is_kept and not is_same_wish and is_another_secret(path, value, desired, current)
            if is_another or has_drifted(current, path, observed.get(path)):
                changes.append(_change(path, Unknown.SECRET, Unknown.SECRET, resource_type))
            continue
        before = current.desired.get(path) if resource_type.is_unseen(path) else observed.get(path)
        if resource_type.is_unseen(path) and not resolve.is_resolved(before) and is_same_wish:
            # The wish is kept without the secret in it, and `value` has it: the digest alone can tell that they agree.
            continue
        was = current.desired.get(path)
        found = _changes_of_one(path, value, before, resource_type, desired.names, was=was)
        changes.extend(found)
        if was != value and not is_same_wish and not resource_type.is_unseen(path):
            lost = _lost(path, value, before, current, resource_type, beside=found)
            changes.extend(lost if found or lost else _hidden_changes(path, value, before, current, resource_type))
    if not is_same_wish:
        changes.extend(_dropped(desired, observed, current, resource_type))
    return tuple(veiled(with_settled_members(one, observed, resource_type), current) for one in changes)


def _without_others(observed: JsonMap, said: Iterable[JsonMap], resource_type: ResourceType) -> JsonMap:
    """The observed properties without the members of lists that belong to others: those of shared lists that are not
    declared, and were not until now, and those that services add."""
    wishes, rules = list(said), resource_type.compare_as
    shared = [path for path, rule in rules.items() if rule is Comparison.SHARED and path in observed]
    found = {path: own_members(observed[path], members_said(wishes, path), rules, path) for path in shared}
    observed = {**observed, **found} if found else observed
    return without_services(observed, resource_type.of_services, wishes)


def _hidden_changes(
    path: str, desired: Json, observed: Json, current: ManagedObject, resource_type: ResourceType
) -> list[Change]:
    """The change of a property that is shown as declared, and says something else than before in a member that is not
    shown. A value that is shown in all its members hides none, and a property that was not declared before had the
    value that its absence means.
    """
    rules = resource_type.compare_as
    was = current.desired.get(path, resource_type.when_absent.get(path))
    has_hidden = any(rule is Comparison.SHOWN and one.startswith(f"{path}.") for one, rule in rules.items())
    is_sent = has_hidden and not resource_type.goes_in_steps and desired != observed
    is_hidden = is_sent and resolve.is_resolved(was) and not means_same(desired, was, rules, path)
    return [_change(path, observed, desired, resource_type)] if is_hidden else []


def _lost(
    path: str,
    desired: Json,
    observed: Json,
    current: ManagedObject,
    resource_type: ResourceType,
    *,
    beside: Sequence[Change],
) -> list[Change]:
    """The losses of one property, beside the other changes of it."""
    told = {change.path for change in beside}
    is_left = resource_type.goes_in_steps or path in resource_type.left_as_is
    found = losses(current.desired.get(path), desired, observed, resource_type.compare_as, path)
    return [
        replace(change, stays=True, forces_replacement=False)
        if one.stays or (is_left and not change.forces_replacement)
        else change
        for one in found
        if one.path not in told
        for change in [_change(one.path, one.before, one.after, resource_type)]
    ]


def noted(found: ManagedObject, properties: JsonMap, digest: str) -> JsonMap:
    """The attributes of an object that is given other properties, with the note of the paths to send in any case, also
    when a sweep shows no difference there: the paths that lose something, and the changed lists and mappings, which may
    be hidden. An object on its way keeps the paths that were noted before."""
    others = {name: value for name, value in found.attributes.items() if name != LOST}
    waiting = () if found.is_settled else found.attributes.get(LOST) or ()
    before, desired = found.desired, Desired(properties=properties, digest=digest)
    lost = {
        loss.path
        for name, value in properties.items()
        if name in before
        for loss in losses(before[name], value, before[name], {}, name)
    }
    renewed = {name for name in properties if name in before and _is_renewed(name, desired, found)}
    paths = sorted({*lost, *renewed, *waiting})
    return {**others, LOST: paths} if paths else others


def _is_renewed(name: str, desired: Desired, found: ManagedObject) -> bool:
    """Whether a list or a mapping says something else than before, or the same with another secret."""
    before, after = found.desired[name], desired.properties[name]
    if not isinstance(after, Mapping) and not is_list(after):
        return False
    if resolve.is_resolved(before) and resolve.is_resolved(after):
        return not means_same(after, before, {}, name)
    return is_another_secret(name, after, desired, found)


def naming_note(changes: Sequence[Change], resource_type: ResourceType, names: Names) -> str:
    """Return why a property that only a replacement can change is changed in place: it says the same by another name,
    or is taken to. Empty where there is no such property.
    """
    known = Names(pointed_at=names.pointed_at)
    told = [
        f"{one.path} says the same by another name"
        if means_same(one.after, one.before, resource_type.compare_as, one.path, known)
        else f"{one.path} is taken to say the same: the provider does not tell what a name in it stands for"
        for one in changes
        if not one.forces_replacement and _is_forced(one.path, resource_type)
    ]
    return f"update; {'; '.join(told)}" if told else ""


def _dropped(desired: Desired, observed: JsonMap, current: ManagedObject, resource_type: ResourceType) -> list[Change]:
    """Properties that were declared before and are not any more: they are not desired now, and not held from now on.

    One that no sweep shows stays as it was sent, also where another value of it would replace the thing: how a database
    was restored is no reason to make it again.
    """
    still_said = {
        path for group in resource_type.synonyms if not desired.properties.keys().isdisjoint(group) for path in group
    }
    gone = current.desired.keys() - desired.properties.keys() - resource_type.when_absent.keys()
    changes = [
        _change(path, _last_known(path, observed, current, resource_type), None, resource_type)
        for path in sorted(gone - still_said)
    ]
    return [
        replace(one, stays=True, forces_replacement=False)
        if one.path in resource_type.write_only
        else replace(one, stays=not one.forces_replacement and not resource_type.is_free(one.path))
        for one in changes
    ]


def with_defaults(
    properties: JsonMap, current: ManagedObject | None, resource_type: ResourceType, ignored: Iterable[str] = ()
) -> JsonMap:
    """The properties of a declaration, and with them the provider's defaults for those that it no longer has.

    Such a property is desired at its default from then on, as the record of the incarnation says; one that is absent
    by default is desired as None. A default of a path with dots is that of a member whose property stays declared. One
    that the declaration ignores stays as it is, and one that says the same as another that is still declared
    (`ResourceType.synonyms`) was not taken out.
    """
    if current is None or not resource_type.defaults or current.type != resource_type.name:
        return properties
    said = {path for group in resource_type.synonyms if not properties.keys().isdisjoint(group) for path in group}
    left = {path.partition(".")[0] for path in ignored}
    gone = frozenset[str]() if EVERYTHING in left else current.desired.keys() - properties.keys() - said - left
    back = {path: resource_type.defaults[path] for path in sorted(gone) if path in resource_type.defaults}
    found = {**properties, **back} if back else properties
    for path in sorted(path for path in resource_type.defaults if "." in path):
        within = path.rpartition(".")[0]
        was_said = path.partition(".")[0] not in left and at(current.desired, path) is not MISSING
        if was_said and isinstance(at(properties, within), Mapping) and at(properties, path) is MISSING:
            found = with_value(found, path.split("."), resource_type.defaults[path])
    return found


def _last_known(path: str, observed: JsonMap, current: ManagedObject, resource_type: ResourceType) -> Json:
    """The value of a property that is not declared any more: the declared one, where no sweep shows it."""
    return current.desired.get(path) if resource_type.is_unseen(path) else observed.get(path)


def _changes_of_one(
    path: str, desired: Json, observed: Json, resource_type: ResourceType, names: Names, *, was: Json
) -> list[Change]:
    """The changes of one declared property. `was`: its value in the last declaration, which was sent already."""
    changes = _changes_at(path, desired, observed, resource_type, NOTHING_KNOWN, was=was)
    if not changes:
        return changes
    is_new = was != desired
    if not _is_forced(path, resource_type):
        # Only a declared pointer may stay unknown: an unknown one that the provider shows is a change from outside.
        is_doubted = not is_new and bool(pointers_of([({path: desired}, resource_type.namings)]))
        known = replace(names, is_lenient=names.is_lenient and is_doubted)
        return _changes_at(path, desired, observed, resource_type, known, was=was)
    if not is_new:
        return _changes_at(path, desired, observed, resource_type, ANYTHING, was=was)
    known = Names(pointed_at=names.pointed_at, is_lenient=True)
    if unlike := _changes_at(path, desired, observed, resource_type, known, was=was):
        return unlike
    # The plan records the new name, so that it counts as declared when it is pointed elsewhere one day.
    return [replace(_change(path, observed, desired, resource_type), forces_replacement=False)]


def _changes_at(
    path: str, desired: Json, observed: Json, resource_type: ResourceType, names: Names, *, was: Json
) -> list[Change]:
    """The changes at a place and below it. A part that was sent like this before may be shown in other words, also
    where another part of its property changes."""
    if not resolve.is_resolved(desired):
        return [_change(path, observed, Unknown.AFTER_APPLY, resource_type)]
    if means_same(desired, observed, resource_type.compare_as, path, names):
        return []
    if resource_type.retelling is not None and was == desired and is_as_sent(desired, observed, resource_type, path):
        return []
    if isinstance(desired, Mapping) and isinstance(observed, Mapping) and path not in resource_type.compare_as:
        before = was if isinstance(was, Mapping) else {}
        return [
            change
            for key, value in sorted(desired.items())
            for change in _changes_at(
                f"{path}.{key}", value, observed.get(key), resource_type, names, was=before.get(key)
            )
        ]
    return [_change(path, observed, desired, resource_type)]


def _change(path: str, before: Json, after: Json, resource_type: ResourceType) -> Change:
    forced = _is_forced(path, resource_type)
    return Change(
        path=path,
        before=before,
        after=after,
        has_before=before is not None,
        has_after=after is not None,
        forces_replacement=forced,
        may_interrupt=not forced and _touches(path, resource_type.interrupting),
    )


def _is_forced(path: str, resource_type: ResourceType) -> bool:
    """Whether another value at the path can only be had by a replacement."""
    return not resource_type.mutable or _touches(path, resource_type.create_only)


def _touches(path: str, some: Collection[str]) -> bool:
    """Whether a change at the path is one of some paths, in one or around one."""
    return any(path == one or path.startswith(f"{one}.") or one.startswith(f"{path}.") for one in some)
