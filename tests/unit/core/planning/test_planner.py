"""What the planner does in each single situation. The properties of all plans are in tests/property."""

from dataclasses import replace

import pytest
from planning_world import NOW, CountingIds, World, built, composition, declare

from tenuto.core.planning.comparing.secrets import digest_of
from tenuto.core.planning.fights import confirmed
from tenuto.core.planning.planner import plan
from tenuto.model.composition import Composition, DeletionPolicy, Parameter
from tenuto.model.delta import Unknown
from tenuto.model.flip import Flip
from tenuto.model.ids import Instant, LogicalId, PhaseName, PhysicalId, TypeName
from tenuto.model.observation import Condition, Observation, ObservedItem, Presence
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.plan import Plan, Planning, StepKind
from tenuto.model.resource import ResourceType
from tenuto.model.verb import Verb, WaitKind


def verbs(made: Plan) -> list[tuple[Verb, str]]:
    return [(operation.verb, operation.logical_id) for operation in made.operations]


def one(world: World, name: str) -> object:
    return next(found for found in world.live() if found.logical_id == name)


def real(world: World, name: str) -> PhysicalId:
    found = next(found for found in world.live() if found.logical_id == name)
    assert found.physical_id is not None
    return found.physical_id


def test_a_changed_property_is_modified_in_place_with_before_and_after() -> None:
    wanted = composition(declare("a", Soft="1"))
    world = built(wanted)
    world.real[real(world, "a")] = {"Soft": "9", "Other": "left alone"}
    made = world.plan(wanted).plan
    assert verbs(made) == [(Verb.MODIFY, "a")]
    change = made.operations[0].changes[0]
    assert (change.path, change.before, change.after, change.forces_replacement) == ("Soft", "9", "1", False)
    assert made.operations[0].reason == "drift"


def test_a_create_only_property_forces_a_replacement_that_is_one_destructive_operation() -> None:
    world = built(composition(declare("a", Fixed="1")))
    made = world.plan(composition(declare("a", Fixed="2"))).plan
    assert verbs(made) == [(Verb.REPLACE, "a")]
    assert made.operations[0].is_destructive
    assert made.operations[0].changes[0].forces_replacement
    assert [step.kind for step in made.steps] == [StepKind.MAKE, StepKind.REMOVE]


def test_dependants_of_a_replaced_resource_are_rewired_before_the_old_one_goes() -> None:
    def wanted(fixed: str) -> Composition:
        return composition(declare("a", Fixed=fixed), declare("b", "T::B", "a"))

    world = built(wanted("1"))
    made = world.plan(wanted("2")).plan
    assert verbs(made) == [(Verb.REPLACE, "a"), (Verb.MODIFY, "b")]
    assert made.operations[1].changes[0].after is Unknown.AFTER_APPLY
    assert "first" not in made.operations[0].reason
    world.execute(made, wanted("2"))
    assert world.trace == [(StepKind.MAKE, "a"), (StepKind.CHANGE, "b"), (StepKind.REMOVE, "a")]


def test_a_replacement_that_keeps_an_exclusive_name_deletes_first() -> None:
    world = built(composition(declare("a", Fixed="1", Name="n")))
    wanted = composition(declare("a", Fixed="2", Name="n"))
    made = world.plan(wanted).plan
    assert made.operations[0].reason == "update; the old one goes first"
    world.execute(made, wanted)
    assert world.trace == [(StepKind.REMOVE, "a"), (StepKind.MAKE, "a")]


def test_what_is_kept_when_it_is_replaced_needs_another_name_for_its_successor() -> None:
    def wanted(fixed: str, name: str) -> Composition:
        kept = replace(declare("a", Fixed=fixed, Name=name), replace_policy=DeletionPolicy.RETAIN)
        return composition(kept, declare("b", "T::B", "a"))

    world = built(wanted("1", "n"))
    planning = world.plan(wanted("2", "n"))
    assert planning.plan.operations == ()
    (wait,) = planning.waits
    assert (wait.kind, wait.logical_id) == (WaitKind.UNRELEASABLE, "a")
    assert "UpdateReplacePolicy keeps n, which has the same Name" in wait.message
    made = world.plan(wanted("2", "m")).plan
    world.execute(made, wanted("2", "m"))
    assert world.trace == [(StepKind.MAKE, "a"), (StepKind.CHANGE, "b"), (StepKind.RELEASE, "a")]


def test_what_is_part_of_a_thing_that_is_made_anew_under_its_name_is_made_anew_with_it() -> None:
    def wanted(fixed: str) -> Composition:
        part = replace(declare("part", "T::Part", In={"Ref": "a"}, Slot="s"), depends_on=(LogicalId("a"),))
        holds = replace(declare("holder", "T::Holder", Holds=[{"Ref": "a"}]), depends_on=(LogicalId("a"),))
        return composition(declare("a", Fixed=fixed, Name="n"), part, holds, declare("by name", "T::B", "a"))

    world = built(wanted("1"))
    made = world.plan(wanted("2")).plan
    assert verbs(made) == [(Verb.REPLACE, "a"), (Verb.MODIFY, "holder"), (Verb.REPLACE, "part")]
    world.execute(made, wanted("2"))
    assert world.trace[:3] == [(StepKind.REMOVE, "part"), (StepKind.REMOVE, "a"), (StepKind.MAKE, "a")]
    assert sorted(world.trace[3:]) == [(StepKind.CHANGE, "holder"), (StepKind.MAKE, "part")]
    assert world.plan(wanted("2")).is_converged


@pytest.mark.parametrize(("exclusive", "bears_data", "parts"), [
    ((("In", "Slot"),), False, {"In", "Slot"}),
    ((("In",), ("Name",)), False, {"In"}),
    ((("In", "Name"), ("Inner.Name", "Slot?")), True, {"In", "Slot"}),
    ((("Id",),), True, set()),
])  # fmt: skip
def test_a_thing_is_part_of_what_stands_in_its_own_identity(
    exclusive: tuple[tuple[str, ...], ...], bears_data: bool, parts: set[str]
) -> None:
    facts = ResourceType(
        name=TypeName("T::P"), provider="p", source="s", exclusive=exclusive, named_by="Name", bears_data=bears_data
    )
    assert facts.part_of == parts


def test_a_renamed_logical_id_that_keeps_its_exclusive_name_deletes_first() -> None:
    world = built(composition(declare("old", Name="n")))
    wanted = composition(declare("new", Name="n"))
    made = world.plan(wanted).plan
    assert {one.logical_id: one.reason for one in made.operations}["old"] == "not declared any more; it goes first"
    world.execute(made, wanted)
    assert world.trace == [(StepKind.REMOVE, "old"), (StepKind.MAKE, "new")]


def test_a_kill_and_a_deletion_whose_place_nothing_needs_are_told_as_they_are() -> None:
    world = built(composition(declare("old", Name="n"), declare("a")))
    assert {one.reason for one in world.plan(None).plan.operations} == {"kill"}
    made = world.plan(composition(declare("new", Name="m"), declare("a"))).plan
    assert {one.logical_id: one.reason for one in made.operations}["old"] == "not declared any more"


@pytest.mark.parametrize(("after", "is_first"), [(["m", "n"], True), (["o"], False), ([], False)])
def test_one_member_of_an_exclusive_list_is_enough(after: list[str], is_first: bool) -> None:
    world = built(composition(declare("old", Name=["n", "k"])))
    wanted = composition(declare("new", Name=after))
    world.execute(world.plan(wanted).plan, wanted)
    steps = [(StepKind.REMOVE, "old"), (StepKind.MAKE, "new")]
    assert world.trace == (steps if is_first else steps[::-1])


def test_two_resources_that_swap_an_exclusive_name_are_both_deleted_before_either_is_made() -> None:
    world = built(composition(declare("a", Fixed="1", Name="n"), declare("b", Fixed="1", Name="m")))
    wanted = composition(declare("a", Fixed="2", Name="m"), declare("b", Fixed="2", Name="n"))
    world.execute(world.plan(wanted).plan, wanted)
    assert [kind for kind, _ in world.trace] == [StepKind.REMOVE, StepKind.REMOVE, StepKind.MAKE, StepKind.MAKE]


def test_a_name_is_waited_for_while_its_last_bearer_is_still_leaving() -> None:
    world = built(composition(declare("old", Name="n")))
    leaver = next(iter(world.live()))
    world.objects[leaver.object_id] = replace(leaver, state="Deallocation", target="Terminated")
    made = world.plan(composition(declare("new", Name="n"))).plan
    assert [(step.kind, step.after) for step in made.steps] == [(StepKind.MAKE, (leaver.object_id,))]


def test_what_holds_up_the_leaving_of_something_that_is_waited_for_goes_before_its_successor_is_made() -> None:
    def wanted(fixed: str, other: str) -> Composition:
        return composition(declare("a", Fixed=fixed), declare("b", "T::B", "a", Fixed=other))

    world = built(wanted("1", "1"))
    leaver = next(found for found in world.live() if found.logical_id == "a")
    world.objects[leaver.object_id] = replace(leaver, state="Deallocation", target="Terminated")
    made = world.plan(wanted("2", "2")).plan
    kinds = [(step.kind, step.logical_id) for step in made.steps]
    assert kinds == [(StepKind.REMOVE, "b"), (StepKind.MAKE, "a"), (StepKind.MAKE, "b")]
    assert leaver.object_id in made.steps[1].after


def test_what_could_be_changed_in_place_is_uprooted_when_it_holds_up_such_a_leaving() -> None:
    def wanted(fixed: str) -> Composition:
        return composition(declare("a", Fixed=fixed), declare("b", "T::B", "a"))

    world = built(wanted("1"))
    leaver = next(found for found in world.live() if found.logical_id == "a")
    world.objects[leaver.object_id] = replace(leaver, state="Deallocation", target="Terminated")
    made = world.plan(wanted("2")).plan
    assert [(step.kind, step.logical_id) for step in made.steps] == [
        (StepKind.REMOVE, "b"),
        (StepKind.MAKE, "a"),
        (StepKind.MAKE, "b"),
    ]


def test_a_vanished_resource_is_forgotten_and_made_again() -> None:
    wanted = composition(declare("a"))
    world = built(wanted)
    del world.real[real(world, "a")]
    made = world.plan(wanted).plan
    assert verbs(made) == [(Verb.CREATE, "a")]
    assert made.operations[0].reason.startswith("vanished")
    world.execute(made, wanted)
    assert world.trace == [(StepKind.FORGET, "a"), (StepKind.MAKE, "a")]
    assert one(world, "a").incarnation == 2  # type: ignore[attr-defined]


def test_what_refers_to_a_declared_name_is_not_remade_with_its_bearer() -> None:
    wanted = composition(declare("a", Name="n"), declare("b", "T::B", Fixed={"Ref": "a"}))
    wanted = replace(wanted, resources=(wanted.resources[0], replace(wanted.resources[1], depends_on=("a",))))
    world = built(wanted)
    del world.real[real(world, "a")]
    assert verbs(world.plan(wanted).plan) == [(Verb.CREATE, "a")]


def test_an_address_that_was_made_anew_still_goes_after_what_was_built_on_it() -> None:
    base, top = declare("a"), declare("b", "T::B")
    wanted = composition(base, replace(top, depends_on=(base.logical_id,)))
    world = built(wanted)
    del world.real[real(world, "a")]
    world.execute(world.plan(wanted).plan, wanted)
    world.trace.clear()
    world.execute(world.plan(None).plan, None)
    assert world.trace == [(StepKind.REMOVE, "b"), (StepKind.REMOVE, "a")]


def test_a_retained_resource_is_released_instead_of_deleted() -> None:
    world = built(composition(declare("a", policy="Retain")))
    made = world.plan(None).plan
    assert verbs(made) == [(Verb.RELEASE, "a")]
    kept = dict(world.real)
    world.execute(made, None)
    assert world.real == kept


def test_undeclared_properties_are_never_compared_except_those_whose_absence_means_empty() -> None:
    wanted = composition(declare("a"))
    world = built(wanted)
    world.real[real(world, "a")] = {"Soft": "somebody's", "Tags": ["stranger"]}
    changes = world.plan(wanted).plan.operations[0].changes
    assert [(change.path, change.before, change.after) for change in changes] == [("Tags", ["stranger"], [])]


def test_enforcement_off_reports_drift_and_still_applies_an_update() -> None:
    wanted = composition(declare("a", Soft="1"), declare("b", Soft="1"))
    world = built(wanted)
    world.real[real(world, "a")] = {"Soft": "9"}
    planning = world.plan(wanted, is_enforced=False)
    assert planning.plan.is_empty
    assert [operation.logical_id for operation in planning.drift] == ["a"]
    assert [wait.kind for wait in planning.waits] == [WaitKind.ENFORCEMENT]
    updated = composition(declare("a", Soft="1"), declare("b", Soft="2"))
    assert verbs(world.plan(updated, is_enforced=False).plan) == [(Verb.MODIFY, "b")]


def test_what_needs_something_that_a_waiting_resource_holds_waits_with_it() -> None:
    """`b` would give up its name for `c`, but waits for `a`, which vanished and is not made again for now."""
    world = built(composition(declare("a"), declare("b", "T::B", Name="n")))
    del world.real[real(world, "a")]
    b = declare("b", "T::B", "a", Name="m", Fixed={"Ref": "a"})
    wanted = composition(declare("a"), b, declare("c", "T::B", Name="n"), declare("d", "T::A", "c"), declare("e"))
    planning = world.plan(wanted, is_enforced=False)
    assert verbs(planning.plan) == [(Verb.CREATE, "e")]
    assert [wait.message for wait in planning.waits if wait.logical_id == "c"] == [
        "c needs what b still holds; b will release it, but waits itself"
    ]
    assert {wait.logical_id for wait in planning.waits} == {"a", "b", "c", "d"}


def test_what_was_not_observed_is_waited_for_and_not_touched() -> None:
    wanted = composition(declare("a"))
    world = built(wanted)
    snapshot = replace(world.snapshot(wanted), observations={})
    planning = plan(snapshot, CountingIds())
    assert planning.plan.is_empty
    assert [wait.kind for wait in planning.waits] == [WaitKind.OBSERVATION]


def test_a_resource_on_its_way_is_waited_for_and_not_planned_again() -> None:
    wanted = composition(declare("a"))
    world = built(wanted)
    key = next(iter(world.objects))
    entry = PhaseEntry(
        phase="resource.await",
        state="Initialization",
        status=PhaseStatus.SLEEPING,
        message="pending",
        wake_at=Instant(NOW + 5),
    )
    world.objects[key] = replace(world.objects[key], state="Initialization", phases={"resource.await": entry})
    planning = world.plan(wanted)
    assert planning.plan.is_empty
    assert planning.waits[0].message == "resource.await sleeping: pending"


def test_a_cancelled_deletion_is_turned_back_while_the_thing_is_still_there() -> None:
    wanted = composition(declare("a", Soft="1"))
    world = built(wanted)
    key = next(iter(world.objects))
    world.objects[key] = replace(world.objects[key], state="Deallocation", target="Terminated")
    made = world.plan(wanted).plan
    assert verbs(made) == [(Verb.MODIFY, "a")]
    assert [step.kind for step in made.steps] == [StepKind.CHANGE]


def test_a_deletion_that_the_provider_has_begun_ends_before_the_new_incarnation_is_made() -> None:
    wanted = composition(declare("a", Soft="1"))
    world = built(wanted)
    key = next(iter(world.objects))
    world.objects[key] = leaving = replace(world.objects[key], state="Deallocation", target="Terminated")
    item = ObservedItem(physical_id=leaving.physical_id or PhysicalId(""), properties={}, condition=Condition.GOING)
    snapshot = replace(world.snapshot(wanted), observations={key: Observation(presence=Presence.ABSENT, item=item)})
    made = plan(snapshot, CountingIds()).plan
    assert verbs(made) == [(Verb.CREATE, "a")]
    assert made.steps[0].after == (key,)


@pytest.mark.parametrize(
    ("condition", "expected"), [(Condition.GOING, []), (Condition.GONE, [(Verb.CREATE, "a")])], ids=["going", "gone"]
)
def test_what_somebody_deletes_is_made_again_when_it_gives_up_what_only_one_can_have(
    condition: Condition, expected: list[tuple[Verb, str]]
) -> None:
    wanted = composition(declare("a", Name="n"))
    world = built(wanted)
    key, found = next(iter(world.objects.items()))
    item = ObservedItem(physical_id=found.physical_id or PhysicalId(""), properties={}, condition=condition)
    snapshot = replace(world.snapshot(wanted), observations={key: Observation(presence=Presence.ABSENT, item=item)})
    planning = plan(snapshot, CountingIds())
    assert verbs(planning.plan) == expected
    assert [wait.logical_id for wait in planning.waits] == ([] if expected else ["a"])


def test_a_secret_change_is_seen_by_its_fingerprint_and_never_shown() -> None:
    def wanted(fingerprint: str) -> Composition:
        base = composition(declare("a", Soft={"Ref": "Password"}))
        return replace(base, parameters={"Password": Parameter(name="Password", fingerprint=fingerprint)})

    world = World()
    first = world.plan(wanted("one")).plan
    assert verbs(first) == [(Verb.CREATE, "a")]
    key = first.operations[0].object_id
    world_object = replace(
        built(composition(declare("a"))).objects["object-1"],  # type: ignore[index]
        object_id=key,
        desired=first.steps[0].properties,
    )
    world.objects[key] = replace(world_object, desired_digest=digest_of(first.steps[0].properties, wanted("one")))
    world.real[world_object.physical_id] = {"Soft": "hidden"}  # type: ignore[index]
    assert world.plan(wanted("one")).plan.is_empty
    changes = world.plan(wanted("two")).plan.operations[0].changes
    assert [(change.before, change.after) for change in changes] == [(Unknown.SECRET, Unknown.SECRET)]


@pytest.mark.parametrize(
    ("drifted", "commanded", "is_held"),
    [(1, False, False), (2, False, True), (2, True, False)],
    ids=["one alone is never held", "two of four are held", "a command stands behind it"],
)
def test_a_destructive_plan_without_a_command_is_held(drifted: int, commanded: bool, is_held: bool) -> None:
    wanted = composition(*(declare(name, Fixed="1") for name in "abcd"))
    world = built(wanted)
    for name in "abcd"[:drifted]:
        world.real[real(world, name)] = {"Fixed": "9"}
    planning = world.plan(wanted, commanded=commanded)
    assert bool(planning.held) is is_held
    if is_held:
        assert f"{drifted} of 4" in planning.held
        assert "'tenuto resume web' approves it" in planning.held


def test_mass_loss_is_held_and_not_healed_blindly() -> None:
    wanted = composition(*(declare(name) for name in "abcdef"))
    world = built(wanted)
    world.real.clear()
    assert "create again 6 of 6" in world.plan(wanted, commanded=False).held


def test_types_that_depend_on_each_other_share_a_wave_and_the_references_decide_inside() -> None:
    wanted = composition(declare("a"), declare("b", "T::B", "a"), declare("c", "T::A", "b"))
    world = World()
    made = world.plan(wanted).plan
    assert [wave.types for wave in made.waves] == [("T::A", "T::B")]
    world.execute(made, wanted)
    assert [name for _, name in world.trace] == ["a", "b", "c"]


def test_a_reference_that_nothing_will_ever_answer_is_a_wait_with_its_name() -> None:
    wanted = composition(declare("a", Soft={"Fn::ImportValue": "network"}))
    planning = World().plan(wanted)
    assert planning.plan.is_empty
    assert planning.waits[0].kind is WaitKind.REFERENCE
    assert "network" in planning.waits[0].message


def test_a_kill_is_never_held() -> None:
    wanted = composition(*(declare(name) for name in "abcdef"))
    world = built(wanted)
    planning = world.plan(None, commanded=False)
    assert planning.held == ""
    assert len(planning.plan.operations) == 6


def seen_just_now(world: World, wanted: Composition) -> Planning:
    """The plan of a sweep that began right after our own last change of everything."""
    snapshot = world.snapshot(wanted)
    seen = {key: replace(found, may_be_stale=True) for key, found in snapshot.observations.items()}
    return plan(replace(snapshot, observations=seen), world.ids)


def test_what_is_not_seen_as_we_have_just_changed_it_is_observed_again_and_not_corrected() -> None:
    wanted = composition(declare("a", Soft="2"))
    world = built(wanted)
    world.real[real(world, "a")] = {"Soft": "1"}
    planning = seen_just_now(world, wanted)
    assert planning.plan.is_empty
    assert planning.flips == ()
    assert [(wait.kind, wait.message) for wait in planning.waits] == [
        (WaitKind.OBSERVATION, "changed just now; no sweep shows the change yet")
    ]
    assert not planning.is_converged


def test_another_wish_does_not_wait_until_the_last_one_can_be_seen() -> None:
    world = built(composition(declare("a", Soft="2")))
    world.real[real(world, "a")] = {"Soft": "1"}
    assert verbs(seen_just_now(world, composition(declare("a", Soft="3"))).plan) == [(Verb.MODIFY, "a")]


BEFORE = composition(declare("a", Fixed="1", Size="small", Soft="1"))


def refused(status: PhaseStatus = PhaseStatus.FAILED) -> World:
    """A world with one thing, and a change of it that its provider refused, so that the thing is as it was."""
    world = built(BEFORE)
    ((key, found),) = world.objects.items()
    failed = PhaseEntry(phase=PhaseName("resource.configure"), state="Configuration", status=status)
    world.objects[key] = replace(
        found,
        state="Configuration",
        desired={**found.desired, "Size": "huge", "Soft": "9", "Note": "new"},
        desired_digest="of the refused wish",
        phases={failed.phase: failed},
    )
    return world


def told(made: Plan) -> list[tuple[str, object, object]]:
    return [(change.path, change.before, change.after) for one in made.operations for change in one.changes]


def test_a_refused_change_that_is_taken_back_is_no_change_and_its_object_gets_the_wish_all_the_same() -> None:
    world = refused()
    made = world.plan(BEFORE).plan
    assert (verbs(made), told(made)) == ([(Verb.REFRESH, "a")], [])
    assert made.operations[0].reason == "a failed change is taken back"
    assert [(step.kind, step.properties["Size"]) for step in made.steps] == [(StepKind.CHANGE, "small")]


def test_after_a_refused_change_the_values_before_the_next_one_are_those_of_the_thing() -> None:
    world = refused()
    made = world.plan(composition(declare("a", Fixed="1", Size="huge", Soft="3"))).plan
    assert told(made) == [("Size", "small", "huge"), ("Soft", "1", "3")], "that of Size was never made"
    assert verbs(made) == [(Verb.MODIFY, "a")]


def test_what_must_be_replaced_after_a_refused_change_is_measured_against_the_wish_before() -> None:
    made = refused().plan(composition(declare("a", Fixed="2", Size="small", Soft="1"))).plan
    assert verbs(made) == [(Verb.REPLACE, "a")]


def test_a_change_that_may_still_be_made_is_measured_against_its_wish() -> None:
    running = told(refused(PhaseStatus.RUNNING).plan(BEFORE).plan)
    assert running == [("Size", "huge", "small"), ("Soft", "9", "1"), ("Note", "new", None)]
    assert told(seen_just_now(refused(), BEFORE).plan) == running, "the sweep may be older than the change"


def test_what_was_tried_again_by_hand_is_made_anew_however_often_others_had_their_turn() -> None:
    """It was changed while it was being made, for the sixth time, and somebody has resumed the process."""
    wanted = composition(declare("a", Fixed="1"))
    world = built(wanted)
    name = real(world, "a")
    flips: tuple[Flip, ...] = ()
    for turn in range(5):
        world.real[name] = {"Fixed": "9"}
        snapshot = replace(world.snapshot(wanted), flips=flips, now=Instant(NOW + turn))
        judged = plan(snapshot, world.ids)
        assert verbs(judged.plan) == [(Verb.REPLACE, "a")]
        flips = confirmed(judged.flips)
        world.objects = {
            key: replace(found, touched_at=Instant(NOW + turn + 0.5)) for key, found in world.objects.items()
        }
    (key, found) = next(iter(world.objects.items()))
    failed = PhaseEntry(phase="resource.configure", state="Configuration", status=PhaseStatus.WAITING, attempt=2)
    world.objects[key] = replace(found, state="Configuration", phases={"resource.configure": failed})
    planning = plan(replace(world.snapshot(wanted), flips=flips, now=Instant(NOW + 6)), world.ids)
    assert (verbs(planning.plan), planning.waits) == ([(Verb.REPLACE, "a")], ())


@pytest.mark.parametrize(("target", "goes_on"), [("Started", True), ("Terminated", False)])
def test_what_is_to_stand_goes_on_while_its_new_wish_refers_to_what_has_no_value(target: str, goes_on: bool) -> None:
    """What is built on it would wait for ever for a thing that rests half made (seed 100456 of the simulated cloud)."""
    world = built(composition(declare("a", Soft="1")))
    found = next(iter(world.live()))
    state = "Initialization" if goes_on else "Deallocation"
    world.objects[found.object_id] = replace(found, state=state, target=target)
    planning = world.plan(composition(declare("a", Soft={"Fn::ImportValue": "nobody-exports-it"})))
    assert (found.object_id in planning.agreed) is goes_on
