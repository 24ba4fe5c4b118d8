"""Settings that change while the Conductor runs: stored, in effect at once, and given back (behaviour 79)."""

import pytest

from tenuto.errors import NotFoundError, UserError
from tenuto.model.event import EventType
from tenuto.ports.store_reads import EventQuery
from tenuto.service.operations.runtime import Runtime, RuntimeKey
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock


class Desk:
    """A runtime on a memory store, and what its keys were told."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.store = store or MemoryStore()
        self.told: dict[str, str] = {}
        keys = [
            self._key(name, default)
            for name, default in (("jobs.log-level", "INFO"), ("api.log-level", "INFO"), ("jobs.period", "30"))
        ]
        self.runtime = Runtime(store=self.store, clock=VirtualClock(), keys=keys)

    def _key(self, name: str, default: str) -> RuntimeKey:
        def apply(value: str) -> None:
            if value == "wrong" or (name == "jobs.period" and not value.isdigit()):
                raise ValueError("expected something better")
            self.told[name] = value

        return RuntimeKey(name=name, summary=name, default=default, apply=apply)

    def values(self) -> dict[str, str]:
        return {one.key.name: one.value for one in self.runtime.values()}


def test_behaviour_79_a_pattern_changes_every_key_that_it_means_at_once() -> None:
    desk = Desk()
    changed = desk.runtime.set("**log-level", "DEBUG", actor="ann")
    assert [one.key.name for one in changed] == ["api.log-level", "jobs.log-level"]
    assert desk.told == {"api.log-level": "DEBUG", "jobs.log-level": "DEBUG"}
    assert desk.values() == {"api.log-level": "DEBUG", "jobs.log-level": "DEBUG", "jobs.period": "30"}


def test_behaviour_79_unset_restores_the_default_at_once() -> None:
    desk = Desk()
    desk.runtime.set("*", "5", actor="ann")
    desk.runtime.unset("jobs.*", actor="ann")
    assert desk.told == {"api.log-level": "5", "jobs.log-level": "INFO", "jobs.period": "30"}
    assert [one.key.name for one in desk.runtime.values() if one.setting is not None] == ["api.log-level"]


def test_behaviour_79_what_was_set_is_in_effect_after_a_restart() -> None:
    first = Desk()
    first.runtime.set("jobs.period", "5", actor="ann")
    second = Desk(first.store)
    second.runtime.start()
    assert second.told == {"jobs.period": "5"}


def test_a_value_that_one_key_refuses_changes_none() -> None:
    desk = Desk()
    desk.runtime.set("jobs.log-level", "DEBUG", actor="ann")
    with pytest.raises(UserError, match=r"jobs\.period cannot be 'DEBUG': expected something better"):
        desk.runtime.set("*", "DEBUG", actor="ann")
    assert desk.told == {"api.log-level": "INFO", "jobs.log-level": "DEBUG", "jobs.period": "30"}
    assert [setting.key for setting in desk.store.runtime_settings()] == ["jobs.log-level"]


def test_a_key_that_there_is_not_is_named_with_those_that_there_are() -> None:
    for act in (
        lambda: Desk().runtime.set("x*", "1", actor="ann"),
        lambda: Desk().runtime.unset("jobs", actor="ann"),
        lambda: Desk().runtime.values(""),
    ):
        with pytest.raises(NotFoundError, match=r"There are api\.log-level"):
            act()


def test_a_stored_value_that_means_nothing_any_more_is_left_out_at_the_start() -> None:
    first = Desk()
    first.runtime.set("jobs.log-level", "5", actor="ann")
    second = Desk(first.store)
    key = RuntimeKey(name="jobs.log-level", summary="", default="INFO", apply=lambda value: int("no"))
    Runtime(store=first.store, clock=VirtualClock(), keys=[key]).start()
    Runtime(store=first.store, clock=VirtualClock(), keys=[]).start()
    assert second.told == {}


def test_a_change_is_one_event_with_before_after_and_actor_and_the_same_again_is_none() -> None:
    desk = Desk()
    for _ in range(2):
        desk.runtime.set("jobs.period", "5", actor="ann")
    desk.runtime.unset("jobs.*", actor="bob")
    events = desk.store.events(EventQuery(types=(EventType.RUNTIME_CHANGED,)))
    assert [(one.subject, one.before, one.after, one.actor) for one in events] == [
        ("jobs.period", "30", "5", "ann"),
        ("jobs.period", "5", "30", "bob"),
    ]
