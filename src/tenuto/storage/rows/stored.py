"""The stored form of an object and of a process, as every store gives it back."""

from tenuto.kit.canonical import plain
from tenuto.kit.evolve import evolve
from tenuto.model.phase_map import PhaseEntry
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_changes import CreateProcess, SaveObject, SaveProcess


def created(item: ManagedObject) -> ManagedObject:
    """A new object as it is stored. Raises DocumentError for a value that JSON cannot hold."""
    phases = {phase: _entry(item.phases[phase]) for phase in sorted(item.phases)}
    return evolve(item, desired=plain(item.desired), attributes=plain(item.attributes), phases=phases)


def saved(before: ManagedObject, change: SaveObject) -> ManagedObject:
    """The stored object after a change of it: only the parts that the change names differ. Raises DocumentError."""
    item = change.object
    phases = before.phases
    if change.entries:
        named = {phase: _entry(item.phases[phase]) for phase in change.entries if phase in item.phases}
        merged = {phase: entry for phase, entry in phases.items() if phase not in change.entries} | named
        phases = {phase: merged[phase] for phase in sorted(merged)}
    return evolve(
        item,
        generation=change.expected_generation + 1,
        desired=plain(item.desired) if change.documents else before.desired,
        attributes=plain(item.attributes) if change.documents else before.attributes,
        depends_on=item.depends_on if change.documents else before.depends_on,
        kept=item.kept if change.documents else before.kept,
        phases=phases,
    )


def stored_process(change: CreateProcess | SaveProcess) -> Process:
    """The stored process after a change of it, which writes the whole of it. Raises DocumentError."""
    process = change.process
    return evolve(
        process,
        generation=change.expected_generation + 1 if isinstance(change, SaveProcess) else process.generation,
        lookups=plain(process.lookups),
        sealed=plain(process.sealed),
        adopting=plain(process.adopting),
    )


def _entry(entry: PhaseEntry) -> PhaseEntry:
    act = entry.act
    if act.progress or act.fingerprints or act.sent_as:
        act = evolve(
            act, progress=plain(act.progress), fingerprints=plain(act.fingerprints), sent_as=plain(act.sent_as)
        )
    return evolve(entry, data=plain(entry.data), act=act) if entry.data or act is not entry.act else entry
