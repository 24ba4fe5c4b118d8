"""One thing of a sweep in a form that nothing can be made of: it is unsure, hides no other, and heals by itself."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import nan
from typing import Any

import pytest
from web_world import ALIAS, WebWorld

from tenuto.model.command import ProcessState
from tenuto.model.ids import PhysicalId, TypeName
from tenuto.model.observation import ObservedItem, Sweep
from tenuto.providers.simulated.provider import SimulatedProvider

Twist = Callable[[ObservedItem], Any]


@pytest.fixture
def twists(monkeypatch: pytest.MonkeyPatch) -> dict[PhysicalId, Twist]:
    """The things that the provider shows otherwise than they are, by id."""
    found: dict[PhysicalId, Twist] = {}
    honest = SimulatedProvider.sweep

    def sweep(self: SimulatedProvider, *asked: Any, **named: Any) -> Mapping[TypeName, Sweep]:
        return {
            name: replace(one, items={key: found.get(key, _as_it_is)(item) for key, item in one.items.items()})
            for name, one in honest(self, *asked, **named).items()
        }

    monkeypatch.setattr(SimulatedProvider, "sweep", sweep)
    return found


def _as_it_is(item: ObservedItem) -> ObservedItem:
    return item


@pytest.mark.parametrize(
    ("twist", "why"),
    [
        (lambda item: replace(item, properties=[1]), "a value of the kind list in place of its properties"),
        (lambda item: replace(item, attributes=None), "a value of the kind NoneType in place of its attributes"),
        (lambda item: replace(item, properties={"Size": nan}), "properties that JSON cannot hold"),
        (lambda item: replace(item, properties={"Size": {1, 2}}), "properties that JSON cannot hold"),
        (lambda item: replace(item, physical_id="another"), "shows it as the thing 'another'"),
        (lambda item: replace(item, condition="weird"), "the condition 'weird', which there is not"),
        (lambda item: replace(item, message=7), "in place of a message"),
        (lambda _: "a text", "a value of the kind str in place of an ObservedItem"),
    ],
)
def test_a_thing_that_cannot_be_read_is_unsure_and_heals_by_itself(
    twists: dict[PhysicalId, Twist], twist: Twist, why: str
) -> None:
    world = WebWorld()
    world.run()
    assert world.settled().state is ProcessState.RUNNING
    name = next(iter(world.live()))
    one, calls = world.physical(name), world.writes()
    twists[one] = twist
    world.advance(300)
    assert (world.process().state, world.writes()) == (ProcessState.RUNNING, calls)
    waits = world.system.queries.plan(ALIAS).planning.waits
    assert [wait.logical_id for wait in waits if why in wait.message] == [name]
    twists.clear()
    world.advance(300)
    assert (world.settled().state, world.writes()) == (ProcessState.RUNNING, calls)
    assert world.process().converged_at is not None
