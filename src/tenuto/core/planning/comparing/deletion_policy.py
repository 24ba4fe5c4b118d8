"""Deletion policies decide about the real thing of a resource that goes (DeletionPolicy, UpdateReplacePolicy).

A policy is stored with the incarnation, because it must still be known when the declaration is gone. So a changed
policy is a difference of its own, which an update plans like a changed property; nothing is called at the provider. A
kill goes by the composition that was accepted last, whether a job has carried it out or not: a policy that says Retain
is a promise from the moment that it was taken.

`RetainExceptOnCreate` stands for Delete until the resource was ready for the first time, and for Retain from then on:
an incarnation that is changed or let go of later is stored as Retain, so one that still has the longer name and is not
where it should be was never ready.
"""

from tenuto.core.planning.comparing.references import Addresses
from tenuto.kit.evolve import evolve
from tenuto.model.composition import Composition, DeletionPolicy
from tenuto.model.delta import Change
from tenuto.model.plan import StepKind
from tenuto.model.resource import ManagedObject, ResourceType

POLICY_PATH = "DeletionPolicy"
"""The path of a change of the policy, beside those of properties."""
_RETAIN = DeletionPolicy.RETAIN
_EXCEPT_ON_CREATE = DeletionPolicy.RETAIN_EXCEPT_ON_CREATE


def exit_of(found: ManagedObject, policy: DeletionPolicy, resource_type: ResourceType | None) -> StepKind:
    """Return how an incarnation leaves under a policy: it is deleted, or let go of."""
    match policy:
        case DeletionPolicy.DELETE:
            return StepKind.REMOVE
        case DeletionPolicy.SNAPSHOT if resource_type is not None and resource_type.has_snapshots:
            return StepKind.REMOVE
        case DeletionPolicy.RETAIN_EXCEPT_ON_CREATE if not found.is_settled:
            return StepKind.REMOVE
        case _:
            return StepKind.RELEASE


def is_kept(found: ManagedObject, resource_type: ResourceType | None) -> bool:
    """Whether a resource is released by its own policy, and not because its whole process is released."""
    policy = found.deletion_policy
    return policy is _EXCEPT_ON_CREATE or exit_of(found, policy, resource_type) is StepKind.RELEASE


def as_accepted(objects: tuple[ManagedObject, ...], composition: Composition | None) -> tuple[ManagedObject, ...]:
    """The objects of a process that is killed, with the deletion policies that its composition declares for those that
    stand at their addresses."""
    declared = {one.logical_id: one for one in (composition.resources if composition else ())}
    addresses = Addresses.of(objects)

    def judged(found: ManagedObject) -> ManagedObject:
        one = declared.get(found.logical_id)
        if one is None or one.type != found.type or addresses.shown(found.logical_id) is not found:
            return found
        # In the word that is declared, since the plan says it; the step that lets go stores what it means.
        policy = one.deletion_policy
        return found if policy is found.deletion_policy else evolve(found, deletion_policy=policy)

    return tuple(judged(found) for found in objects)


def policy_of(found: ManagedObject, declared: DeletionPolicy) -> DeletionPolicy:
    """The deletion policy that is stored with an incarnation that is changed, or that leaves."""
    return _RETAIN if declared is _EXCEPT_ON_CREATE and found.is_settled else declared


def policy_changes(found: ManagedObject, declared: DeletionPolicy) -> tuple[Change, ...]:
    """The change of the policy of an incarnation that stands; none where both mean the same for it."""
    if policy_of(found, declared) is policy_of(found, found.deletion_policy):
        return ()
    return (
        Change(path=POLICY_PATH, before=found.deletion_policy.value, after=declared.value, forces_replacement=False),
    )
