"""Tables of providers: admitted at the start, kept in the store, and there when their provider is not."""

from collections.abc import Iterable
from enum import StrEnum
from itertools import pairwise
from typing import Any

import pytest

from tenuto.bootstrap.tables import admit_brought, admit_stored, check_lifecycles, tables_to_keep
from tenuto.errors import BugError, PluginError
from tenuto.lifecycles.catalogue import Catalogue
from tenuto.lifecycles.resource import RESOURCE
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.ids import TypeName
from tenuto.model.resource import ResourceType
from tenuto.ports.store import Store
from tenuto.provider_plugins import ProviderPlugin
from tenuto.storage.sqlite.memory import MemoryStore


class S(StrEnum):
    MAKING = "making"
    MADE = "made"
    GONE = "gone"


class Wider(StrEnum):
    MAKING = "making"
    CHECKING = "checking"
    MADE = "made"
    GONE = "gone"


def box(states: Any = S) -> Lifecycle:
    order = list(states)
    return Lifecycle(
        name="box",
        states=states,
        initial=frozenset(order[:1]),
        rows={
            **{one: frozenset({after, order[-1]}) for one, after in pairwise(order)},
            order[-1]: frozenset(),
        },
        final=frozenset(order[-1:]),
        born=order[0],
        ready=order[-2],
        gone=order[-1],
        change_at=order[-2],
        paths={order[-2]: tuple(order[:-1]), order[-1]: (order[-1],)},
    )


def plugin(*tables: Lifecycle, name: str = "shelves") -> ProviderPlugin:
    def make(_: object) -> Any:
        raise NotImplementedError

    return ProviderPlugin(
        name=name, prefixes=("Shelf::",), types=dict[TypeName, ResourceType], make=make, lifecycles=lambda: tables
    )


def started(store: Store, *plugins: ProviderPlugin) -> Catalogue:
    """The catalogue of a program that starts on the store, and keeps what it admits."""
    known = Catalogue([RESOURCE])
    for one in plugins:
        admit_brought(one, store, known)
    assert admit_stored(store, known) == ()
    store.commit(tables_to_keep([one.name for one in plugins], store, known))
    return known


def test_the_table_of_a_provider_that_is_not_loaded_is_still_known() -> None:
    store = MemoryStore()
    started(store, plugin(box()))
    without = started(store)
    assert without.tables["box"].next_state("making", "made") == "made"
    assert [(one.name, one.provider) for one in store.lifecycles()] == [("box", "shelves")]


def test_what_is_stored_already_is_not_written_again() -> None:
    store = MemoryStore()
    known = started(store, plugin(box()))
    assert tables_to_keep(["shelves"], store, known) == ()


def test_a_new_version_may_add_a_state_and_may_not_drop_one() -> None:
    store = MemoryStore()
    started(store, plugin(box()))
    started(store, plugin(box(Wider)))
    assert "checking" in started(store).tables["box"].rows
    with pytest.raises(PluginError, match="of the provider shelves was refused: an earlier version had the states che"):
        started(store, plugin(box()))


def test_another_provider_cannot_take_the_name_of_a_stored_table() -> None:
    store = MemoryStore()
    started(store, plugin(box()))
    with pytest.raises(PluginError) as caught:
        started(store, plugin(box(Wider), name="boxes"))
    assert "the lifecycle box of the provider boxes was refused: the provider shelves has brought" in str(caught.value)


def test_a_table_that_is_not_well_formed_is_refused_with_its_reason() -> None:
    def tables() -> Iterable[Lifecycle]:
        raise BugError("lifecycle box: made is never reached")

    bad = ProviderPlugin(name="shelves", prefixes=("Shelf::",), types=dict, make=plugin().make, lifecycles=tables)
    with pytest.raises(PluginError, match="made is never reached"):
        admit_brought(bad, MemoryStore(), Catalogue([RESOURCE]))


def test_a_type_that_names_no_table_is_refused() -> None:
    name = TypeName("Shelf::Box")
    types = {name: ResourceType(name=name, provider="shelves", source="boxes", lifecycle="bxo")}
    with pytest.raises(PluginError, match=r"its type Shelf::Box names the lifecycle bxo, and there are .*resource"):
        check_lifecycles("shelves", types)
