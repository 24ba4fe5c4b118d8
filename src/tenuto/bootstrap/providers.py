"""The providers of a Conductor: those that its settings name, made from the plugins that are installed."""

from collections.abc import Callable, Iterable, Sequence

from tenuto.bootstrap.tables import admit_brought, check_lifecycles
from tenuto.errors import PluginError, StoreError, UserError
from tenuto.kit.contained import contained
from tenuto.kit.well_formed import text_of
from tenuto.model.object_type import ObjectType
from tenuto.model.phase_map import PhaseDefinition
from tenuto.ports.clock import Clock
from tenuto.ports.host_door import HasHosts, HostDoor
from tenuto.ports.host_keeper import HostKeeper, host_keeper_of
from tenuto.ports.objects import ObjectWork, OffersObjects
from tenuto.ports.provider import OpSink, Provider
from tenuto.provider_plugins import ProviderKit, ProviderPlugin, check_types, find_providers, installed_providers

MakeKit = Callable[[OpSink, Clock], ProviderKit]


def named_providers(names: Sequence[str]) -> tuple[tuple[ProviderPlugin, ...], tuple[PluginError, ...]]:
    """The plugins of these names. Raises UserError when none of them can be used."""
    found = find_providers(installed_providers(), names)
    if not found.plugins:
        raise UserError(f"The Conductor has no provider to start with: {_told(found.errors)}")
    return found.plugins, found.errors


class ProviderMaker:
    """Makes providers for `build`, and keeps them in `made`. A plugin that fails is left out, and named in `errors`."""

    def __init__(self, plugins: Iterable[ProviderPlugin], kit: MakeKit) -> None:
        self.errors: list[PluginError] = []
        self.made: tuple[Provider, ...] = ()
        self._plugins = tuple(plugins)
        self._kit = kit

    def __call__(self, ops: OpSink, clock: Clock) -> Iterable[Provider]:
        """Raises UserError when no provider is left."""
        kit = self._kit(ops, clock)
        made: list[Provider] = []
        for plugin in self._plugins:
            try:
                made.append(_made(plugin, kit))
            except PluginError as error:
                self.errors.append(error)
        if not made:
            raise UserError(f"The Conductor has no provider to start with: {_told(self.errors)}")
        self.made = tuple(made)
        return made

    def door(self) -> HostDoor | None:
        """The door for hosts of the first provider that has one."""
        doors = (one.door() for one in self.made if isinstance(one, HasHosts))
        return next((door for door in doors if door is not None), None)

    def keeper(self, work: ObjectWork) -> HostKeeper | None:
        """The keeper of the hosts of the first provider that has hosts of its own."""
        return host_keeper_of(self.made, work)


def _made(plugin: ProviderPlugin, kit: ProviderKit) -> Provider:
    try:
        with contained("it"):
            admit_brought(plugin, kit.store)
            provider = plugin.make(kit)
            types = provider.types()
            check_lifecycles(plugin.name, types)
            _check_objects(provider)
    except PluginError as error:
        raise PluginError(f"{plugin.origin} was refused: {error}") from error
    except UserError as error:
        raise PluginError(f"{plugin.origin} was refused: {error}") from error
    except StoreError:
        raise  # It is the store that does not answer: the start as a whole is tried again.
    except Exception as error:
        told = f"{type(error).__name__} when it was made: {text_of(error)}"
        raise PluginError(f"{plugin.origin} was refused: it raised {told}") from error
    if provider.name != plugin.name:
        raise PluginError(f"{plugin.origin} was refused: the provider that it made is called {provider.name}")
    check_types(plugin, types)
    return provider


def _check_objects(provider: Provider) -> None:
    """Raise PluginError when the types and phases of the provider's own objects are none: they are taken later."""
    if not isinstance(provider, OffersObjects):
        return
    for one in _listed("object_types", provider.object_types()):
        if not isinstance(one, ObjectType):
            raise PluginError(f"its object_types gives {type(one).__name__} in place of an ObjectType")
    for one in _listed("object_phases", provider.object_phases()):
        match one:
            case (PhaseDefinition(), handler) if callable(getattr(handler, "handle", None)):
                continue
        raise PluginError(f"its object_phases gives {type(one).__name__} in place of a definition and its handler")


def _listed(name: str, given: object) -> Sequence[object]:
    if isinstance(given, Sequence) and not isinstance(given, str):
        return given
    raise PluginError(f"its {name} gives {type(given).__name__} in place of a sequence")


def _told(errors: Iterable[PluginError]) -> str:
    return " ".join(str(one).rstrip(".") + "." for one in errors)
