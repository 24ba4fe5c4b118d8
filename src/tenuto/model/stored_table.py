"""A lifecycle that a provider brought, as the store keeps it."""

from dataclasses import dataclass

from tenuto.model.ids import JsonMap


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTable:
    """A table by its name, with the provider that brought it. `document` is as `lifecycles.written` has it."""

    name: str
    provider: str
    document: JsonMap
