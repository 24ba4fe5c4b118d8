"""The tables that providers bring: admitted at the start, and kept in the store for when their provider is missing.

Theory of operation. A loaded provider states its tables, and they are admitted before it is made. Each is stored in the
commit with which the Conductor begins to lead. Then tables of the store are admitted whose provider is not loaded:
their objects are shown, explained and audited as before, and the cleaner goes by the right states. A new version of a
provider may add states and moves to a table. It may not drop a state, because a stored object may be in it.
"""

from collections.abc import Iterable, Mapping

from tenuto.errors import BugError, PluginError
from tenuto.lifecycles.catalogue import CATALOGUE, KNOWN, Catalogue
from tenuto.lifecycles.table import Lifecycle
from tenuto.lifecycles.written import document_of, table_of_document
from tenuto.model.ids import TypeName
from tenuto.model.resource import ResourceType
from tenuto.model.stored_table import StoredTable
from tenuto.ports.record_kinds import LIFECYCLE
from tenuto.ports.records import SaveRecord
from tenuto.ports.store import Store
from tenuto.provider_plugins import ProviderPlugin


def admit_brought(plugin: ProviderPlugin, store: Store, catalogue: Catalogue = KNOWN) -> None:
    """Admit the tables of a plugin. Raises PluginError for the first one that must not be; StoreError."""
    stored = {one.name: one for one in store.lifecycles()}
    try:
        tables = tuple(plugin.lifecycles())
    except BugError as error:
        raise PluginError(str(error)) from error
    for table in tables:
        before = stored.get(table.name)
        if before is not None and (problem := _conflict(plugin.name, table, before)):
            raise PluginError(f"the lifecycle {table.name} of {origin_of(plugin.name)} was refused: {problem}")
        catalogue.admit(table, origin=origin_of(plugin.name))


def admit_stored(store: Store, catalogue: Catalogue = KNOWN) -> tuple[PluginError, ...]:
    """Admit the tables of the store that are not known yet, and name those that cannot be. Raises StoreError."""
    errors: list[PluginError] = []
    for one in store.lifecycles():
        if one.name in catalogue.tables:
            continue
        try:
            catalogue.admit(table_of_document(one.document), origin=origin_of(one.provider))
        except PluginError as error:
            errors.append(error)
        except BugError as error:
            errors.append(PluginError(f"the stored lifecycle {one.name} of the provider {one.provider}: {error}"))
    return tuple(errors)


def tables_to_keep(
    names: Iterable[str], store: Store, catalogue: Catalogue = KNOWN
) -> tuple[SaveRecord[StoredTable], ...]:
    """The writes that bring the stored tables of these providers up to date. Raises StoreError."""
    stored = {one.name: one for one in store.lifecycles()}
    wanted = [
        StoredTable(name=table.name, provider=name, document=document_of(table))
        for name in names
        for table in catalogue.brought_by(origin_of(name))
    ]
    return tuple(SaveRecord(kind=LIFECYCLE, value=one) for one in wanted if stored.get(one.name) != one)


def check_lifecycles(provider: str, types: Mapping[TypeName, ResourceType]) -> None:
    """Raise PluginError when a type names a table that does not exist."""
    for name, facts in types.items():
        if facts.lifecycle not in CATALOGUE:
            there = ", ".join(sorted(CATALOGUE))
            raise PluginError(f"its type {name} names the lifecycle {facts.lifecycle}, and there are {there}")


def origin_of(provider: str) -> str:
    return f"the provider {provider}"


def _conflict(provider: str, table: Lifecycle, before: StoredTable) -> str:
    """Return why a table cannot take the place of the stored one; empty when it can."""
    if before.document == document_of(table):
        return ""
    if before.provider != provider:
        return (
            f"{origin_of(before.provider)} has brought a lifecycle {table.name} with other content, and objects in the "
            "store walk along it. Give this one another name"
        )
    known = before.document.get("states", ())
    if lost := sorted(set(known) - {str(state) for state in table.states}):
        return (
            f"an earlier version had the states {', '.join(lost)}, in which stored objects may be. Keep them, or give "
            "the new table another name"
        )
    return ""
