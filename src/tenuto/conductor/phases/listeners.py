"""State listeners: told which objects reached a state, beside the orchestration (specification: "State Listeners").

Theory of operation. Events are read off the committed changes, so that nothing is announced that did not happen: one
event per type, state and process with all objects that reached the state in one commit. In production every listener
has a thread and a bounded queue of its own: one that raises, hangs or is slow cannot delay an object, nor another
listener. When a queue is full the oldest event is dropped and logged; listeners are for notices, and nothing tracks
their work. Tests deliver on the calling thread.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Protocol

import structlog

from tenuto.core.phases.record import ResourceView, SpecificationNames
from tenuto.kit.contained import contained
from tenuto.model.ids import Fid
from tenuto.model.resource import ManagedObject
from tenuto.plugins import ListenerPlugin
from tenuto.ports.store_changes import CreateObject, SaveObject, StoreChange

CAPACITY = 1000
"""Events that wait for one listener. A commit makes a handful, so this is minutes of a busy Conductor."""
EVERY_TYPE = "*"

NameOf = Callable[[Fid], str]
"""The name that people know a process by."""

_log = structlog.get_logger("tenuto.listeners")


@dataclass(frozen=True, kw_only=True)
class StateEvent(SpecificationNames):
    """An event about all objects of one type and process that reached one state in one commit
    (`ports.phase.StateEvent`).
    """

    type: str
    state: str
    process: str | None
    """The alias of the process, or its id when it has none."""
    resources: Sequence[ResourceView]

    # The method names of the specification.

    def get_type(self) -> str:
        return self.type

    def get_state(self) -> str:
        return self.state

    def get_cluster_name(self) -> str | None:
        return self.process

    def get_resources(self) -> Sequence[ResourceView]:
        return self.resources


class Listeners(Protocol):
    """The receiver of committed changes for the listeners of plugins. Never raises and never blocks on a listener."""

    def publish(self, changes: Sequence[StoreChange], name_of: NameOf = str) -> None: ...

    def retire(self) -> None:
        """Deliver the queued events, and end: nothing is announced here any more."""
        ...


class InlineListeners:
    """Delivers on the calling thread, in the order of the names. For tests and single steps."""

    def __init__(self, plugins: Iterable[ListenerPlugin]) -> None:
        self._plugins = _by_name(plugins)

    def publish(self, changes: Sequence[StoreChange], name_of: NameOf = str) -> None:
        for event in events_of(changes, name_of) if self._plugins else ():
            for plugin in self._plugins:
                _deliver(plugin, event)

    def retire(self) -> None:
        """Do nothing: there is no queue."""


class ThreadedListeners:
    """One daemon thread and one bounded queue per listener. `stop` ends them after their present work."""

    def __init__(self, plugins: Iterable[ListenerPlugin], capacity: int = CAPACITY) -> None:
        self._queues = [_Queue(plugin, capacity) for plugin in _by_name(plugins)]

    def publish(self, changes: Sequence[StoreChange], name_of: NameOf = str) -> None:
        for event in events_of(changes, name_of) if self._queues else ():
            for queue in self._queues:
                queue.put(event)

    def retire(self) -> None:
        for queue in self._queues:
            queue.close()

    def stop(self, timeout_s: float) -> None:
        """Deliver the queued events, for at most `timeout_s` per listener; a listener that hangs is left behind."""
        self.retire()
        for queue in self._queues:
            queue.join(timeout_s)


class _Queue:
    """The events that wait for one listener, and the thread that delivers them."""

    def __init__(self, plugin: ListenerPlugin, capacity: int) -> None:
        self._plugin = plugin
        self._capacity = capacity
        self._waiting: deque[StateEvent] = deque()
        self._changed = Condition()
        self._is_closed = False
        self._thread = Thread(target=self._run, name=f"listener {plugin.definition.name}", daemon=True)
        self._thread.start()

    def put(self, event: StateEvent) -> None:
        if not _wants(self._plugin, event):
            return
        with self._changed:
            if len(self._waiting) >= self._capacity:
                dropped = self._waiting.popleft()
                _log.warning("listener.dropped", listener=self._plugin.definition.name, state=dropped.state)
            self._waiting.append(event)
            self._changed.notify()

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_closed)
                if not self._waiting:
                    return
                event = self._waiting.popleft()
            _deliver(self._plugin, event)


def events_of(changes: Iterable[StoreChange], name_of: NameOf = str) -> tuple[StateEvent, ...]:
    """The events of a commit for listeners, in the order in which the states were first reached.

    The resources of an event are in the order of their names: object ids are drawn, and their order says nothing.
    """
    groups: dict[tuple[str, str, Fid | None], list[ManagedObject]] = {}
    for change in changes:
        if isinstance(change, CreateObject):
            reached = [change.object.state]
        elif isinstance(change, SaveObject):
            reached = [move.after for move in change.moves]
        else:
            continue
        for state in reached:
            groups.setdefault((change.object.type, state, change.object.fid), []).append(change.object)
    return tuple(
        StateEvent(
            type=type_,
            state=state,
            process=None if fid is None else name_of(fid),
            resources=tuple(map(ResourceView, sorted(objects, key=lambda one: (one.logical_id, one.incarnation)))),
        )
        for (type_, state, fid), objects in groups.items()
    )


def _by_name(plugins: Iterable[ListenerPlugin]) -> tuple[ListenerPlugin, ...]:
    return tuple(sorted(plugins, key=lambda plugin: plugin.definition.name))


def _wants(plugin: ListenerPlugin, event: StateEvent) -> bool:
    definition = plugin.definition
    return event.state in definition.states and (event.type in definition.types or EVERY_TYPE in definition.types)


def _deliver(plugin: ListenerPlugin, event: StateEvent) -> None:
    """Call a listener that wants the event. An exception of the listener is logged and goes no further."""
    if not _wants(plugin, event):
        return
    try:
        with contained(f"listener {plugin.definition.name}"):
            plugin.handler.on_state_transition(event)
    except Exception:  # noqa: BLE001 - a listener may raise anything
        _log.exception("listener.failed", listener=plugin.definition.name, type=event.type, state=event.state)
