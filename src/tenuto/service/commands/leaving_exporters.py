"""The imports of a process from processes that end: a command that would add one is refused.

A process that is being killed or released still exports until it is gone, but the thing behind the export is deleted or
let go of within the next jobs. An importer that began then would converge on it, and would lose it without a message.
So a run or an update adds no import from a process that ends, nor from one that was suspended in the middle of its
kill: there `kill` goes on, and nothing that came later may stand in its way.

A process that was suspended in the middle of its kill imports anew when it is resumed. That is refused likewise, but
not among processes that import from each other: none of them could be resumed first.

An import that a process has already stays, and its jobs go on with the value: to keep the exporter for it is for the
refusal of the kill (`exports_in_use`).
"""

from collections.abc import Callable, Collection, Iterable

from tenuto.core.planning.comparing.imports import exports_of, imported_names
from tenuto.core.planning.intents import is_ending, is_halted_in_kill
from tenuto.model.command import Command, ProcessState
from tenuto.model.composition import Composition
from tenuto.model.ids import Fid
from tenuto.model.outcome import Context
from tenuto.model.process import Process
from tenuto.service.commands.orders import Order
from tenuto.service.commands.told_by_reader import IsSeen, ToldByReaderError


class LeavingExporterError(ToldByReaderError):
    """A process would import from one that ends."""

    def __init__(self, name: str, exporter: Process) -> None:
        self._name, self._exporter = name, exporter
        super().__init__()

    def _message(self, is_seen: IsSeen) -> str:
        one, is_named = self._exporter, is_seen(self._exporter.fid)
        name = one.alias or one.fid
        who = f"process {name}" if is_named else "a process that you may not see"
        return (
            f"The import {self._name} is refused: {who} exports it and {_end_of(one)}, so the export ends with it. "
            f"Wait until that process is gone and another one exports {self._name}{_way_back(one, is_named)}."
        )


def check_exporters(
    order: Order,
    known: Composition | None,
    others: Iterable[tuple[Process, Composition]],
    context: Context,
    sources: Callable[[Process], Collection[Fid]],
) -> None:
    """Raise LeavingExporterError when the order adds an import from one of the other processes that ends.

    `known` is the composition of the process before the order. `sources` tells from which processes one imports.
    """
    added = _added(order, known, context)
    if not added:
        return
    for other, composition in others:
        if not is_ending(other):
            continue
        for name in exports_of(other, composition, context):
            if name in added and not (order.command is Command.RESUME and order.process.fid in sources(other)):
                raise LeavingExporterError(name, other)


def may_add_imports(order: Order) -> bool:
    """Whether the process may import more after the order than before."""
    return order.composition is not None and (order.is_new_composition or _cancels_kill(order))


def _cancels_kill(order: Order) -> bool:
    return order.command is Command.RESUME and order.before is not None and is_halted_in_kill(order.before)


def _added(order: Order, known: Composition | None, context: Context) -> frozenset[str]:
    """The names that the process imports after the order, and not before."""
    if order.composition is None or not may_add_imports(order):
        return frozenset()
    names = frozenset(imported_names(order.process, order.composition, context))
    if _cancels_kill(order) or order.before is None or known is None:
        return names
    return names.difference(imported_names(order.before, known, context))


def _end_of(process: Process) -> str:
    if process.releasing is not None:
        return "is being released"
    return "is being killed" if process.state is ProcessState.KILLING else "was suspended in the middle of its kill"


def _way_back(process: Process, is_named: bool) -> str:
    """The commands that keep the exporter, after a comma; empty where there is none. A release is not taken back."""
    if process.releasing is not None:
        return ""
    if not is_named:
        return ", or have its kill cancelled first"
    name = process.alias or process.fid
    pause = "" if process.state is ProcessState.SUSPENDED else f"'tenuto suspend {name}', then "
    return f", or cancel the kill first: {pause}'tenuto resume {name}'"
