"""The exports of a process that other live processes import, and the effect of a command on them.

The resources of importers stand on what an export names, and their next jobs could not be planned without a value. So
a command that takes an export away is refused with the names of the importers, the same in a dry run, and it is for
people to say which of them goes first. One that gives an export another value is not: the importers follow by
themselves. But the plan names them, for what stands on the value may be made anew.
"""

from contextlib import suppress

from tenuto.core.language.resolve import referenced_resources
from tenuto.core.planning.references import exports_of, imported_names
from tenuto.errors import NotAllowedError, ProviderError
from tenuto.model.composition import Composition
from tenuto.model.outcome import Context
from tenuto.model.plan import Plan, Verb
from tenuto.model.process import Command, Process
from tenuto.ports.conductor import Conductor
from tenuto.ports.store import Store
from tenuto.service.orders import Order

_TAKES_AWAY = frozenset({Command.UPDATE, Command.KILL, Command.RELEASE})


class ExportsInUse:
    """The guard of exports that other processes import. Asked with every order before it is carried out
    or rehearsed.
    """

    def __init__(self, *, store: Store, conductor: Conductor) -> None:
        self._store = store
        self._conductor = conductor

    def check(self, order: Order) -> None:
        """Raise NotAllowedError when another live process imports an export that the order takes away."""
        process, composition = self._exporting(order)
        if process is None or composition is None or order.command not in _TAKES_AWAY:
            return
        context = self._context(process)
        after = order.composition if order.command is Command.UPDATE else None
        kept = exports_of(order.process, after, context) if after is not None else ()
        dropped = [name for name in exports_of(process, composition, context) if name not in kept]
        users = [f"{name}, imported by {by}" for name in dropped if (by := self._importers(process, name, context))]
        if users:
            name = process.alias or process.fid
            raise NotAllowedError(
                f"Process {name} exports {'; and '.join(users)}: '{order.command}' would take that away. "
                "Kill the importers first, or update them so that they import it no more."
            )

    def moved(self, order: Order, plan: Plan) -> tuple[str, ...]:
        """One sentence for each imported export that has another value when the plan is done."""
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
            f"{name} gets another value, and is imported by {by}. The next job of an importer follows, and makes anew "
            "what cannot be changed."
            for name in moved
            if (by := self._importers(process, name, context))
        )

    def _exporting(self, order: Order) -> tuple[Process | None, Composition | None]:
        """The process before the order, with its composition where that exports anything."""
        process = order.before
        composition = self._store.composition(process.composition_digest) if process is not None else None
        exports = composition is not None and any(one.export is not None for one in composition.outputs)
        return process, composition if exports else None

    def _importers(self, process: Process, name: str, context: Context) -> str:
        """The processes that import a name, with the resources that do; empty when none does."""
        found = []
        for other in self._store.processes():
            if other.fid == process.fid or other.partition != process.partition:
                continue
            composition = self._store.composition(other.composition_digest)
            resources = imported_names(other, composition, context).get(name, ()) if composition else ()
            if resources:
                found.append(f"{other.alias or other.fid} ({', '.join(resources)})")
        return ", ".join(found)

    def _context(self, process: Process) -> Context:
        # A name that needs the account cannot be told while the provider cannot be asked; the others can.
        with suppress(ProviderError):
            return self._conductor.context(process.provider, process.partition)
        return Context(account_id="")
