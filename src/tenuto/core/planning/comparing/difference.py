"""The difference between one declaration and one incarnation: whether it is as declared, and the change that is needed
if not.

Nothing here knows which incarnation of an address is asked about: that choice is `core.planning.comparing.delta`'s.
"""

from dataclasses import dataclass, replace

from tenuto.core.planning.comparing.adoption import as_adopted, was_never_made
from tenuto.core.planning.comparing.changes import changes_of, naming_note
from tenuto.core.planning.comparing.deletion_policy import policy_changes
from tenuto.core.planning.comparing.ignores import ignored_changes, ignored_paths, kept_paths
from tenuto.core.planning.comparing.left_behind import REPLACED_PATH, left_behind
from tenuto.core.planning.comparing.messages import progress_message, unwell_message
from tenuto.core.planning.comparing.references import Answers
from tenuto.core.planning.comparing.secrets import Desired
from tenuto.lifecycles import roles
from tenuto.model.composition import Declaration
from tenuto.model.delta import Change, DeltaKind, Difference
from tenuto.model.observation import Condition, Observation, ObservedItem, Presence
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.model.snapshot import Candidate, Snapshot

_UNSEEN = Observation(presence=Presence.UNSEEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The wish for one address, and everything that an incarnation is compared with it by."""

    snapshot: Snapshot
    answers: Answers
    declaration: Declaration
    desired: Desired
    type: ResourceType


def is_remade(difference: Difference) -> bool:
    """Whether the address will get a new incarnation."""
    return difference.kind in (DeltaKind.MISSING, DeltaKind.VANISHED, DeltaKind.BROKEN) or any(
        change.forces_replacement for change in difference.changes
    )


def is_cleared(difference: Difference, resource_type: ResourceType) -> bool:
    """Whether the change empties a property that is to be emptied last, or deletes a replaced thing."""
    cleared = resource_type.cleared_last | {REPLACED_PATH}
    return any(change.path in cleared and not change.after for change in difference.changes)


def difference_without(wanted: Wanted) -> Difference:
    """The difference of an address at which no incarnation stands: something to adopt, or nothing."""
    missing = Difference(kind=DeltaKind.MISSING, logical_id=wanted.declaration.logical_id)
    candidate = wanted.snapshot.candidates.get(wanted.declaration.logical_id)
    if candidate is None or candidate.item is None:
        return missing
    return _found(wanted, missing, candidate, candidate.item)


def found_instead(wanted: Wanted, difference: Difference, found: ManagedObject | None) -> Difference | None:
    """Return the difference of an address whose incarnation is gone and for which a command gave another thing, or was
    never made and whose declaration names one; None without one.
    """
    name = wanted.declaration.logical_id
    candidate = wanted.snapshot.candidates.get(name)
    is_given = name in wanted.snapshot.process.adopting and difference.kind is DeltaKind.VANISHED
    is_given = is_given or (found is not None and was_never_made(found))
    if not is_given or candidate is None or candidate.item is None:
        return None
    return _found(wanted, replace(difference, message=""), candidate, candidate.item)


def difference_to(wanted: Wanted, found: ManagedObject) -> Difference:
    """The difference of an incarnation that is to stay."""
    observation = _observation(wanted, found)
    kept = _kept(wanted, found)
    about = Difference(kind=DeltaKind.SAME, logical_id=found.logical_id, object_id=found.object_id, kept=kept)
    if roles.is_failing(found):
        return _failing(wanted, about, found)
    if found.type != wanted.declaration.type:
        change = Change(path="Type", before=found.type, after=wanted.declaration.type, forces_replacement=True)
        return replace(about, kind=DeltaKind.CHANGED, changes=(change,), message="another resource type")
    if roles.is_to_rest(found):
        return _resting(wanted, about, found)
    if observation.presence is Presence.ABSENT and found.physical_id is not None:
        if _is_in_the_way(observation.item, wanted.type):
            message = "another user is deleting it; Tenuto makes it again once it is gone"
            return replace(about, kind=DeltaKind.MOVING, message=message)
        return replace(about, kind=DeltaKind.VANISHED, message=observation.message or "gone from the provider")
    if _is_broken(wanted, found, observation):
        return replace(about, kind=DeltaKind.BROKEN, message=observation.item.message if observation.item else "")
    if not found.is_settled or found.is_phase_failed:
        return _moving(wanted, about, found, observation)
    if observation.item is None:
        return replace(about, kind=DeltaKind.UNCLEAR, message=observation.message or "not observed yet")
    settled = _settled(wanted, about, found, observation, observation.item)
    is_unwell = observation.item.condition is Condition.BROKEN and settled.kind is DeltaKind.SAME
    return replace(settled, kind=DeltaKind.UNCLEAR, message=unwell_message(observation.item)) if is_unwell else settled


def stands(wanted: Wanted, found: ManagedObject) -> bool:
    """Whether an incarnation is settled, and was seen to be ready."""
    item = _observation(wanted, found).item
    is_ready = item is not None and item.condition is Condition.READY
    return found.is_settled and roles.is_to_stand(found) and not found.is_phase_failed and is_ready


def turned_back(wanted: Wanted, found: ManagedObject) -> Difference | None:
    """The difference of an incarnation whose deletion or release is cancelled; None when it cannot be kept.

    A run that is in flight cannot be taken back: before it has returned, nothing is known of its effect.
    """
    observation = _observation(wanted, found)
    item = observation.item
    if found.type != wanted.declaration.type:
        return None
    what = "release" if roles.is_being_released(found) else "deletion"
    about = Difference(kind=DeltaKind.CHANGED, logical_id=found.logical_id, object_id=found.object_id)
    if _may_be_hidden(wanted, found, observation):
        message = f"no sweep shows {found.physical_id}: until one does, Tenuto cannot cancel its {what}"
        return replace(about, kind=DeltaKind.UNCLEAR, message=message)
    if item is None or item.condition is not Condition.READY:
        return None
    kept = _kept(wanted, found)
    changes = _changes(wanted, item, found, kept)
    if any(change.forces_replacement for change in changes):
        return None
    if found.is_in_flight:
        message = f"its {what} is under way: Tenuto waits for the result before it plans anything else"
        return replace(about, kind=DeltaKind.UNCLEAR, message=message)
    if found.state not in roles.table_of(found).turnable:
        return None
    return replace(about, changes=changes, kept=kept, message=f"its {what} was cancelled")


def _observation(wanted: Wanted, found: ManagedObject) -> Observation:
    return wanted.snapshot.observations.get(found.object_id, _UNSEEN)


def _changes(
    wanted: Wanted, item: ObservedItem, found: ManagedObject, kept: tuple[str, ...] = ()
) -> tuple[Change, ...]:
    observed = item.seen_by(wanted.desired.properties)
    return changes_of(wanted.desired, observed, found, wanted.type, wanted.snapshot.composition, kept)


def _changes_of_wish(wanted: Wanted, found: ManagedObject) -> tuple[Change, ...]:
    """The changes from the wish before to the new one. A property that the wish before does not declare had the value
    that its absence means.
    """
    before = {**wanted.type.when_absent, **found.desired}
    return changes_of(wanted.desired, before, found, wanted.type, wanted.snapshot.composition)


def _found(wanted: Wanted, missing: Difference, candidate: Candidate, item: ObservedItem) -> Difference:
    """Compare a thing that exists and is to be adopted, as if it had been given everything that is declared."""
    declaration, desired = wanted.declaration, wanted.desired
    adopted = as_adopted(wanted.snapshot, declaration, desired.properties, desired.digest, candidate)
    kept = kept_paths(ignored_paths(declaration), desired.properties, desired.properties, wanted.type)
    return replace(missing, kind=DeltaKind.FOUND, changes=_changes(wanted, item, adopted, kept), kept=kept)


def _resting(wanted: Wanted, about: Difference, found: ManagedObject) -> Difference:
    """Compare a resource that has no machine, or gives it back now: no sweep says anything of it, and only a new wish
    is a difference.

    At rest nothing has to be replaced: the next machine is made as it is declared by then.
    """
    changes = _changes_of_wish(wanted, found)
    is_at_rest = found.is_settled and not found.is_phase_failed
    if changes and wanted.desired.digest != found.desired_digest:
        if is_at_rest:
            changes = tuple(replace(change, forces_replacement=False) for change in changes)
        return replace(about, kind=DeltaKind.CHANGED, changes=changes)
    return about if is_at_rest else replace(about, kind=DeltaKind.MOVING, message=progress_message(found))


def _settled(
    wanted: Wanted, about: Difference, found: ManagedObject, observation: Observation, item: ObservedItem
) -> Difference:
    """Compare a resource that is in its target state and was seen: each declared property decides."""
    changes = _changes(wanted, item, found, about.kept)
    news = _note(wanted, changes) if changes else wanted.answers.news(found, item, wanted.type.passing)
    if (changes or news) and observation.may_be_stale and wanted.desired.digest == found.desired_digest:
        return replace(about, kind=DeltaKind.UNCLEAR, message="changed just now; no sweep shows the change yet")
    if not any(change.forces_replacement for change in changes):
        declared = wanted.desired.properties
        ignored = ignored_changes(declared, item.seen_by(declared), about.kept, wanted.type, wanted.desired.names)
        about = replace(about, ignored=ignored)
    changes += policy_changes(found, wanted.declaration.deletion_policy)
    if not changes and not news and (left := left_behind(found)):
        changes, news = left, "left over from a replacement"
    return replace(about, kind=DeltaKind.CHANGED, changes=changes, message=news) if changes or news else about


def _note(wanted: Wanted, changes: tuple[Change, ...]) -> str:
    return naming_note(changes, wanted.type, wanted.desired.names)


def _kept(wanted: Wanted, found: ManagedObject) -> tuple[str, ...]:
    """The paths of the declaration that stay as they are found.

    One that is on its way may not have been given everything for the first time: there, only the paths that were kept
    before stay kept.
    """
    kept = kept_paths(ignored_paths(wanted.declaration), wanted.desired.properties, found.desired, wanted.type)
    if found.is_settled and not found.is_phase_failed:
        return kept
    return tuple(path for path in kept if path in found.kept)


def _may_be_hidden(wanted: Wanted, found: ManagedObject, observation: Observation) -> bool:
    """Whether it may stand although no sweep shows it, and may stay as it was last wished to be."""
    is_unproven = observation.item is None and observation.presence in (Presence.DOUBTFUL, Presence.UNSEEN)
    if not is_unproven or found.physical_id is None or found.state not in roles.table_of(found).turnable:
        return False
    changes = _changes_of_wish(wanted, found)
    return not any(change.forces_replacement for change in changes)


def _is_in_the_way(item: ObservedItem | None, resource_type: ResourceType) -> bool:
    """Whether a thing that is being deleted behind our back still holds a value that its successor needs."""
    return item is not None and item.condition is Condition.GOING and bool(resource_type.exclusive)


def _is_broken(wanted: Wanted, found: ManagedObject, observation: Observation) -> bool:
    """Whether the provider gave up on it for good, and a replacement is in order.

    On the way up the phase that waits for it fails first, so that a thing that can never work is not made again and
    again; only when a person has seen that failure and goes on is it replaced. A thing that worked once and may recover
    is not replaced.
    """
    item = observation.item
    if item is None or item.condition is not Condition.BROKEN:
        return False
    if wanted.type.recovers and roles.has_worked(found):
        return False
    return found.is_settled or _is_acknowledged(wanted, found)


def _failing(wanted: Wanted, about: Difference, found: ManagedObject) -> Difference:
    """Compare a resource whose lifecycle went to its state of failures. Once it has cleaned up, and a person has seen
    the failure, only another one can stand in its place.
    """
    if not found.is_settled:
        return replace(about, kind=DeltaKind.MOVING, message=progress_message(found))
    if found.is_phase_failed and not wanted.snapshot.process.intent.corrects:
        return replace(about, kind=DeltaKind.FAILED, message=found.message)
    return replace(about, kind=DeltaKind.BROKEN, message=found.message or f"in {found.state}")


def _is_acknowledged(wanted: Wanted, found: ManagedObject) -> bool:
    """Whether a person has seen the failure of a phase: they retried it, or this plan serves their next command."""
    was_retried = any(entry.attempt > 1 for entry in found.phases.values() if entry.state == found.state)
    return was_retried or (found.is_phase_failed and wanted.snapshot.process.intent.corrects)


def _moving(wanted: Wanted, about: Difference, found: ManagedObject, observation: Observation) -> Difference:
    """Compare a resource that moves, or failed on its way. Only a new wish is a difference, measured against the wish
    before, or against the thing where its change has failed.

    Or, once a person has seen its failure, the changes that only a replacement can make.
    """
    if wanted.desired.digest != found.desired_digest:
        changes = _changes_of_wish(wanted, found)
        if changes:
            return _wished_anew(wanted, replace(about, kind=DeltaKind.CHANGED, changes=changes), found, observation)
    item = observation.item
    if found.state == roles.table_of(found).change_at and item is not None and _is_acknowledged(wanted, found):
        changes = _changes(wanted, item, found)
        if any(change.forces_replacement for change in changes):
            return replace(about, kind=DeltaKind.CHANGED, changes=changes)
    return replace(about, kind=DeltaKind.MOVING, message=progress_message(found))


def _wished_anew(wanted: Wanted, about: Difference, found: ManagedObject, observation: Observation) -> Difference:
    """The difference `about` of a new wish; where a change in place has failed, told as against the thing that a sweep
    shows.

    The wish before may be one that the provider refused: then the thing has none of its values, and a wish that takes
    it back changes nothing. The step is made all the same, since the object is to have the new wish. A property that
    only a replacement can change is measured against the wish before: what is shown of it may be incomplete.
    """
    item = observation.item
    has_failed = found.is_phase_failed and found.state == roles.table_of(found).change_at
    if item is None or item.condition is not Condition.READY or observation.may_be_stale or not has_failed:
        return about
    # A property that the wish before alone declared, and that the thing does not have, is no change.
    changes = tuple(one for one in _changes(wanted, item, found, about.kept) if one.has_before or one.has_after)
    if any(change.forces_replacement for change in (*about.changes, *changes)):
        return about
    return replace(about, changes=changes, message="" if changes else "a failed change is taken back")
