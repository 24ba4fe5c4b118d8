"""The types of the providers that are installed, for a command that has no Conductor to ask.

Nothing is connected to: a provider names its types without credentials. A Conductor may have more providers, so only
the types of these are judged.
"""

from collections.abc import Mapping

from tenuto.errors import PluginError
from tenuto.lifecycles.catalogue import TABLES
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.ids import TypeName
from tenuto.model.open_types import OpenTypes
from tenuto.model.resource import ResourceType
from tenuto.provider_plugins import check_types, find_providers, installed_providers


def installed_facts() -> tuple[Mapping[TypeName, ResourceType], tuple[PluginError, ...]]:
    """The facts of each type that this installation can run, and the faults of providers that cannot be asked."""
    found = find_providers(installed_providers())
    types: dict[TypeName, ResourceType] = {}
    every: list[Mapping[TypeName, ResourceType]] = []
    errors = list(found.errors)
    for plugin in found.plugins:
        try:
            told = plugin.types()
            check_types(plugin, told)
        except PluginError as error:
            errors.append(error)
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            errors.append(PluginError(f"{plugin.origin} cannot say which types it has: it raised {error!r}"))
        else:
            types.update(told)
            every.append(told)

    def more(name: TypeName) -> ResourceType | None:
        """The facts of a type that a provider knows and does not list."""
        return next((told[name] for told in every if name in told), None)

    def unlisted() -> tuple[TypeName, ...]:
        return tuple(name for told in every if isinstance(told, OpenTypes) for name in told.unlisted())

    return OpenTypes(types, more, unlisted), tuple(errors)


def installed_table(name: str) -> Lifecycle | None:
    """The lifecycle of this name: Tenuto's own, or that of an installed provider. None when nothing has it."""
    if name in TABLES:
        return TABLES[name]
    for plugin in find_providers(installed_providers()).plugins:
        try:
            found = next((table for table in plugin.lifecycles() if table.name == name), None)
        except Exception:  # noqa: BLE001 - a plugin may raise anything; its faults are told where its types are
            continue
        if found is not None:
            return found
    return None
