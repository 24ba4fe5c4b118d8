"""An attribute that what stands did not tell, and will not: its absence is told as such, with what to do."""

from dataclasses import replace

import pytest
from planning_world import World, built, composition, declare

from tenuto.core.planning.planner import plan
from tenuto.model.ids import LogicalId


@pytest.mark.parametrize(
    ("tells_all", "message"),
    [
        (False, "b refers to a.V, which has no value yet"),
        (
            True,
            "b refers to a.V, and a has no such attribute. Correct the reference, or change a, so that it is asked "
            "again",
        ),
    ],
)
def test_an_attribute_that_never_comes_is_not_waited_for_in_silence(tells_all: bool, message: str) -> None:
    world: World = built(composition(declare("a")))
    asking = replace(declare("b", "T::B", "a"), properties={"Of": {"Fn::GetAtt": ["a", "V"]}})
    snapshot = world.snapshot(composition(declare("a"), asking))
    [made] = [one for one in snapshot.objects if one.logical_id == LogicalId("a")]
    types = {name: replace(facts, tells_all=tells_all) for name, facts in snapshot.types.items()}
    assert made.is_settled
    assert [one.message for one in plan(replace(snapshot, types=types), world.ids).waits] == [message]
