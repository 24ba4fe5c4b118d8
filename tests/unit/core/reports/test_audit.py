"""The audit: every check finds its case, says what to do, and finds nothing in what is sound."""

from dataclasses import replace
from typing import Any

import audit_page
import planning_world as pure
import pytest

from tenuto.core.reports.audit import audit_objects, audit_plan, audit_times, refusals, refused_message
from tenuto.core.reports.audit_codes import CHECKS
from tenuto.core.reports.store_audit import audit_claims
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.attempt import Attempt, AttemptState
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, PhaseName, PhysicalId
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.plan import Plan, Step, Wave
from tenuto.model.resource import TOLD, UNMADE, ManagedObject

NET, SUB = pure.declare("net"), pure.declare("sub", "T::B", "net")


def built() -> pure.World:
    """A world in which `net` and `sub` stand."""
    world = pure.World()
    world.execute(world.plan(pure.composition(NET, SUB)).plan, pure.composition(NET, SUB))
    return world


def objects_of(world: pure.World) -> dict[str, ManagedObject]:
    return {one.logical_id: one for one in world.objects.values()}


def entry(status: PhaseStatus, state: str, **times: float) -> dict[PhaseName, PhaseEntry]:
    name = PhaseName("a.phase")
    moments = {key: Instant(value) for key, value in times.items()}
    return {name: PhaseEntry(phase=name, state=state, status=status, **moments)}


def acting(**act: Any) -> dict[PhaseName, PhaseEntry]:
    return {name: replace(one, act=Attempt(**act)) for name, one in entry(PhaseStatus.COMPLETED, "Started").items()}


def kill_plan() -> tuple[Plan, tuple[ManagedObject, ...]]:
    world = built()
    return world.plan(None).plan, tuple(world.objects.values())


def codes(*found: object) -> list[str]:
    return [one.code for one in found]  # type: ignore[attr-defined]


def test_every_check_has_a_code_of_its_own_and_an_advice() -> None:
    assert len({check.code for check in CHECKS}) == len(CHECKS)
    for check in CHECKS:
        found = check.found("net", "a detail", process="web")
        assert found.hint.endswith(".")
        assert "{" not in found.hint


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"state": "Nowhere"}, "A004"),
        ({"lifecycle": "nothing"}, "A004"),
        ({"phases": entry(PhaseStatus.WAITING, "Validation"), "state": "Configuration"}, "A005"),
        ({"phases": entry(PhaseStatus.COMPLETED, "Started", started_at=2.0, ended_at=1.0)}, "A006"),
        ({"phases": entry(PhaseStatus.SLEEPING, "Configuration"), "state": "Configuration"}, "A007"),
        ({"phases": entry(PhaseStatus.WAITING, "Started")}, "A008"),
        ({"phases": acting(state=AttemptState.SENT)}, "A011"),
        ({"phases": acting(state=AttemptState.ANSWERED)}, "A011"),
        ({"phases": acting(state=AttemptState.IN_DOUBT, sent_at=Instant(1.0))}, "A011"),
        ({"phases": acting(sent_at=Instant(1.0))}, "A011"),
    ],
)
def test_a_broken_object_is_found_with_its_address(changes: dict[str, object], code: str) -> None:
    sound = objects_of(built())["net"]
    broken = replace(sound, **changes)  # type: ignore[arg-type]
    [found] = audit_objects(pure.process(), [broken], CATALOGUE)
    assert (found.code, found.subject) == (code, "net")


def test_live_objects_of_a_process_that_is_gone_are_found() -> None:
    gone = pure.process(state=ProcessState.GONE)
    [found] = audit_objects(gone, [objects_of(built())["net"]], CATALOGUE)
    assert found.code == "A001"
    assert "'tenuto ops f'" in found.hint


def test_two_objects_of_one_incarnation_and_of_one_thing_are_found() -> None:
    net = objects_of(built())["net"]
    duplicate = replace(net, object_id=ObjectId("other"))
    assert codes(*audit_objects(pure.process(), [net, duplicate], CATALOGUE)) == ["A002", "A003"]


def test_two_things_of_services_that_tell_one_id_are_no_fault() -> None:
    net = objects_of(built())["net"]
    told = [
        replace(net, object_id=ObjectId(name), logical_id=LogicalId(name), attributes={note: {}})
        for name, note in (("one", TOLD), ("two", UNMADE))
    ]
    assert audit_objects(pure.process(), told, CATALOGUE) == ()
    owners = [replace(one, fid=Fid(one.logical_id)) for one in told]
    assert audit_claims(owners, {}) == ()


def test_times_ahead_of_the_clock_are_found() -> None:
    net = objects_of(built())["net"]
    ahead = replace(net, touched_at=Instant(pure.NOW + 3600.0))
    process = pure.process(updated_at=Instant(pure.NOW + 3600.0))
    assert codes(*audit_times(process, [net, ahead], pure.NOW)) == ["A009", "A009"]
    assert not audit_times(pure.process(), [net], pure.NOW)


def test_a_creation_ahead_of_the_clock_is_no_problem_because_no_start_corrects_it() -> None:
    assert not audit_times(pure.process(created_at=Instant(pure.NOW + 3600.0)), [], pure.NOW)


def test_a_sound_plan_has_no_problem() -> None:
    plan, objects = kill_plan()
    assert not audit_plan(plan, objects)
    assert not refusals(pure.process(), plan, objects, CATALOGUE)


def test_each_contradiction_of_a_plan_is_found() -> None:
    plan, objects = kill_plan()
    first = plan.steps[0]
    doubled = replace(plan, steps=(*plan.steps, first))
    assert "A101" in codes(*audit_plan(doubled, objects))
    stepless = replace(plan, steps=plan.steps[1:])
    assert "A103" in codes(*audit_plan(stepless, objects))
    disordered = replace(plan, waves=(Wave(number=0, types=(), after=(7,)), *plan.waves[1:]))
    assert "A104" in codes(*audit_plan(disordered, objects))
    waiting = replace(plan, steps=(replace(first, after=(ObjectId("nothing"),)), *plan.steps[1:]))
    assert "A105" in codes(*audit_plan(waiting, objects))
    assert codes(*audit_plan(plan, ())).count("A107") == 2
    together = replace(plan, steps=tuple(replace(step, after=()) for step in plan.steps))
    assert "A108" in codes(*audit_plan(together, objects))
    endless = replace(plan, steps=(replace(first, after=(plan.steps[-1].object_id,)), *plan.steps[1:]))
    assert "A110" in codes(*audit_plan(endless, objects))
    waveless = replace(plan, steps=tuple(replace(step, wave=9) for step in plan.steps))
    assert "A109" in codes(*audit_plan(waveless, objects))


def test_each_of_two_incarnations_that_leave_counts_with_what_it_was_built_on() -> None:
    plan, _ = kill_plan()
    first = plan.steps[0]

    def leaving(object_id: str, name: str, *depends_on: str, after: tuple[str, ...] = ()) -> Step:
        return replace(
            first,
            object_id=ObjectId(object_id),
            logical_id=LogicalId(name),
            depends_on=tuple(LogicalId(one) for one in depends_on),
            after=tuple(ObjectId(one) for one in after),
        )

    # The old Any was built on Bkt, which was built on the new Any later: of a circle, what was there first leaves last.
    old, bucket = leaving("any-1", "Any", "Bkt"), leaving("bkt-1", "Bkt", "Any", after=("any-1",))
    new = leaving("any-2", "Any", after=("bkt-1",))
    circle = replace(plan, steps=(old, replace(bucket, after=()), new))
    assert "A108" not in codes(*audit_plan(circle, None))
    loose = replace(plan, steps=(leaving("any-1", "Any"), bucket, replace(new, after=())))
    assert "A108" in codes(*audit_plan(loose, None))


def test_two_creations_at_one_address_and_one_of_what_exists_are_found() -> None:
    world = pure.World()
    plan = world.plan(pure.composition(NET)).plan
    [step] = plan.steps
    again = replace(plan, steps=(step, replace(step, object_id=ObjectId("other"))))
    assert "A102" in codes(*audit_plan(again, ()))
    stored = replace(objects_of(built())["net"], object_id=step.object_id)
    assert "A106" in codes(*audit_plan(plan, [stored]))


def test_only_objects_at_the_addresses_of_a_plan_refuse_it() -> None:
    world = built()
    net = objects_of(world)["net"]
    world.real[PhysicalId(str(net.physical_id))]["Soft"] = "drifted"
    plan = world.plan(pure.composition(replace(NET, properties={"Soft": "1"}), SUB)).plan
    assert {step.logical_id for step in plan.steps} == {"net"}
    elsewhere = [replace(one, state="Nowhere") if one.logical_id == "sub" else one for one in world.objects.values()]
    assert not refusals(pure.process(), plan, elsewhere, CATALOGUE)
    here = [replace(one, state="Nowhere") if one.logical_id == "net" else one for one in world.objects.values()]
    assert codes(*refusals(pure.process(), plan, here, CATALOGUE)) == ["A004"]


def test_a_refusal_tells_code_detail_and_command() -> None:
    plan, objects = kill_plan()
    message = refused_message(audit_plan(replace(plan, steps=(*plan.steps, plan.steps[0])), objects, "web"))
    assert message.startswith(
        "Tenuto refuses its own plan and changes nothing. A101 The plan has two steps for one object: "
    )
    assert "'tenuto plan web' shows the plan." in message


def test_the_page_of_the_audit_lists_every_check() -> None:
    assert audit_page.PAGE.read_text(encoding="utf-8") == audit_page.render_page()
