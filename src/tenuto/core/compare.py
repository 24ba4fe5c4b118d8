"""compare(what_should_be, what_is): the delta of one process.

Theory of operation. The declarations are visited so that a resource comes after what it refers to. Each gets exactly
one `Difference` to its current incarnation. Two things make the order matter. A reference to a resource that will be
made anew has no value yet: the property that holds it differs whatever it is now, which is how a replacement reaches
the resources that were built on it. And a value that depends on a secret is never looked at: only the digest of what
was last desired tells whether it changed.

Drift and update differ only in their reason: both are "desired is not observed". Whether the desired properties are
new since the last plan is seen from their digest, so that enforcement off can hold back the one and let pass the other.
What a declaration ignores is compared as if it had been found as declared (`core.ignores`), and told beside. What was
the same at the last comparison, and of which nothing changed since, is not compared at all (`core.recall`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tenuto.core import resolve
from tenuto.core.adoption import as_adopted
from tenuto.core.answers import Answers
from tenuto.core.changes import Desired, changes_of, digest_of
from tenuto.core.environment import Addresses, Surroundings
from tenuto.core.ignores import ignored_changes, ignored_paths, kept_paths
from tenuto.core.keeping import is_kept, policy_changes
from tenuto.core.recall import Recall
from tenuto.lifecycles.resource import RESOURCE, ResourceState
from tenuto.model.composition import Composition, Declaration
from tenuto.model.delta import Change, Delta, DeltaKind, Difference, Memory
from tenuto.model.ids import LogicalId
from tenuto.model.observation import Condition, Observation, ObservedItem, Presence
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import ProcessState
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.model.snapshot import Snapshot

_UNSEEN = Observation(presence=Presence.UNSEEN)
_TURNABLE = frozenset({ResourceState.DECONFIGURATION, ResourceState.DEALLOCATION})
"""The states from which a deletion that was cancelled can be turned back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The delta, what was desired of each address when it was found, and what the next comparison may build on."""

    delta: Delta
    desired: Mapping[LogicalId, Desired]
    addresses: Addresses
    memory: Memory


def compare(snapshot: Snapshot, uprooted: frozenset[LogicalId] = frozenset()) -> Compared:
    """What differs between the composition (nothing, when there is none) and the world, resource by resource.

    What is `uprooted` cannot be changed in place: what it refers to must be deleted before there is another.
    """
    addresses = Addresses.of(snapshot.objects)
    answers = Answers(snapshot.composition)
    surroundings = Surroundings.of(snapshot, addresses)
    recall = Recall(snapshot, addresses)
    differences: list[Difference] = []
    desired: dict[LogicalId, Desired] = {}
    composition = snapshot.composition
    for declaration in recall.order:
        if known := recall.find(declaration):
            recall.keep(known)
            desired[declaration.logical_id] = Desired(properties=known.found.desired, digest=known.found.desired_digest)
            differences.append(known.difference)
            continue
        properties = resolve.resolve(declaration.properties, surroundings.environment)
        wish = Desired(properties=properties, digest=digest_of(properties, composition))
        difference = _difference(snapshot, addresses, answers, declaration, wish)
        if declaration.logical_id in uprooted:
            difference = _forced(difference)
        if difference.kind is DeltaKind.FOUND:
            candidate = snapshot.candidates[declaration.logical_id]
            surroundings.adopt(
                declaration.logical_id,
                as_adopted(snapshot, declaration, properties, wish.digest, candidate),
            )
        if is_remade(difference):
            surroundings.remake(declaration.logical_id, properties, snapshot.types[declaration.type])
        recall.note(difference, wish.digest, is_remade=is_remade(difference))
        desired[declaration.logical_id] = wish
        differences.append(difference)
    kept = {difference.object_id for difference in differences if difference.object_id}
    for found in snapshot.objects:
        if found.object_id not in kept and not RESOURCE.is_final(found.state):
            differences.append(_surplus(found, snapshot))
    delta = Delta(differences=tuple(differences))
    return Compared(delta=delta, desired=desired, addresses=addresses, memory=recall.memory())


def is_remade(difference: Difference) -> bool:
    """Whether the address will get a new incarnation."""
    return difference.kind in (DeltaKind.MISSING, DeltaKind.VANISHED, DeltaKind.BROKEN) or any(
        change.forces_replacement for change in difference.changes
    )


def _forced(difference: Difference) -> Difference:
    return replace(
        difference,
        changes=tuple(replace(change, forces_replacement=True) for change in difference.changes),
        message="what it refers to must be deleted before there is another",
    )


def _difference(
    snapshot: Snapshot, addresses: Addresses, answers: Answers, declaration: Declaration, desired: Desired
) -> Difference:
    current = addresses.current(declaration.logical_id)
    resource_type = snapshot.types[declaration.type]
    if current is None:
        return _without_current(snapshot, addresses, declaration, desired, resource_type)
    observation = snapshot.observations.get(current.object_id, _UNSEEN)
    kept = _kept(declaration, desired, current, resource_type)
    about = Difference(kind=DeltaKind.SAME, logical_id=declaration.logical_id, object_id=current.object_id, kept=kept)
    if current.type != declaration.type:
        change = Change(path="Type", before=current.type, after=declaration.type, forces_replacement=True)
        return replace(about, kind=DeltaKind.CHANGED, changes=(change,), message="another resource type")
    if observation.presence is Presence.ABSENT and current.physical_id is not None:
        if _is_in_the_way(observation.item, resource_type):
            return replace(about, kind=DeltaKind.MOVING, message="somebody deletes it: made again once it is gone")
        return replace(about, kind=DeltaKind.VANISHED, message=observation.message or "gone from the provider")
    if _is_broken(current, observation):
        return replace(about, kind=DeltaKind.BROKEN, message=observation.item.message if observation.item else "")
    if not current.is_settled or current.is_phase_failed:
        return _moving(about, current, desired, resource_type, snapshot.composition, observation)
    if observation.item is None:
        return replace(about, kind=DeltaKind.UNCLEAR, message=observation.message or "not looked at yet")
    observed = observation.item.properties
    changes = changes_of(desired, observed, current, resource_type, snapshot.composition, kept)
    news = "" if changes else answers.news(current, observation.item)
    if (changes or news) and observation.may_be_stale and desired.digest == current.desired_digest:
        return replace(about, kind=DeltaKind.UNCLEAR, message="changed just now, and not seen that way yet")
    if not any(change.forces_replacement for change in changes):
        about = replace(about, ignored=ignored_changes(desired.properties, observed, kept, resource_type))
    changes += policy_changes(current, declaration.deletion_policy)
    return replace(about, kind=DeltaKind.CHANGED, changes=changes, message=news) if changes or news else about


def _kept(
    declaration: Declaration, desired: Desired, current: ManagedObject, resource_type: ResourceType
) -> tuple[str, ...]:
    """The paths of the declaration that stay as they are found.

    One that is on its way may not have been given everything for the first time: there, only what was kept stays kept.
    """
    kept = kept_paths(ignored_paths(declaration), desired.properties, current.desired, resource_type)
    if current.is_settled and not current.is_phase_failed:
        return kept
    return tuple(path for path in kept if path in current.kept)


def _without_current(
    snapshot: Snapshot,
    addresses: Addresses,
    declaration: Declaration,
    desired: Desired,
    resource_type: ResourceType,
) -> Difference:
    """There is none to hold. One that is being deleted is turned back when it is still there as declared."""
    missing = Difference(kind=DeltaKind.MISSING, logical_id=declaration.logical_id)
    candidate = snapshot.candidates.get(declaration.logical_id)
    if candidate is not None and candidate.item is not None:
        adopted = as_adopted(snapshot, declaration, desired.properties, desired.digest, candidate)
        kept = kept_paths(ignored_paths(declaration), desired.properties, desired.properties, resource_type)
        changes = changes_of(desired, candidate.item.properties, adopted, resource_type, snapshot.composition, kept)
        return replace(missing, kind=DeltaKind.FOUND, changes=changes, kept=kept)
    leaving = addresses.leaving(declaration.logical_id)
    if leaving is None or leaving.state not in _TURNABLE or leaving.type != declaration.type:
        return missing
    item = snapshot.observations.get(leaving.object_id, _UNSEEN).item
    if item is None or item.condition is not Condition.READY:
        return missing
    kept = _kept(declaration, desired, leaving, resource_type)
    changes = changes_of(desired, item.properties, leaving, resource_type, snapshot.composition, kept)
    if any(change.forces_replacement for change in changes):
        return missing
    return Difference(
        kind=DeltaKind.CHANGED,
        logical_id=declaration.logical_id,
        object_id=leaving.object_id,
        changes=changes,
        kept=kept,
        message="its deletion was cancelled",
    )


def _is_in_the_way(item: ObservedItem | None, resource_type: ResourceType) -> bool:
    """Whether what is being deleted behind our back still holds what its successor needs."""
    return item is not None and item.condition is Condition.GOING and bool(resource_type.exclusive)


def _is_broken(current: ManagedObject, observation: Observation) -> bool:
    """Whether the provider gave up on it for good, and a replacement is in order.

    On the way up the phase that waits for it fails first, so that a thing that can never work is not made again and
    again; only when somebody retried that phase is it replaced, whether it has failed once more meanwhile or not.
    """
    item = observation.item
    if item is None or item.condition is not Condition.BROKEN:
        return False
    return current.is_settled or _was_retried(current)


def _was_retried(current: ManagedObject) -> bool:
    """Whether somebody cleared a failed phase of the state that it is in."""
    return any(entry.attempt > 1 for entry in current.phases.values() if entry.state == current.state)


def _moving(
    about: Difference,
    current: ManagedObject,
    desired: Desired,
    resource_type: ResourceType,
    composition: Composition | None,
    observation: Observation,
) -> Difference:
    """It is on its way, or failed on it. Only a new wish is a difference, measured against the wish before.

    Or, once somebody has retried it, what can never become as declared: only another one can.
    """
    if desired.digest != current.desired_digest:
        changes = changes_of(desired, current.desired, current, resource_type, composition)
        if changes:
            return replace(about, kind=DeltaKind.CHANGED, changes=changes)
    if current.state == ResourceState.CONFIGURATION and observation.item is not None and _was_retried(current):
        changes = changes_of(desired, observation.item.properties, current, resource_type, composition)
        if any(change.forces_replacement for change in changes):
            return replace(about, kind=DeltaKind.CHANGED, changes=changes)
    return replace(about, kind=DeltaKind.MOVING, message=progress_message(current))


def progress_message(found: ManagedObject) -> str:
    """What an object on its way is doing, in a few words, most telling phase first."""
    order = (PhaseStatus.FAILED, PhaseStatus.RUNNING, PhaseStatus.SLEEPING, PhaseStatus.WAITING, PhaseStatus.BLOCKED)
    entries = sorted(
        (entry for entry in found.phases.values() if entry.state == found.state and entry.status in order),
        key=lambda entry: (order.index(entry.status), entry.phase),
    )
    if not entries:
        return f"in {found.state}"
    first = entries[0]
    return f"{first.phase} {first.status.lower()}" + (f": {first.message}" if first.message else "")


def _surplus(found: ManagedObject, snapshot: Snapshot) -> Difference:
    """It is not declared. What is on its way out goes on, unless its process is at the other end by now: what is being
    deleted may stay once it is released, and what is being released with it is deleted once it is killed."""
    process = snapshot.process
    if found.target == ResourceState.RELEASED:
        moving = process.state is not ProcessState.KILLING or is_kept(found, snapshot.types.get(found.type))
    else:
        moving = found.target == ResourceState.TERMINATED and process.releasing is None
    return Difference(
        kind=DeltaKind.MOVING if moving else DeltaKind.SURPLUS,
        logical_id=found.logical_id,
        object_id=found.object_id,
        message=progress_message(found) if moving else "",
    )
