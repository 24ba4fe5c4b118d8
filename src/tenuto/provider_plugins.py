"""The plugin of a provider: the value that an entry point of the group `tenuto.providers` names.

    from tenuto.provider_plugins import ProviderKit, ProviderPlugin

    def make(kit: ProviderKit) -> Provider:
        return ToyProvider(clock=kit.clock, ops=kit.ops)

    PLUGIN = ProviderPlugin(name="toy", prefixes=("Toy::",), types=lambda: TYPES, make=make)

Theory of operation. A Conductor makes the providers that its settings name (`providers`); the compiler of the command
line, which has no Conductor to ask, uses the types and schemas of all that are installed. So a plugin is a value with
functions: to import it must cost next to nothing, and to make a provider is the Conductor's business alone. One bad
plugin never ends the others: each error is a PluginError that names the plugin, and says what to do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from tenuto.errors import BugError, PluginError
from tenuto.kit.address_pools import AddressPools
from tenuto.kit.nearest import meant
from tenuto.kit.reach import Reach
from tenuto.kit.setting_values import DEFAULT_NODE_DEADLINE_S
from tenuto.kit.well_formed import error_text
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.resource import ResourceType
from tenuto.ports.accounts import AccountBook
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.ports.store import Store

__all__ = ["FoundProviders", "ProviderKit", "ProviderPlugin", "find_providers", "installed_providers"]

GROUP = "tenuto.providers"
_LEFT_OUT = "leave it out of the providers that are named (TENUTO_PROVIDERS)."
_HOW = f"Install it, correct the name, or {_LEFT_OUT}"
_MEND = f"Correct the package that brings it, or {_LEFT_OUT}"


def file_beside(database: Path, ending: str) -> Path:
    """A file that belongs to a database: `tenuto.db` and `simulated.json` give `tenuto.simulated.json`."""
    return database.with_name(f"{database.stem}.{ending}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderKit:
    """The services that a Conductor gives to a provider that it makes.

    `ops` is asked before each changing call, and told of each call. `store` is for values that must outlive the
    Conductor, as the state of rate limits must. `database` is the path of the Conductor's own file, beside which a
    provider may keep files; None when the database is no file. `identity_interval_s` is for how many seconds the answer
    to whose an account's credentials are is good; `api_share` is the share of the allowed calls that may be made, None
    for the provider's own; `ignored_tags` are keys of tags that others write, with `*` for any text. `takes_hosts` says
    that the Conductor listens to hosts of the provider's own (`ports.host_door`), and `node_deadline_s` after how many
    seconds without a call one of them is missing. `image_reach` is where URLs of images may lead besides public
    addresses, and `floating_pool` has the addresses by which machines are reached from outside of their networks.
    """

    ops: OpSink
    clock: Clock
    accounts: AccountBook
    store: Store
    database: Path | None = None
    identity_interval_s: float
    api_share: float | None = None
    ignored_tags: tuple[str, ...] = ()
    takes_hosts: bool = False
    node_deadline_s: float = DEFAULT_NODE_DEADLINE_S
    image_reach: Reach = field(default_factory=Reach)
    floating_pool: AddressPools = field(default_factory=AddressPools)

    def file_beside(self, ending: str) -> Path | None:
        """A file of the provider's own; None when the database is no file, and nothing outlives the Conductor."""
        return None if self.database is None else file_beside(self.database, ending)


def _no_schemas() -> Mapping[TypeName, JsonMap]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderPlugin:
    """One provider. Processes and phases are bound to `name`, which never changes.

    The names of its types begin with one of the `prefixes`, such as `Toy::`. `types` and `schemas` need no credentials
    and give the same answer every time; a schema is a document in the form that CloudFormation publishes, and the
    declarations of a type without one are not checked by the compiler. `lifecycles` are tables of the provider's own,
    for types that those of Tenuto do not fit. `make` is called once for each life of a Conductor. `origin` is the entry
    point it was found by, for messages.
    """

    name: str
    prefixes: tuple[str, ...]
    types: Callable[[], Mapping[TypeName, ResourceType]]
    make: Callable[[ProviderKit], Provider]
    schemas: Callable[[], Mapping[TypeName, JsonMap]] = _no_schemas
    lifecycles: Callable[[], Iterable[Lifecycle]] = tuple
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundProviders:
    """The plugins that can be used, in the order in which they were named, and the errors of the others."""

    plugins: tuple[ProviderPlugin, ...] = ()
    errors: tuple[PluginError, ...] = field(default=())


def installed_providers() -> tuple[EntryPoint, ...]:
    """The entry points of the group, by name."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)))


def find_providers(points: Iterable[EntryPoint], names: Sequence[str] | None = None) -> FoundProviders:
    """Load the providers of these names, or all that are installed. A bad one is named and left out."""
    known: dict[str, EntryPoint] = {}
    for point in points:
        known.setdefault(point.name, point)
    found: list[ProviderPlugin] = []
    errors: list[PluginError] = []
    for name in dict.fromkeys(sorted(known) if names is None else names):
        if name not in known:
            there = f"There are: {', '.join(sorted(known))}." if known else "None is installed."
            errors.append(
                PluginError(f"there is no provider {name} among those installed.{meant(name, known)} {there} {_HOW}")
            )
            continue
        try:
            found.append(_loaded(known[name], found))
        except PluginError as error:
            errors.append(error)
    return FoundProviders(plugins=tuple(found), errors=tuple(errors))


def _loaded(point: EntryPoint, before: Sequence[ProviderPlugin]) -> ProviderPlugin:
    """The plugin of an entry point. Raises PluginError."""
    origin = f"provider {point.name} ({point.value})"
    try:
        plugin = point.load()
    except BugError as error:  # A table that is not well formed says why.
        raise PluginError(f"{origin} was refused: {error}. {_MEND}") from error
    except (Exception, SystemExit) as error:
        raise PluginError(f"{origin} was refused: it raised {error_text(error)} when it was loaded. {_MEND}") from error
    if not isinstance(plugin, ProviderPlugin):
        raise PluginError(f"{origin} was refused: it gives {plugin!r}, which is no ProviderPlugin. {_MEND}")
    if plugin.name != point.name:
        raise PluginError(f"{origin} was refused: it calls itself {plugin.name}. Name the entry point the same.")
    if not plugin.prefixes or not all(prefix.endswith("::") and len(prefix) > 2 for prefix in plugin.prefixes):
        raise PluginError(f"{origin} was refused: it needs prefixes for the names of its types, such as Acme::.")
    for other in before:
        if shared := sorted(set(plugin.prefixes) & set(other.prefixes)):
            raise PluginError(
                f"{origin} was refused: {', '.join(shared)} is the prefix of the provider {other.name} already. "
                "Name one of the two."
            )
    return replace(plugin, origin=origin)


def check_types(plugin: ProviderPlugin, types: Mapping[TypeName, ResourceType]) -> None:
    """Raise PluginError when a provider states impossible facts about its types. Machines (`Cloud.Node`) are of any
    provider."""
    for name, facts in types.items():
        problem = ""
        if facts.name != name:
            problem = f"it gives {facts.name} for {name}"
        elif facts.provider != plugin.name:
            problem = f"its type {name} is of the provider {facts.provider}"
        elif name != CLOUD_NODE and not name.startswith(plugin.prefixes):
            problem = f"its type {name} begins with none of {', '.join(plugin.prefixes)}"
        if problem:
            raise PluginError(f"{plugin.origin or plugin.name} was refused: {problem}.")
