"""Providers are found by entry point: a sound one is loaded, and a bad one is named and left out."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

import pytest

from tenuto.bootstrap.providers import ProviderMaker, named_providers
from tenuto.bootstrap.tools.catalogue import installed_facts
from tenuto.conductor.providing.accounts import StoredAccounts
from tenuto.errors import PluginError, UserError
from tenuto.model.ids import TypeName
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.provider_plugins import GROUP, ProviderKit, ProviderPlugin, find_providers, installed_providers
from tenuto.providers.simulated.plugin import PLUGIN as SIMULATED
from tenuto.settings import Settings
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ops import RecordedOps


def refuse(kit: ProviderKit) -> Provider:
    raise RuntimeError("no such machine")


def plugin(name: str, prefix: str = "Toy::", **more: Any) -> ProviderPlugin:
    return ProviderPlugin(**{"name": name, "prefixes": (prefix,), "types": dict, "make": refuse, **more})


class Offering:
    """A provider that offers phases for objects."""

    def __init__(self, phases: Any, inner: Provider, types: Any = ()) -> None:
        self._types = types
        self.name = inner.name
        self.types = inner.types
        self._phases = phases

    def object_types(self) -> Any:
        return self._types

    def object_phases(self) -> Any:
        return self._phases


@pytest.fixture
def shelf() -> Iterator[ModuleType]:
    """A module that entry points can name."""
    module = ModuleType("toy_shelf")
    module.__dict__.update(
        toy=plugin("toy"), other=plugin("other"), far=plugin("far", "Far::"), text="no plugin", bare=plugin("bare", "")
    )
    sys.modules["toy_shelf"] = module
    yield module
    del sys.modules["toy_shelf"]


def point(name: str, value: str = "") -> EntryPoint:
    return EntryPoint(name, f"toy_shelf:{value or name}", GROUP)


def kit(ops: OpSink, clock: Clock) -> ProviderKit:
    store = MemoryStore()
    accounts = StoredAccounts(store=store, secrets=KeyedSecrets(new_keys()), clock=clock)
    return ProviderKit(ops=ops, clock=clock, accounts=accounts, store=store, identity_interval_s=300.0)


def test_the_providers_of_this_distribution_are_found_by_their_entry_points() -> None:
    found = find_providers(installed_providers())
    assert {"aws", "simulated"} <= {one.name for one in found.plugins}
    assert found.errors == ()
    assert [one.name for one in named_providers(["simulated", "aws"])[0]] == ["simulated", "aws"]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (EntryPoint("lost", "no_such_module:PLUGIN", GROUP), "ModuleNotFoundError"),
        (point("lost", "text"), "'no plugin', which is no ProviderPlugin"),
        (point("lost", "toy"), "it calls itself toy"),
        (point("bare"), "it needs prefixes"),
    ],
)
def test_a_bad_provider_is_named_and_the_others_are_loaded(shelf: ModuleType, bad: EntryPoint, words: str) -> None:
    found = find_providers([bad, point("far")])
    assert [one.name for one in found.plugins] == ["far"]
    (error,) = found.errors
    assert bad.name in str(error)
    assert words in str(error)
    assert "correct the name" not in str(error), "it is there, and its name is right"


def test_of_two_providers_with_one_prefix_the_first_that_is_named_is_kept(shelf: ModuleType) -> None:
    found = find_providers([point("toy"), point("other")], ["other", "toy"])
    assert [one.name for one in found.plugins] == ["other"]
    assert "Toy:: is the prefix of the provider other already" in str(found.errors[0])


def test_a_name_that_is_not_installed_is_answered_with_the_one_that_was_meant(shelf: ModuleType) -> None:
    (error,) = find_providers([point("far")], ["fat"]).errors
    assert "there is no provider fat" in str(error)
    assert "Did you mean far?" in str(error)


def test_a_conductor_without_any_provider_does_not_start() -> None:
    with pytest.raises(UserError, match="no provider to start with: there is no provider nowhere"):
        named_providers(["nowhere"])


def test_a_provider_that_cannot_be_made_is_left_out(shelf: ModuleType) -> None:
    maker = ProviderMaker([plugin("toy"), SIMULATED], kit)
    made = list(maker(RecordedOps(), VirtualClock()))
    assert [one.name for one in made] == ["simulated"]
    assert "it raised RuntimeError when it was made: no such machine" in str(maker.errors[0])
    with pytest.raises(UserError, match="no provider to start with"):
        ProviderMaker([plugin("toy")], kit)(RecordedOps(), VirtualClock())


def test_a_provider_that_tries_to_end_the_conductor_is_left_out() -> None:
    def leave(kit: ProviderKit) -> Provider:
        sys.exit(4)

    maker = ProviderMaker([plugin("toy", make=leave, origin="provider toy (shelf:toy)"), SIMULATED], kit)
    assert [one.name for one in maker(RecordedOps(), VirtualClock())] == ["simulated"]
    assert "provider toy (shelf:toy) was refused" in str(maker.errors[0])
    assert "tried to end the Conductor" in str(maker.errors[0])


@pytest.mark.parametrize(
    ("given", "words"),
    [(7, "gives int in place of a sequence"), ([7], "gives int in place of a definition"), ([(1, 2)], "gives tuple")],
)
def test_a_provider_with_wrong_phases_of_objects_is_left_out(given: Any, words: str) -> None:
    def make(kit: ProviderKit) -> Provider:
        return Offering(given, SIMULATED.make(kit))  # type: ignore[return-value]

    maker = ProviderMaker([plugin("simulated", "Simulated::", make=make, origin="provider bad"), SIMULATED], kit)
    maker(RecordedOps(), VirtualClock())
    (error,) = maker.errors
    assert str(error).startswith("provider bad was refused: its object_phases")
    assert words in str(error)


@pytest.mark.parametrize("given", [7, [7]])
def test_a_provider_with_wrong_types_of_objects_is_left_out(given: Any) -> None:
    def make(kit: ProviderKit) -> Provider:
        return Offering((), SIMULATED.make(kit), given)  # type: ignore[return-value]

    maker = ProviderMaker([plugin("simulated", "Simulated::", make=make, origin="provider bad"), SIMULATED], kit)
    maker(RecordedOps(), VirtualClock())
    (error,) = maker.errors
    assert str(error).startswith("provider bad was refused: its object_types gives int")


def test_a_provider_says_only_of_its_own_types_what_they_are() -> None:
    def make(kit: ProviderKit) -> Provider:
        return SIMULATED.make(kit)

    maker = ProviderMaker([plugin("simulated", "Other::", make=make), SIMULATED], kit)
    maker(RecordedOps(), VirtualClock())
    (error,) = maker.errors
    assert isinstance(error, PluginError)
    assert "begins with none of Other::" in str(error)


def test_the_types_of_all_installed_providers_are_known_without_a_conductor() -> None:
    facts, errors = installed_facts()
    assert errors == ()
    assert {TypeName("AWS::EC2::VPC"), TypeName("Simulated::Network")} <= facts.keys()


def test_the_settings_name_the_providers() -> None:
    assert Settings.from_environment({}).providers == ("aws",)
    given = Settings.from_environment({"TENUTO_PROVIDERS": "simulated aws,simulated"})
    assert given.providers == ("simulated", "aws")
    with pytest.raises(UserError, match=r"TENUTO_PROVIDERS='a/b' cannot be used: 'a/b' is no name of a provider"):
        Settings.from_environment({"TENUTO_PROVIDERS": "a/b"})
