"""The types of the providers that are installed, for a command that has no Conductor to ask.

Nothing is connected to: a provider says what it can hold without credentials. A Conductor may have more providers, so
only the types of these are judged.
"""

from tenuto.compositions.managed import Managed, managed_of
from tenuto.errors import PluginError
from tenuto.model.ids import TypeName
from tenuto.model.resource import ResourceType
from tenuto.provider_plugins import check_types, find_providers, installed_providers


def installed_types() -> tuple[Managed, tuple[PluginError, ...]]:
    """The types that this installation can run, and what is wrong with providers that cannot be asked."""
    found = find_providers(installed_providers())
    types: dict[TypeName, ResourceType] = {}
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
    return managed_of(types, is_whole=False), tuple(errors)
