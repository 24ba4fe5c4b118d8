"""Behaviours 1 to 21: the core loop and the states."""

import uuid
from itertools import pairwise

import pytest
from desk import BKT, GRP, HOME, NET, PAUSES_S, SRV, SUB, WEB, Desk
from hypothesis import given
from hypothesis import strategies as some

from tenuto.conductor.jobs.scheduler import Scheduler
from tenuto.core.pacing.visibility import VISIBILITY_S
from tenuto.model.ids import Fid, Instant
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto.providers.simulated.types import BUCKET, NETWORK
from tenuto_testing.mortality import Blow
from tenuto_testing.simulation.promises import shown

PAIR = (
    "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.1.0.0/16}}",
    "  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.1.1.0/24}}",
)


def test_behaviour_1_a_run_composition_becomes_a_process_whose_jobs_create_all_of_it(desk: Desk) -> None:
    made = desk.document("run", desk.template(), "-a", "web")
    assert (made["state"], uuid.UUID(made["fid"]).version) == ("Running", 4)
    desk.settle()
    resources = desk.status()["resources"]
    assert resources.keys() == {"Net", "Sub", "Grp", "Srv", "Bkt"}
    assert all(found["state"] == "Started" for found in resources.values())
    assert {found["id"] for found in resources.values()} == desk.things().keys()


def test_behaviour_2_an_unchanged_world_is_observed_and_not_touched(desk: Desk) -> None:
    desk.runs()
    changes, looks = desk.changes(), len(desk.world.calls)
    desk.advance(300)
    assert (desk.changes(), len(desk.world.calls) > looks) == (changes, True)
    last = desk.status()["last_job"]
    assert (last["status"], last["plan_id"]) == ("SUCCEEDED", None)
    assert desk.document("plan", "web")["operations"] == []


def test_behaviour_3_a_changed_property_is_reverted_and_nothing_else(desk: Desk) -> None:
    desk.runs()
    net = desk.real("Net")
    desk.world.cloud.tamper(net.physical_id, "Label", "a stranger's")
    changes = desk.changes()
    desk.settle()
    assert net.properties["Label"] == "main"
    assert [call.subjects for call in desk.world.calls if call.is_changing][changes:] == [("Net",)]


@pytest.mark.parametrize(
    "found",
    [[{"Protocol": "tcp", "Port": 443}, {"Protocol": "tcp", "Port": 22}], [], [{"Protocol": "tcp", "Port": 22}]],
    ids=["a rule too many", "a rule too few", "another rule"],
)
def test_behaviour_4_the_rules_of_a_group_are_those_declared(desk: Desk, found: list[object]) -> None:
    desk.runs()
    group = desk.real("Grp")
    desk.world.cloud.tamper(group.physical_id, "Ingress", found)
    desk.settle()
    assert group.properties["Ingress"] == [{"Protocol": "tcp", "Port": 443}]


def test_behaviour_5_a_resource_deleted_by_hand_is_made_again(desk: Desk) -> None:
    desk.runs()
    old = desk.real("Srv").physical_id
    desk.advance(VISIBILITY_S)  # what is new may only be invisible
    desk.world.cloud.vanish(old)
    desk.settle()
    assert desk.real("Srv").physical_id not in (None, old)


def test_behaviour_6_what_nobody_declared_never_changes(desk: Desk) -> None:
    strangers = [
        desk.world.cloud.add(HOME, NETWORK, {"CidrBlock": "10.9.0.0/16", "Label": "theirs"}),
        desk.world.cloud.add(HOME, BUCKET, {"Name": "theirs"}),
    ]
    before = {name: dict(desk.things()[name].properties) for name in strangers}
    desk.runs()
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "drifted")
    desk.settle()
    desk.does("kill", "web")
    desk.settle()
    assert {name: dict(thing.properties) for name, thing in desk.things().items()} == before


def test_behaviour_7_a_suspended_process_is_not_even_observed(desk: Desk) -> None:
    desk.runs()
    desk.does("suspend", "web")
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "drifted")
    desk.advance(5)
    calls, last = len(desk.world.calls), desk.world.store.process("web")
    desk.advance(600)
    assert len(desk.world.calls) == calls
    assert desk.world.store.process("web") == last
    assert desk.real("Net").properties["Label"] == "drifted"


def test_behaviour_8_a_resumed_process_reverts_what_drifted_meanwhile(desk: Desk) -> None:
    desk.runs()
    desk.does("suspend", "web")
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "drifted")
    desk.advance(100)
    assert desk.document("resume", "web")["state"] == "Running"
    desk.settle()
    assert desk.real("Net").properties["Label"] == "main"


@pytest.mark.parametrize("is_suspended", [False, True])
def test_behaviour_9_a_kill_deletes_all_in_order_of_dependency_and_the_process_is_gone(
    desk: Desk, is_suspended: bool
) -> None:
    desk.runs()
    if is_suspended:
        desk.does("suspend", "web")
    assert desk.document("kill", "web")["state"] == "Killing"
    desk.settle()
    assert desk.things() == {}
    assert desk.document("status")["processes"] == []
    deleted = [name for call in desk.world.calls if call.operation == "delete" for name in call.subjects]
    for first, second in (("Srv", "Sub"), ("Srv", "Grp"), ("Sub", "Net"), ("Grp", "Net")):
        assert deleted.index(first) < deleted.index(second)


def caught_in_a_kill(desk: Desk) -> None:
    """A process whose kill came half-way and was suspended."""
    desk.runs()
    desk.fault("delete", "Net", FaultKind.UNAVAILABLE, times=100)
    desk.does("kill", "web")
    desk.advance(60)
    desk.does("suspend", "web")
    desk.world.faults.clear()


def test_behaviour_10_a_suspended_kill_deletes_nothing_more(desk: Desk) -> None:
    caught_in_a_kill(desk)
    desk.advance(5)
    standing = desk.things().keys()
    desk.advance(600)
    assert standing == desk.things().keys() == {desk.status()["resources"]["Net"]["id"]}
    assert desk.status()["state"] == "Suspended"


@pytest.mark.parametrize("pause_s", PAUSES_S)
def test_behaviour_11_a_resumed_kill_is_cancelled_and_what_is_gone_is_built_again(desk: Desk, pause_s: float) -> None:
    caught_in_a_kill(desk)
    net = desk.real("Net")
    desk.advance(pause_s)
    promised = shown(desk.document("resume", "web", "--dry-run")["operations"])
    assert [(one["op"], one["logical_id"]) for one in promised if one["logical_id"] == "Net"] == [("modify", "Net")]
    desk.advance(pause_s)
    assert desk.document("resume", "web")["state"] == "Running"
    desk.settle()
    assert desk.planned("resume") == [promised]
    assert len(desk.things()) == len(WEB)
    assert desk.real("Net") is net
    assert desk.status()["converged"]


def test_behaviour_12_a_kill_given_again_goes_on_to_the_end(desk: Desk) -> None:
    caught_in_a_kill(desk)
    assert desk.document("kill", "web")["state"] == "Killing"
    desk.settle()
    assert (desk.things(), desk.document("status")["processes"]) == ({}, [])


@pytest.mark.parametrize("command", ["resume", "update", "release", "kill"])
def test_behaviour_13_a_process_that_is_killed_takes_no_command_but_suspend(desk: Desk, command: str) -> None:
    desk.runs()
    desk.does("kill", "web")
    before = desk.world.store.process("web")
    more = (desk.template(NET, name="other"),) if command == "update" else ()
    refused = desk("-y", command, "web", *more)
    assert refused.code == 5
    assert "suspend" in refused.err
    assert desk.world.store.process("web") == before


def test_behaviour_14_resume_of_a_running_and_suspend_of_a_suspended_process_are_refused(desk: Desk) -> None:
    desk.runs()
    assert desk("-y", "resume", "web").code == 5
    desk.does("suspend", "web")
    before = desk.world.store.process("web")
    assert desk("-y", "suspend", "web").code == 5
    assert desk.world.store.process("web") == before


def test_behaviour_15_what_a_human_must_repair_suspends_the_process_and_says_why(desk: Desk) -> None:
    desk.fault("create", "Srv", FaultKind.DENIED)
    desk.does("run", desk.template(), "-a", "web")
    desk.settle()
    status = desk.status()
    assert (status["state"], status["last_job"]["status"]) == ("Suspended", "HALTED")
    assert all(part in status["last_message"] for part in ("Srv", "resource.create", "AccessDenied", "resume"))


@pytest.mark.parametrize(("kind", "why"), [(FaultKind.THROTTLED, "throttled"), (FaultKind.UNAVAILABLE, "waiting")])
def test_a_throttled_call_is_told_from_one_that_failed_in_another_way(desk: Desk, kind: FaultKind, why: str) -> None:
    desk.fault("create", "Net", kind, times=40)
    desk.does("run", desk.template(), "-a", "web")
    desk.advance(10)
    assert desk.status()["unconverged"]["why"] == why


@pytest.mark.parametrize("kind", [FaultKind.THROTTLED, FaultKind.UNAVAILABLE, FaultKind.LOST, FaultKind.DOWN])
def test_behaviour_16_what_may_pass_is_tried_again_and_the_process_stays_in_its_state(
    desk: Desk, kind: FaultKind
) -> None:
    desk.fault("create", "Net", kind, times=4)
    desk.does("run", desk.template(), "-a", "web")
    desk.advance(3)
    assert (desk.status()["state"], desk.status()["converged"]) == ("Running", False)
    desk.settle()
    assert desk.status()["converged"]
    assert len(desk.things()) == len(WEB)


def test_what_two_sweeps_do_not_show_is_gone_whatever_its_deletion_is_answered(desk: Desk) -> None:
    desk.does("run", desk.template(BKT, name="web"), "-a", "web")
    desk.advance(VISIBILITY_S)
    desk.fault("delete", "Bkt", FaultKind.LOST)
    desk.fault("delete", "Bkt", FaultKind.UNAVAILABLE, times=1000)
    desk.does("kill", "web")
    desk.advance(20)
    assert desk.document("status")["processes"] == []
    assert desk.things() == {}


def test_behaviour_17_one_process_that_fails_or_waits_does_not_hold_up_another(desk: Desk) -> None:
    desk.fault("create", "Net", FaultKind.DENIED)
    desk.does("run", desk.template(NET, name="broken"), "-a", "broken")
    desk.settle()
    desk.fault("create", "Bkt", FaultKind.UNAVAILABLE, times=100)
    desk.does("run", desk.template(BKT, name="waiting"), "-a", "waiting")
    desk.does("run", desk.template(*PAIR, name="well"), "-a", "well")
    desk.advance(60)
    assert desk.status("broken")["state"] == "Suspended"
    assert not desk.status("waiting")["converged"]
    assert desk.status("well")["converged"]


@given(some.lists(some.sampled_from(["wake", "collect", "settle"]), max_size=30))
def test_behaviour_18_one_process_is_never_worked_on_twice_at_once(acts: list[str]) -> None:
    scheduler, fid, now, in_hand = Scheduler(), Fid("web"), Instant(0.0), 0
    for act in acts:
        if act == "wake":
            scheduler.wake(fid, now)
        elif act == "collect":
            in_hand += len(scheduler.collect(now))
        elif in_hand:
            scheduler.settle(fid, now, now)
            in_hand -= 1
        assert in_hand <= 1


def test_behaviour_18_two_jobs_of_one_process_never_execute_at_once(desk: Desk) -> None:
    """Ticks, commands and drift come while jobs execute: the times of jobs that executed do not overlap."""
    slow = 100.0
    desk.world.faults.add(Fault(kind=FaultKind.SLOW, operation="create", subject="Srv", times=20, seconds=slow))
    desk.does("run", desk.template(), "-a", "web")
    for number in range(8):
        desk.advance(13)
        desk.does("update", "web", desk.template(*(NET.replace("main", f"main-{number}"), *WEB[1:])))
        desk.advance(29)
        desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "drifted")
    desk.settle()
    jobs = [job for job in desk.world.store.history(desk.world.fid("web")).jobs if job.plan_id]
    times = sorted((job.started_at, job.finished_at or job.started_at) for job in jobs)
    assert len(times) > 8
    assert all(ended <= began for (_, ended), (began, _) in pairwise(times))


def test_behaviour_19_what_is_referred_to_comes_first_and_a_type_ends_before_the_next_begins(desk: Desk) -> None:
    second = (
        "  Net2: {Type: Simulated::Network, Properties: {CidrBlock: 10.2.0.0/16}}",
        "  Sub2: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net2, CidrBlock: 10.2.1.0/24}}",
        "  Srv2: {Type: Simulated::Server, Properties: {SubnetId: !Ref Sub2, Image: debian-12}}",
    )
    desk.fault("create", "Net2", FaultKind.THROTTLED, times=2)
    desk.runs(NET, SUB, GRP, SRV, *second)
    made = [name for call in desk.world.calls if call.operation == "create" for name in call.subjects]
    last = {name: position for position, name in enumerate(made)}
    for first, then in (("Net", "Sub"), ("Net2", "Sub"), ("Sub", "Srv"), ("Sub2", "Srv"), ("Grp", "Srv")):
        assert last[first] < made.index(then)


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("operation", ["create", "commit"])
def test_behaviour_20_a_conductor_killed_in_mid_plan_leaves_no_double_and_no_orphan(
    desk: Desk, operation: str, is_after: bool
) -> None:
    desk.world.fate.arm(Blow(operation=operation, is_after=is_after, count=3))
    desk.does("run", desk.template(), "-a", "web")
    desk.settle()
    assert desk.world.crashes
    owners = [thing.owner.logical_id for thing in desk.things().values() if thing.owner]
    assert sorted(owners) == ["Bkt", "Grp", "Net", "Srv", "Sub"]
    process = desk.world.store.process("web")
    assert process is not None
    assert process.converged_at is not None


def test_behaviour_21_a_job_comes_every_period(desk: Desk) -> None:
    desk.runs()
    began: list[str] = []
    for _ in range(4):
        began.append(desk.status()["last_job"]["started"])
        desk.advance(30)
    assert len(set(began)) == 4


@pytest.mark.parametrize("period_s", [5.0, 30.0, 120.0])
def test_behaviour_21_the_period_can_be_changed(desk: Desk, period_s: float) -> None:
    desk.runs(NET)
    desk.world.system.tempo.period_s = period_s
    desk.settle()
    before = len(desk.world.calls)
    desk.advance(10 * period_s)
    sweeps = [call for call in desk.world.calls[before:] if call.operation == "sweep"]
    assert len({call.at for call in sweeps}) in (10, 11)


def test_behaviour_21_observations_may_be_made_less_often_than_jobs(desk: Desk) -> None:
    desk.runs(NET)
    desk.world.system.tempo.observation_s = 60.0
    desk.settle()
    before, began = len(desk.world.calls), set()
    for _ in range(20):
        desk.advance(30)
        began.add(desk.status()["last_job"]["started"])
    sweeps = {call.at for call in desk.world.calls[before:] if call.operation == "sweep"}
    assert len(began) == 20
    assert len(sweeps) in (10, 11)
