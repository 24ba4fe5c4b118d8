"""The exports of a process, which have names of their own and are imported by other live processes, and the effect of a
command on them.

A name is exported by one live process of an account and region: a composition with a name that another one has is
refused, as by CloudFormation. With two of them, an importer would follow the one that was read last.

The resources of importers depend on the thing that an export names, and their next jobs could not be planned without a
value. So a command that takes an export away is refused with the names of the importers, the same in a dry run, and it
is for people to say which of them goes first. One that gives an export another value is not: the importers follow by
themselves. But the plan names them, for a resource that depends on the value may be replaced.

A kill or a release goes on once it was accepted, and a process adds no import from one that ends
(`leaving_exporters`). A process that is being killed or released imports nothing any more. Of processes that import
from each other, directly or through others, none could go first: for the kill or the release of one, the others of its
circle do not count.

Of two commands that are given at the same moment, one would add the export that the other adds, or take away the one
that the other imports, and neither sees the other in the store. So orders that are about exports are stored one after
the other, and each is checked once more before (`holding`). One Conductor leads, and it alone stores orders.

A reader is told the names of importers that they may see, and the number of the others.
"""

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from tenuto.core.language.resolve import referenced_resources
from tenuto.core.planning.comparing.holding import Holders, earlier_plans, exported_texts
from tenuto.core.planning.comparing.imports import beside, exports_of, imported_names
from tenuto.core.planning.comparing.references import Addresses
from tenuto.core.planning.intents import is_ending
from tenuto.errors import ExportInUseError, ProviderError
from tenuto.model.access import Right
from tenuto.model.command import Command
from tenuto.model.composition import Composition
from tenuto.model.ids import Fid
from tenuto.model.outcome import NOWHERE, Context
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.model.verb import Verb
from tenuto.ports.conductor import Conductor
from tenuto.ports.store import Store
from tenuto.service.access.callers import Caller
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.commands.leaving_exporters import check_exporters, may_add_imports
from tenuto.service.commands.orders import Order
from tenuto.service.commands.told_by_reader import IsSeen, ToldByReaderError

_ENDS = frozenset({Command.KILL, Command.RELEASE})
_TAKES_AWAY = _ENDS | {Command.UPDATE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """A process that imports a name, with the resources that do."""

    fid: Fid
    name: str
    resources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """An export that gets another value, and its importers."""

    export: str
    importers: tuple[Importer, ...]

    def text(self, is_seen: IsSeen) -> str:
        """The sentence for a reader."""
        return (
            f"{self.export} gets another value, and is imported by {_names(self.importers, is_seen)}. The next job of "
            "an importer follows, and makes anew what cannot be changed. A job that would replace several resources, "
            "or one with data, may be held: then the importer is Suspended until 'resume' approves its plan."
        )


class ExportTakenError(ToldByReaderError):
    """A composition would export a name that another live process exports."""

    def __init__(self, name: str, other: Process) -> None:
        self._name, self._other = name, other
        super().__init__()

    def _message(self, is_seen: IsSeen) -> str:
        other = self._other
        who = f"process {other.alias or other.fid}" if is_seen(other.fid) else "a process that you may not see"
        return (
            f"The export {self._name} exists already in the account {other.partition.account}, region "
            f"{other.partition.region}: {who} has it. Give the export another name, or remove it from the other "
            "process first."
        )


class ImportedError(ToldByReaderError):
    """A command would take away exports that other processes import."""

    told_as = ExportInUseError

    def __init__(self, process: str, command: Command, dropped: Sequence[tuple[str, tuple[Importer, ...]]]) -> None:
        self._process, self._command, self._dropped = process, command, tuple(dropped)
        super().__init__()

    def _message(self, is_seen: IsSeen) -> str:
        users = [f"{name}, imported by {_names(importers, is_seen)}" for name, importers in self._dropped]
        return (
            f"Process {self._process} exports {'; and '.join(users)}: '{self._command}' would take that away. "
            "Kill the importers first, or update them so that they import it no more. An update counts once a job has "
            "applied it; a Suspended importer applies it when it is resumed."
        )


def as_told(error: Exception, gatekeeper: Gatekeeper, caller: Caller) -> Exception:
    """The error as a caller is told it, without the names of importers that they may not see. Raises ForbiddenError for
    one who is not known any more."""
    if not isinstance(error, ToldByReaderError):
        return error
    return error.for_reader(gatekeeper.seen_by(caller, Right.STATUS))


def _names(importers: Sequence[Importer], is_seen: IsSeen) -> str:
    """The importers that a reader may see, and the number of the others."""
    seen = [f"{one.name} ({', '.join(one.resources)})" for one in importers if is_seen(one.fid)]
    hidden = len(importers) - len(seen)
    if not hidden:
        return ", ".join(seen)
    more = f"{hidden} {'other ' if seen else ''}process{'' if hidden == 1 else 'es'} that you may not see"
    return f"{', '.join(seen)} and {more}" if seen else more


class ExportsInUse:
    """The guard of exports that other processes import. Asked with every order before it is carried out
    or rehearsed.
    """

    def __init__(self, *, store: Store, conductor: Conductor) -> None:
        self._store = store
        self._conductor = conductor
        self._storing = threading.Lock()

    @contextmanager
    def holding(self, order: Order) -> Iterator[None]:
        """While an order is stored: what `check` finds stays true. Raises its errors."""
        if not self._concerns(order):
            yield
            return
        with self._storing:
            self.check(order)
            yield

    def _concerns(self, order: Order) -> bool:
        new = order.composition if order.is_new_composition else None
        if new is not None and (new.is_exporting or imported_names(order.process, new, NOWHERE)):
            return True
        return order.command in _TAKES_AWAY and self._exporting(order)[1] is not None

    def check(self, order: Order) -> None:
        """Raise ExportTakenError when another live process has an export that the order would add, LeavingExporterError
        when one that ends has an import that it would add, and ImportedError when one imports an export that it takes
        away. A kill or a release that was accepted once goes on."""
        self._check_names(order)
        self._check_imports(order)
        if order.command in _ENDS and order.before is not None and is_ending(order.before):
            return
        process, composition = self._exporting(order)
        if process is None or composition is None or order.command not in _TAKES_AWAY:
            return
        context = self._context(process)
        after = order.composition if order.command is Command.UPDATE else None
        kept = exports_of(order.process, after, context) if after is not None else ()
        dropped = [name for name in exports_of(process, composition, context) if name not in kept]
        if not dropped:
            return
        circle = () if order.command is Command.UPDATE else self._sources(process, context)
        texts = exported_texts(process, composition, self._store.objects(process.fid), context)
        users = [
            (name, by)
            for name in dropped
            if (by := self._importers(process, name, context, texts[name], spared=circle))
        ]
        if users:
            raise ImportedError(process.alias or process.fid, order.command, users)

    def _check_names(self, order: Order) -> None:
        if order.composition is None or not (order.is_new_composition and order.composition.is_exporting):
            return
        context = self._context(order.process)
        _, known = self._exporting(order)
        before = exports_of(order.before, known, context) if order.before is not None and known is not None else {}
        added = [name for name in exports_of(order.process, order.composition, context) if name not in before]
        if not added:
            return
        for other, composition in self._others(order.process):
            for name in exports_of(other, composition, context):
                if name in added:
                    raise ExportTakenError(name, other)

    def _check_imports(self, order: Order) -> None:
        if order.composition is None or not may_add_imports(order):
            return
        if not imported_names(order.process, order.composition, NOWHERE):
            return
        context = self._context(order.process)
        known = self._store.composition(order.before.composition_digest) if order.before is not None else None
        check_exporters(order, known, self._others(order.process), context, lambda one: self._sources(one, context))

    def _others(self, process: Process) -> Iterator[tuple[Process, Composition]]:
        return beside(process, self._store.processes(), self._store.composition)

    def _sources(self, process: Process, context: Context) -> tuple[Fid, ...]:
        """The processes that this one imports from, directly or through others."""
        own = self._store.composition(process.composition_digest)
        known = [*self._others(process), *([(process, own)] if own is not None else [])]
        exporter = {name: one.fid for one, composition in known for name in exports_of(one, composition, context)}
        imports = {one.fid: imported_names(one, composition, context) for one, composition in known}
        found: dict[Fid, None] = {}
        waiting = [process.fid]
        while waiting:
            sources = [exporter[name] for name in imports.get(waiting.pop(), ()) if name in exporter]
            waiting += [fid for fid in sources if fid not in found]
            found.update(dict.fromkeys(sources))
        return tuple(found)

    def moved(self, order: Order, plan: Plan) -> tuple[Follower, ...]:
        """The imported exports that have another value when the plan is done."""
        process, composition = self._exporting(order)
        if process is None or composition is None:
            return ()
        context = self._context(process)
        before = exports_of(process, composition, context)
        after = exports_of(order.process, order.composition or composition, context)
        objects = self._store.objects(process.fid)
        answering = {one.object_id for one in Addresses.of(objects).all_answering}
        anew = {
            one.logical_id
            for one in plan.operations
            if one.verb is Verb.REPLACE or one.object_id in answering
            if one.is_destructive
        }
        moved = [
            name
            for name, value in after.items()
            if name in before and (value != before[name] or not anew.isdisjoint(referenced_resources(value)))
        ]
        texts = exported_texts(process, composition, objects, context) if moved else {}
        return tuple(
            Follower(export=name, importers=by)
            for name in moved
            if (by := self._importers(process, name, context, texts[name]))
        )

    def _exporting(self, order: Order) -> tuple[Process | None, Composition | None]:
        """The process before the order, with its composition where that exports anything."""
        process = order.before
        composition = self._store.composition(process.composition_digest) if process is not None else None
        return process, composition if composition is not None and composition.is_exporting else None

    def _importers(
        self,
        process: Process,
        name: str,
        context: Context,
        texts: Collection[str],
        *,
        spared: Collection[Fid] = (),
    ) -> tuple[Importer, ...]:
        """The processes that import a name, or hold one of its texts, without those that leave, and the spared ones."""
        plans = earlier_plans(self._store)
        found = []
        for other, composition in self._others(process):
            if other.is_leaving or other.fid in spared:
                continue
            resources = imported_names(other, composition, context).get(name, ())
            if not resources and other.converged_at is None:
                resources = Holders(other, self._store.objects(other.fid), plans).of(texts)
            if resources:
                found.append(Importer(fid=other.fid, name=other.alias or other.fid, resources=resources))
        return tuple(found)

    def _context(self, process: Process) -> Context:
        # A name that needs the account cannot be told while the provider cannot be asked; the others can.
        with suppress(ProviderError):
            return self._conductor.context(process.provider, process.partition)
        return NOWHERE
