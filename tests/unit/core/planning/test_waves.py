"""The order of what failed before, and of deletions that are taken back: nothing waits for what waits for it."""

from dataclasses import replace

import pytest
from planning_world import World, built, composition, declare

from tenuto.core.planning.comparing.secrets import digest_of
from tenuto.core.planning.plan_progress import advance
from tenuto.core.reports.audit import audit_plan
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.command import Command
from tenuto.model.composition import Composition
from tenuto.model.ids import Instant, LogicalId, ObjectId, TypeName
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import Plan, StepKind
from tenuto.model.resource import ManagedObject
from tenuto_testing.store_samples import an_entry, entries

GROUP = declare("group", Name="g", Fixed="1")
SERVER = declare("server", "T::B", "group", Name="s")
OTHER_GROUP = declare("group", Name="g", Fixed="2")
"""Another one of the same name, which comes after the old one is gone, and that after all that was built on it."""
OTHER_SERVER = declare("server", "T::B", "group", Name="s", Fixed="2")


def fail(world: World, name: str, state: ResourceState, target: ResourceState, **changes: object) -> ManagedObject:
    """Let the incarnation at an address be where a phase failed, on its way to a target."""
    found = next(one for one in world.objects.values() if one.logical_id == name)
    phases = entries(an_entry(PhaseStatus.FAILED, state=state))
    failed = replace(found, state=state, target=target, phases=phases, **changes)  # type: ignore[arg-type]
    world.objects[found.object_id] = failed
    return failed


def a_server_that_an_address_holds(now: Composition, soft: str | None = None) -> tuple[World, Plan]:
    """An update made the address let go of the server, and failed; so did the deletion of the server."""
    world = built(composition(GROUP, SERVER, declare("address", "T::C", "server")))
    wished = {} if soft is None else {"Soft": soft}
    fail(world, "address", ResourceState.CONFIGURATION, ResourceState.STARTED, desired=wished, depends_on=())
    fail(world, "server", ResourceState.DEALLOCATION, ResourceState.TERMINATED)
    return world, world.plan(now, next_command=Command.RESUME).plan


def begun(world: World, made: Plan) -> list[tuple[LogicalId, StepKind]]:
    return sorted((step.logical_id, step.kind) for step in advance(made, world.objects).begin)


@pytest.mark.parametrize("soft", ["", "new"])
def test_a_change_that_failed_never_waits_for_the_deletion_that_it_holds_up(soft: str) -> None:
    properties = {"Soft": soft} if soft else {}
    now = composition(OTHER_GROUP, OTHER_SERVER, declare("address", "T::C", **properties))
    world, made = a_server_that_an_address_holds(now)
    assert begun(world, made) == [
        ("address", StepKind.CHANGE if soft else StepKind.RETRY),
        ("server", StepKind.RETRY),
    ]
    ways = {step.logical_id: step.kind for step in made.steps}
    assert ways["group"] is StepKind.MAKE, "the old group goes before the new one comes, and after the server"


def test_what_is_emptied_because_another_takes_its_place_is_emptied_after_that_is_made() -> None:
    world = built(composition(declare("group", Tags=["open"]), declare("old", "T::B", "group")))
    now = composition(declare("group"), declare("rule", "T::B", "group"))
    made = world.plan(now).plan
    order = [(step.logical_id, step.kind) for step in made.steps]
    assert order == [("rule", StepKind.MAKE), ("group", StepKind.CHANGE), ("old", StepKind.REMOVE)]
    assert begun(world, made) == [("rule", StepKind.MAKE)], "the other two wait for it, and it for neither"


def test_what_is_filled_again_is_filled_before_what_took_its_place_goes() -> None:
    world = built(composition(declare("group"), declare("rule", "T::B", "group")))
    made = world.plan(composition(declare("group", Tags=["open"]))).plan
    assert [step.logical_id for step in made.steps] == ["group", "rule"]


def test_a_change_that_failed_waits_for_what_the_plan_makes_for_it() -> None:
    now = composition(OTHER_GROUP, OTHER_SERVER, declare("address", "T::C", "group"))
    world, made = a_server_that_an_address_holds(now)
    assert begun(world, made) == [("server", StepKind.RETRY)]
    wave = {(step.logical_id, step.kind): step.wave for step in made.steps}
    waves = {one.number: one for one in made.waves}
    assert wave["group", StepKind.MAKE] in waves[wave["address", StepKind.CHANGE]].after


def test_what_is_surplus_leaves_after_a_change_that_failed_has_let_go_of_it() -> None:
    world = built(composition(GROUP, SERVER, declare("address", "T::C", "server")))
    fail(world, "address", ResourceState.CONFIGURATION, ResourceState.STARTED, desired={}, depends_on=())
    made = world.plan(composition(GROUP, declare("address", "T::C")), next_command=Command.RESUME).plan
    assert begun(world, made) == [("address", StepKind.RETRY)]
    assert [step.kind for step in made.steps] == [StepKind.RETRY, StepKind.REMOVE]


def test_a_deletion_that_is_taken_back_holds_up_nothing_of_the_plan_that_takes_it_back() -> None:
    now = composition(OTHER_GROUP, SERVER)
    world = built(composition(GROUP, SERVER))
    server = fail(world, "server", ResourceState.DEALLOCATION, ResourceState.TERMINATED)
    made = world.plan(now, next_command=Command.RESUME).plan
    world.execute(made, now)
    assert world.objects[server.object_id].target == ResourceState.STARTED
    assert [name for _, name in world.trace] == ["group", "group", "server"]


def test_a_deletion_is_not_taken_back_where_the_thing_holds_what_must_be_gone_first() -> None:
    """Its old reference would have to be let go of before there is a new one."""
    world = built(composition(GROUP, SERVER))
    server = fail(world, "server", ResourceState.DEALLOCATION, ResourceState.TERMINATED)
    now = composition(declare("another", Name="g"), declare("group", Fixed="2"), SERVER)
    made = world.plan(now, next_command=Command.RESUME).plan
    ways = [(step.logical_id, step.kind) for step in made.steps if step.object_id == server.object_id]
    assert ways == [("server", StepKind.RETRY)], "what holds it is made anew"


def test_a_deletion_is_taken_back_with_enforcement_off_too() -> None:
    """It is what the command asks for, and no drift that could be left alone."""
    now = composition(GROUP, SERVER)
    world = built(now)
    server = fail(world, "server", ResourceState.DEALLOCATION, ResourceState.TERMINATED)
    planning = world.plan(now, next_command=Command.RESUME, is_enforced=False)
    assert [(step.object_id, step.kind) for step in planning.plan.steps] == [(server.object_id, StepKind.CHANGE)]
    assert planning.drift == ()


def test_incarnations_of_two_types_at_one_address_never_wait_for_each_other_s_waves() -> None:
    """A retained network at an address where a bucket stands now: what was built on the address waits for both."""
    world = built(composition(declare("shelf", "T::B"), declare("thing", "T::A", "shelf")))
    old_shelf, old_thing = (
        next(one for one in world.objects.values() if one.logical_id == name) for name in ("shelf", "thing")
    )
    thing = replace(
        old_thing,
        object_id=ObjectId("thing-2"),
        type=TypeName("T::B"),
        incarnation=2,
        created_at=Instant(old_thing.created_at + 1),
    )
    shelf = replace(
        old_shelf,
        object_id=ObjectId("shelf-2"),
        incarnation=2,
        depends_on=(LogicalId("thing"),),
        created_at=Instant(old_thing.created_at + 2),
    )
    world.objects |= {thing.object_id: thing, shelf.object_id: shelf}
    made = world.plan(None, next_command=Command.KILL).plan
    assert len(made.steps) == 4
    assert not audit_plan(made, world.objects.values())


TABLE, OTHER_TABLE = declare("table", Fixed="1"), declare("table", Fixed="2")
USE, OTHER_USE = (declare("use", "T::B", "table", Name="u", Fixed=value) for value in ("1", "2"))
"""A thing of which there can be only one, such as the association of a subnet: the old one goes first."""


def the_use(world: World) -> ManagedObject:
    return next(one for one in world.objects.values() if one.logical_id == "use" and one.state == "Started")


def test_what_must_go_first_goes_when_what_its_successor_needs_is_there() -> None:
    world, now = built(composition(TABLE, USE)), composition(OTHER_TABLE, OTHER_USE)
    made = world.plan(now).plan
    assert begun(world, made) == [("table", StepKind.MAKE)]
    world.execute(made, now)
    order = [("table", StepKind.MAKE), ("use", StepKind.REMOVE), ("use", StepKind.MAKE), ("table", StepKind.REMOVE)]
    assert [(name, kind) for kind, name in world.trace] == order


@pytest.mark.parametrize("is_failed", [True, False])
def test_it_stays_while_what_its_successor_needs_is_on_its_way_or_failed(is_failed: bool) -> None:
    """A later plan goes on where the first one stopped: the creation is tried again, or was never given up."""
    world, now = built(composition(TABLE, USE)), composition(OTHER_TABLE, OTHER_USE)
    first = world.plan(now).plan
    [make] = advance(first, world.objects).begin
    world._do(first, now, make.object_id)
    half_made = world.objects[make.object_id]
    phases = entries(
        an_entry(PhaseStatus.FAILED if is_failed else PhaseStatus.SLEEPING, state=ResourceState.ALLOCATION)
    )
    world.objects[make.object_id] = replace(half_made, state=ResourceState.ALLOCATION, physical_id=None, phases=phases)
    made = world.plan(now, next_command=Command.RESUME).plan
    assert (the_use(world).object_id, StepKind.REMOVE) not in [
        (step.object_id, step.kind) for step in advance(made, world.objects).begin
    ]


@pytest.mark.parametrize("is_corrected", [True, False])
def test_a_creation_that_is_tried_again_comes_after_what_it_needs_is_free(is_corrected: bool) -> None:
    """The successor of a name lacked it, and failed; the declaration that is corrected names what the old one has."""
    now = composition(declare("group", Fixed="2", Name="g"))
    wrong = now if not is_corrected else composition(declare("group", Fixed="2"))
    world = built(composition(GROUP))
    [old] = world.live()
    first = world.plan(composition(declare("group", Fixed="2"))).plan
    [make] = advance(first, world.objects).begin
    world._do(first, wrong, make.object_id)
    half_made = replace(world.objects[make.object_id], state=ResourceState.ALLOCATION, physical_id=None)
    phases = entries(an_entry(PhaseStatus.FAILED, state=ResourceState.ALLOCATION))
    [wish] = wrong.resources
    desired = {"Fixed": "2"} if is_corrected else dict(wish.properties)
    world.objects[make.object_id] = replace(
        half_made, phases=phases, desired=desired, desired_digest=digest_of(desired, wrong)
    )
    made = world.plan(now, next_command=Command.RESUME).plan
    assert [(step.object_id, step.kind) for step in advance(made, world.objects).begin] == [
        (old.object_id, StepKind.REMOVE)
    ]
    kinds = {step.object_id: step.kind for step in made.steps}
    assert kinds[make.object_id] is (StepKind.CHANGE if is_corrected else StepKind.RETRY)
