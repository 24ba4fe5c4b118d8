"""A drift is told once, told again when it changes or returns, and what a command asked for is none."""

from dataclasses import replace

import pytest
from planning_world import NOW, World, built, composition, declare, process

from tenuto.core.planning.comparing.drift import drift_events, drift_news, drift_of
from tenuto.core.planning.planner import plan
from tenuto.model.composition import Composition
from tenuto.model.delta import Change, DeltaKind, Difference, Unknown
from tenuto.model.drift import Drift, DriftKind
from tenuto.model.ids import Instant, LogicalId, PhysicalId, TypeName
from tenuto.model.plan import Planning
from tenuto_testing.store_samples import a_drift, an_object

NET = LogicalId("Net")
TYPE = TypeName("Simulated::Network")
SETTLED = an_object(state="Started", desired_digest="d", physical_id=PhysicalId("net-1"), logical_id=NET)


def changed(found: object = "theirs", path: str = "Label", after: object = "ours") -> Difference:
    change = Change(path=path, before=found, after=after)
    return Difference(kind=DeltaKind.CHANGED, logical_id=NET, changes=(change,))


def seen(difference: Difference, **changes: object) -> Drift | None:
    found = replace(SETTLED, **changes)  # type: ignore[arg-type]
    return drift_of(difference, found, "d", TYPE, NOW)


def test_another_value_of_a_settled_resource_is_drift_of_its_path() -> None:
    drift = seen(changed())
    assert drift is not None
    assert (drift.kind, drift.paths, drift.physical_id) == (DriftKind.CHANGED, ("Label",), "net-1")


def test_a_vanished_and_a_broken_resource_are_drift() -> None:
    for kind in (DeltaKind.VANISHED, DeltaKind.BROKEN):
        drift = seen(Difference(kind=kind, logical_id=NET))
        assert drift is not None
        assert drift.kind == kind.value


@pytest.mark.parametrize(
    ("difference", "changes"),
    [
        (changed(), {"desired_digest": "another wish"}),
        (changed(), {"type": TypeName("Simulated::Bucket")}),
        (changed(), {"state": "Configuration"}),
        (changed(after=Unknown.AFTER_APPLY), {}),
        (changed(path="DeletionPolicy"), {}),
        (Difference(kind=DeltaKind.CHANGED, logical_id=NET, message="Arn is another one now"), {}),
        (Difference(kind=DeltaKind.BROKEN, logical_id=NET), {"state": "Configuration"}),
        (Difference(kind=DeltaKind.MOVING, logical_id=NET), {}),
        (Difference(kind=DeltaKind.SURPLUS, logical_id=NET), {}),
        (Difference(kind=DeltaKind.SAME, logical_id=NET), {}),
    ],
)
def test_what_a_command_asked_for_or_what_is_on_its_way_is_no_drift(
    difference: Difference, changes: dict[str, object]
) -> None:
    assert seen(difference, **changes) is None


def test_the_values_that_were_found_and_the_incarnation_make_a_drift_another_one() -> None:
    first, again = seen(changed()), seen(changed())
    assert first is not None
    assert first == again
    others = (seen(changed("third")), seen(changed(), object_id="obj-2"), seen(changed(path="Tags")))
    assert len({first.digest, *(one.digest for one in others if one is not None)}) == 4


def test_a_drift_holds_no_value() -> None:
    assert "hunter2" not in repr(seen(changed("hunter2")))


def test_a_drift_that_stands_is_no_news_and_one_that_changed_is() -> None:
    told = a_drift("Net", digest="one")
    assert drift_news([changed()], [replace(told, found_at=Instant(900.0))], [told]).found == ()
    other = replace(told, digest="two")
    assert drift_news([changed()], [other], [told]).found == (other,)


@pytest.mark.parametrize("kind", [DeltaKind.MOVING, DeltaKind.UNCLEAR])
def test_a_drift_is_not_over_while_nothing_is_known_of_its_address(kind: DeltaKind) -> None:
    news = drift_news([Difference(kind=kind, logical_id=NET)], [], [a_drift("Net")])
    assert (news.over, news.repaired) == ((), 0)


def test_a_drift_is_over_and_repaired_when_its_address_is_as_declared() -> None:
    news = drift_news([Difference(kind=DeltaKind.SAME, logical_id=NET)], [], [a_drift("Net")])
    assert (news.over, news.repaired) == ((NET,), 1)


def test_a_drift_is_over_and_not_repaired_when_a_command_asks_for_something_else() -> None:
    for differences in ([changed()], [Difference(kind=DeltaKind.SURPLUS, logical_id=NET)], []):
        news = drift_news(differences, [], [a_drift("Net")])
        assert (news.over, news.repaired) == ((NET,), 0)


def planned(world: World, wanted: Composition, told: tuple[Drift, ...] = (), **changes: object) -> Planning:
    return plan(replace(world.snapshot(wanted, commanded=False, **changes), drifts=told), world.ids)


def test_a_planning_tells_of_drift_with_enforcement_on_and_off_and_not_of_an_update() -> None:
    wanted = composition(declare("a", Soft="1"), declare("b", Soft="1"))
    for is_enforced in (True, False):
        world = built(wanted)
        found = next(one for one in world.live() if one.logical_id == "a")
        assert found.physical_id is not None
        world.real[found.physical_id] = {"Soft": "9"}
        updated = composition(declare("a", Soft="1"), declare("b", Soft="2"))
        made = planned(world, updated, is_enforced=is_enforced)
        assert [drift.logical_id for drift in made.news.found] == ["a"]
        [event] = drift_events(process(), made, NOW)
        assert (event.subject, event.actor, event.data["corrected"]) == ("a", "conductor", is_enforced)
        assert ("enforcement is off" in event.reason) is not is_enforced
        assert planned(world, updated, made.news.found, is_enforced=is_enforced).news.found == ()


def test_ids_of_a_plan_do_not_make_a_drift_another_one() -> None:
    wanted = composition(declare("a", Fixed="1"))
    world = built(wanted)
    world.real.clear()
    first = planned(world, wanted).news.found
    assert [drift.kind for drift in first] == [DriftKind.VANISHED]
    assert planned(world, wanted, first).news.found == ()
