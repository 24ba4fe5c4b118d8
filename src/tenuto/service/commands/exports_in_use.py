"""The exports of a process that other live processes import, and the effect of a command on them.

The resources of importers stand on what an export names, and their next jobs could not be planned without a value. So
a command that takes an export away is refused with the names of the importers, the same in a dry run, and it is for
people to say which of them goes first. One that gives an export another value is not: the importers follow by
themselves. But the plan names them, for what stands on the value may be made anew.

A reader is told the names of importers that they may see, and the number of the others.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tenuto.core.language.resolve import referenced_resources
from tenuto.core.planning.comparing.references import exports_of, imported_names
from tenuto.errors import NotAllowedError, ProviderError
from tenuto.model.access import Right
from tenuto.model.command import Command
from tenuto.model.composition import Composition
from tenuto.model.ids import Fid
from tenuto.model.outcome import Context
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.model.verb import Verb
from tenuto.ports.conductor import Conductor
from tenuto.ports.store import Store
from tenuto.service.access.callers import Caller
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.commands.orders import Order

IsSeen = Callable[[Fid | None], bool]
_TAKES_AWAY = frozenset({Command.UPDATE, Command.KILL, Command.RELEASE})


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
            "an importer follows, and makes anew what cannot be changed."
        )


class ImportedError(NotAllowedError):
    """A command would take away exports that other processes import. Its text names them all: a border that knows its
    reader tells `as_told` in its place."""

    def __init__(self, process: str, command: Command, dropped: Sequence[tuple[str, tuple[Importer, ...]]]) -> None:
        self._process, self._command, self._dropped = process, command, tuple(dropped)
        super().__init__(self._message(lambda _: True))

    def for_reader(self, is_seen: IsSeen) -> NotAllowedError:
        """The error with what the reader may know."""
        return NotAllowedError(self._message(is_seen))

    def _message(self, is_seen: IsSeen) -> str:
        users = [f"{name}, imported by {_names(importers, is_seen)}" for name, importers in self._dropped]
        return (
            f"Process {self._process} exports {'; and '.join(users)}: '{self._command}' would take that away. "
            "Kill the importers first, or update them so that they import it no more."
        )


def as_told(error: Exception, gatekeeper: Gatekeeper, caller: Caller) -> Exception:
    """The error as a caller is told it, without the names of importers that they may not see. Raises ForbiddenError for
    one who is not known any more."""
    if not isinstance(error, ImportedError):
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

    def check(self, order: Order) -> None:
        """Raise ImportedError when another live process imports an export that the order takes away."""
        process, composition = self._exporting(order)
        if process is None or composition is None or order.command not in _TAKES_AWAY:
            return
        context = self._context(process)
        after = order.composition if order.command is Command.UPDATE else None
        kept = exports_of(order.process, after, context) if after is not None else ()
        dropped = [name for name in exports_of(process, composition, context) if name not in kept]
        users = [(name, by) for name in dropped if (by := self._importers(process, name, context))]
        if users:
            raise ImportedError(process.alias or process.fid, order.command, users)

    def moved(self, order: Order, plan: Plan) -> tuple[Follower, ...]:
        """The imported exports that have another value when the plan is done."""
        process, composition = self._exporting(order)
        if process is None or composition is None:
            return ()
        context = self._context(process)
        before = exports_of(process, composition, context)
        after = exports_of(order.process, order.composition or composition, context)
        anew = {one.logical_id for one in plan.operations if one.verb is Verb.REPLACE}
        moved = [
            name
            for name, value in after.items()
            if name in before and (value != before[name] or not anew.isdisjoint(referenced_resources(value)))
        ]
        return tuple(
            Follower(export=name, importers=by) for name in moved if (by := self._importers(process, name, context))
        )

    def _exporting(self, order: Order) -> tuple[Process | None, Composition | None]:
        """The process before the order, with its composition where that exports anything."""
        process = order.before
        composition = self._store.composition(process.composition_digest) if process is not None else None
        exports = composition is not None and any(one.export is not None for one in composition.outputs)
        return process, composition if exports else None

    def _importers(self, process: Process, name: str, context: Context) -> tuple[Importer, ...]:
        """The processes that import a name."""
        found = []
        for other in self._store.processes():
            if other.fid == process.fid or other.partition != process.partition:
                continue
            composition = self._store.composition(other.composition_digest)
            resources = imported_names(other, composition, context).get(name, ()) if composition else ()
            if resources:
                found.append(Importer(fid=other.fid, name=other.alias or other.fid, resources=tuple(resources)))
        return tuple(found)

    def _context(self, process: Process) -> Context:
        # A name that needs the account cannot be told while the provider cannot be asked; the others can.
        with suppress(ProviderError):
            return self._conductor.context(process.provider, process.partition)
        return Context(account_id="")
