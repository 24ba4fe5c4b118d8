"""Adoption: the declarations that name an existing thing, and whether it can be taken over.

A resource with `Metadata: {Tenuto: {ResourceIdentifier: ID}}` is adopted instead of made, once: while its address never
had an incarnation. Afterwards the identifier means nothing any more, so that a resource that vanished is made anew like
any other. The found thing is compared with its declaration as if it had been ours; each difference is changed in place
with the adoption, or replaced by the plan after it.

A command may give a thing to a resource too (`Process.adopting`): one that carries the marks of the resource and that
the store does not know. Then an incarnation that is gone does not stand in the way, unless it was this very thing.
"""

from collections.abc import Mapping, Sequence

from tenuto.core.language import resolve
from tenuto.core.planning.comparing.references import told
from tenuto.errors import (
    ManagedElsewhereError,
    MismatchError,
    NotAdoptableError,
    NotDeclarableError,
    NotReadableError,
    NotThereError,
)
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.attempt import AttemptState
from tenuto.model.composition import Composition, Declaration
from tenuto.model.delta import Change
from tenuto.model.ids import Json, JsonMap, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Candidate, Snapshot

SECTION = "Tenuto"
IDENTIFIER = "ResourceIdentifier"
_NOTHING_DONE = frozenset({AttemptState.UNSENT, AttemptState.ABSENT})
_TOLD = 5
"""Problems in one message: who took the wrong region has one with every resource."""


def section_of(declaration: Declaration) -> JsonMap:
    """The section of the metadata that speaks to Tenuto; empty where there is none, or none that is a mapping."""
    found = declaration.metadata.get(SECTION)
    return found if isinstance(found, Mapping) else {}


def identifier_of(declaration: Declaration) -> PhysicalId | None:
    """The physical id that a declaration names, as a text; None when it names none."""
    found = named_by(declaration)
    return PhysicalId(found) if isinstance(found, str) and found else None


def named_by(declaration: Declaration) -> Json:
    """The value that is written as the identifier, well formed or not. It may also stand at the top of the metadata."""
    nested = section_of(declaration).get(IDENTIFIER)
    return nested if nested is not None else declaration.metadata.get(IDENTIFIER)


def adoptable(
    composition: Composition | None,
    objects: Sequence[ManagedObject],
    given: Mapping[LogicalId, PhysicalId] | None = None,
) -> tuple[tuple[Declaration, PhysicalId], ...]:
    """The declarations that name something, at addresses where nothing was ever made, and those that were `given`
    something that no incarnation of them was; each with that."""
    declared = composition.resources if composition else ()
    named = [(one, found) for one in declared if one.metadata and (found := identifier_of(one)) is not None]
    if not named and not given:
        return ()
    known = {found.logical_id for found in objects if not was_never_made(found)}
    were = {(found.logical_id, found.physical_id) for found in objects}
    asked = [
        (one, given[one.logical_id])
        for one in (declared if given else ())
        if given and one.logical_id in given and (one.logical_id, given[one.logical_id]) not in were
    ]
    names = {one.logical_id for one, _ in asked}
    return (*asked, *((one, found) for one, found in named if one.logical_id not in known | names))


def was_never_made(found: ManagedObject) -> bool:
    """Whether a creation failed, and certainly did nothing: the name was taken, say."""
    acts = {entry.act.state for entry in found.phases.values()}
    return found.physical_id is None and found.is_phase_failed and acts <= _NOTHING_DONE


def check_candidates(snapshot: Snapshot) -> None:
    """Raise NotAdoptableError, of the family of the first problem, with every problem in its message."""
    problems: list[NotAdoptableError] = []
    given = snapshot.process.adopting
    for declaration, _ in adoptable(snapshot.composition, snapshot.objects, given):
        candidate = snapshot.candidates.get(declaration.logical_id)
        if candidate is None or _is_gone(candidate, given.get(declaration.logical_id)):
            # The thing that a command gave it is gone meanwhile: another one is made.
            continue
        what = f"{declaration.logical_id} cannot adopt {candidate.physical_id}"
        facts = snapshot.types.get(declaration.type)
        form = facts.id_form if facts is not None else ""
        problem = candidate_problem(candidate, declaration.type, snapshot.process.partition, what, form)
        if problem is not None:
            problems.append(problem)
    refuse(problems)


def _is_gone(candidate: Candidate, given: PhysicalId | None) -> bool:
    """Whether there is no such thing any more as a command gave."""
    return candidate.item is None and not candidate.unread and candidate.physical_id == given


def refuse(problems: Sequence[NotAdoptableError]) -> None:
    """Raise an error of the first problem's family that tells the first few; nothing when there are none."""
    if problems:
        told = " ".join(f"{str(problem).rstrip('.')}." for problem in problems[:_TOLD])
        more = len(problems) - _TOLD
        raise type(problems[0])(f"{told} And {more} more like that." if more > 0 else told)


def candidate_problem(
    candidate: Candidate, declared: TypeName, partition: Partition, what: str, id_form: str = ""
) -> NotAdoptableError | None:
    """Return why a thing cannot be adopted as the declared type; None when it can. The message begins with `what`, and
    says in which form the id of such a thing is written (`ResourceType.id_form`)."""
    if candidate.item is not None:
        if candidate.own_as is not None:
            return ManagedElsewhereError(f"{what}: {_renaming_text(candidate.own_as)}")
        if candidate.holder:
            return ManagedElsewhereError(
                f"{what}: it is managed by {candidate.holder}, and 'tenuto release' lets go of it"
            )
        why = candidate.item.undeclarable
        return NotDeclarableError(f"{what}: {why}. Leave it out") if why else None
    if candidate.unread:
        return NotReadableError(f"{what}: it {unread_text(candidate, partition)}")
    if candidate.seen_as is not None:
        return MismatchError(f"{what}: it is {candidate.seen_as}, and declared as {declared}")
    form = f", which is written as {id_form}" if id_form else ""
    return NotThereError(
        f"{what}: there is no {declared} of this id in account {partition.account}, region {partition.region}. "
        f"Correct the identifier{form}, or name the region where it is"
    )


def _renaming_text(known: LogicalId) -> str:
    return (
        f"this process manages it already, as {known}, and a resource cannot be given another logical id within its "
        f"process yet. Keep the logical id {known}. Or rename it by three updates: one that gives {known} a "
        f"DeletionPolicy Retain, one that removes {known}, and one that adds the new logical id with the identifier. "
        "Without the identifier another one is made, and the present one is deleted"
    )


def unread_text(candidate: Candidate, partition: Partition) -> str:
    """Return the reason why a thing could not be read, and the advice, in words that follow its name."""
    advice = (
        f"Permit the account {partition.account} to read it, also in the policy of the thing itself"
        if candidate.is_denied
        else "Try again; while this lasts it cannot be adopted, and a resource without its identifier makes another one"
    )
    return f"could not be read: {candidate.unread.rstrip('.')}. {advice}"


def as_adopted(
    snapshot: Snapshot, declaration: Declaration, properties: JsonMap, digest: str, candidate: Candidate
) -> ManagedObject:
    """The thing as the incarnation that it would be: already given everything that is declared."""
    table = CATALOGUE[snapshot.types[declaration.type].lifecycle]
    return ManagedObject(
        object_id=ObjectId(""),
        lifecycle=table.name,
        type=declaration.type,
        provider=snapshot.process.provider,
        partition=snapshot.process.partition,
        fid=snapshot.process.fid,
        logical_id=declaration.logical_id,
        state=table.ready,
        target=table.ready,
        created_at=snapshot.now,
        moved_at=snapshot.now,
        touched_at=snapshot.now,
        physical_id=candidate.physical_id,
        desired=properties,
        desired_digest=digest,
        attributes=told(properties, candidate.item.attributes) if candidate.item else {},
    )


def as_it_is(properties: JsonMap, observed: JsonMap, changes: Sequence[Change]) -> JsonMap:
    """The declared properties, with everything that differs left as it is, or out where nothing is there."""
    different = {change.path.split(".")[0] for change in changes}
    kept = {name: value for name, value in properties.items() if name not in different and resolve.is_resolved(value)}
    return kept | {name: observed[name] for name in sorted(different) if name in observed}


def newly_named(composition: Composition, known: Composition | None) -> tuple[LogicalId, ...]:
    """The addresses that name something to be adopted and that `known` does not declare."""
    before = {one.logical_id for one in known.resources} if known else set()
    return tuple(
        one.logical_id
        for one in composition.resources
        if identifier_of(one) is not None and one.logical_id not in before
    )
