"""The reload of the plugins, as a command with an event of its own: the user who asked, and the result."""

from tenuto.model.event import Event, EventType
from tenuto.ports.clock import Clock
from tenuto.ports.conductor import Conductor, PluginReload
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append


class Plugins:
    """The reload of plugins. Raises StoreError when it could not be recorded; it is in force then."""

    def __init__(self, *, store: Store, clock: Clock, conductor: Conductor) -> None:
        self._store = store
        self._clock = clock
        self._conductor = conductor

    def reload(self, *, actor: str) -> PluginReload:
        """Have the Conductor read its plugins again. A refused plugin is in the answer, and changes nothing."""
        reload = self._conductor.reload_plugins()
        parts = (("loaded", reload.loaded), ("removed", reload.removed), ("refused", reload.errors))
        told = "; ".join(f"{word}: {', '.join(names)}" for word, names in parts if names) or "nothing new"
        event = Event(at=self._clock.now(), type=EventType.PLUGINS_RELOADED, subject="plugins", after=told, actor=actor)
        self._store.commit((Append(events=(event,)),))
        return reload
