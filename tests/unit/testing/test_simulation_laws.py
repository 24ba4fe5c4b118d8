"""The laws of the simulator can be broken: each sees a world in which it does not hold, and one in which it does."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tenuto.lifecycles.resource import ResourceState
from tenuto.model.command import Command
from tenuto.model.delta import Change
from tenuto.model.ids import Fid, Instant, Json, LogicalId, ObjectId, PhysicalId, PlanId, TypeName
from tenuto.model.job import JobKind, JobStatus
from tenuto.model.outcome import Request
from tenuto.model.plan import Operation, Plan, Planning, Step, StepKind, Wait
from tenuto.model.process import CommandRecord, Process, ReleaseMode
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import Verb, WaitKind
from tenuto.ports.store_changes import Append, CreateObject, SaveComposition, SaveJob, SavePlan, SaveProcess
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.simulation.force import PlansInForce
from tenuto_testing.simulation.gaps import gaps, lasting
from tenuto_testing.simulation.ground import Ground
from tenuto_testing.simulation.promises import Promises
from tenuto_testing.simulation.proofs import Proofs, _is_done
from tenuto_testing.simulation.sceneries import scenery_of
from tenuto_testing.store_bench import born
from tenuto_testing.store_samples import DB, HERE, WEB, a_composition, a_job, a_process, a_step, an_object

NET, OLD_PLAN, NEW_PLAN = ObjectId("obj-Net"), PlanId("p-old"), PlanId("p-new")
NETWORK, GROUP = TypeName("Simulated::Network"), TypeName("Simulated::Group")


def a_plan(plan_id: PlanId, *steps: Step, operations: tuple[Operation, ...] = ()) -> Plan:
    return Plan(
        plan_id=plan_id,
        fid=WEB,
        partition=HERE,
        command="update",
        observed_at=Instant(1.0),
        steps=steps,
        operations=operations,
    )


@pytest.fixture
def store() -> MemoryStore:
    """A process that declares Net, which an older plan deletes."""
    found = MemoryStore()
    found.commit([SaveComposition(composition=a_composition()), born(a_process(alias="web"))])
    leaving = an_object(NET, logical_id=LogicalId("Net"), target=ResourceState.TERMINATED, plan_id=OLD_PLAN)
    found.commit([CreateObject(object=leaving, actor="t")])
    found.commit([SavePlan(plan=a_plan(OLD_PLAN, a_step(StepKind.REMOVE)))])
    return found


@pytest.fixture
def ground() -> Ground:
    scenery = scenery_of("simulated")
    return scenery.ground(VirtualClock(), scenery.traits, 1)


class TestForce:
    """Nothing is done that the plan in force does not want."""

    @staticmethod
    def law(store: MemoryStore, command: Command = Command.UPDATE) -> PlansInForce:
        found = PlansInForce(store)
        found.after_commit([Append(commands=(CommandRecord(fid=WEB, command=command, at=Instant(1.0), actor="t"),))])
        return found

    @staticmethod
    def follow(law: PlansInForce, store: MemoryStore, plan: Plan) -> None:
        changes = (SavePlan(plan=plan), SaveJob(job=a_job(status=JobStatus.RUNNING, plan_id=plan.plan_id)))
        store.commit(changes)
        law.after_commit(changes)

    @staticmethod
    def net(store: MemoryStore) -> ManagedObject:
        found = store.object(NET)
        assert found is not None
        return found

    def test_a_deletion_goes_on_under_the_plan_that_ordered_it(self, store: MemoryStore) -> None:
        law = self.law(store)
        self.follow(law, store, a_plan(OLD_PLAN, a_step(StepKind.REMOVE)))
        assert list(law.disagreements("delete", self.net(store))) == []

    def test_a_deletion_before_the_new_command_has_a_plan_is_told(self, store: MemoryStore) -> None:
        told = list(self.law(store).disagreements("delete", self.net(store)))
        assert told == ["'update' was given, and there is no plan for it yet"]

    def test_a_deletion_that_the_new_plan_turns_back_is_told(self, store: MemoryStore) -> None:
        law = self.law(store)
        self.follow(law, store, a_plan(NEW_PLAN, a_step(StepKind.CHANGE)))
        told = list(law.disagreements("delete", self.net(store)))
        assert "the plan in force has a step 'change' for it, which has not begun" in told
        assert "the plan in force wants it Started" in told

    def test_a_deletion_of_what_is_declared_and_stands_nowhere_else_is_told(self, store: MemoryStore) -> None:
        law = self.law(store)
        self.follow(law, store, a_plan(NEW_PLAN))
        told = list(law.disagreements("delete", self.net(store)))
        assert told == ["it is declared, and nothing else is at its address"]

    def test_a_deletion_that_an_earlier_plan_of_the_same_command_ordered_may_go_on(self, store: MemoryStore) -> None:
        law = self.law(store)
        self.follow(law, store, a_plan(OLD_PLAN, a_step(StepKind.REMOVE)))
        self.follow(law, store, a_plan(NEW_PLAN))
        assert list(law.disagreements("delete", self.net(store))) == []

    def test_a_deletion_while_the_process_is_released_is_told(self, store: MemoryStore) -> None:
        law = self.law(store, Command.RELEASE)
        process = store.process(WEB)
        assert process is not None
        releasing = replace(process, releasing=ReleaseMode.UNTAG)
        store.commit([SaveProcess(process=releasing, expected_generation=process.generation)])
        self.follow(law, store, a_plan(NEW_PLAN))
        assert "its process is being released" in law.disagreements("delete", self.net(store))


class TestPromises:
    """What a dry run showed is what the command plans."""

    @staticmethod
    def an_operation(verb: Verb, physical_id: PhysicalId | None = None) -> Operation:
        return Operation(verb=verb, type=NETWORK, logical_id=LogicalId("Net"), object_id=NET, physical_id=physical_id)

    def play(
        self,
        store: MemoryStore,
        ground: Ground,
        planned: Verb,
        meanwhile: Callable[[Promises], None] = lambda _: None,
        waits: tuple[Wait, ...] = (),
        afterwards: Callable[[], None] = lambda: None,
    ) -> list[str]:
        """The problems after a dry run that shows a change, and a command that plans something. `meanwhile` happens
        before the command, and `afterwards` before its plan."""
        problems: list[str] = []
        law = Promises(store, ground, problems.append)
        process: Process = a_process(alias="web")
        plan = a_plan(OLD_PLAN, operations=(self.an_operation(Verb.MODIFY),))
        law.make(process, "update", "d", Planning(plan=plan, waits=waits))
        meanwhile(law)
        law.call_in(process, "update", "d")
        afterwards()
        plan = a_plan(NEW_PLAN, operations=(self.an_operation(planned),))
        job = a_job(status=JobStatus.RUNNING, plan_id=NEW_PLAN, kind=JobKind.COMMAND)
        law.after_commit([SavePlan(plan=plan), SaveJob(job=job)])
        return problems

    def test_a_command_that_does_what_was_shown_keeps_the_promise(self, store: MemoryStore, ground: Ground) -> None:
        assert self.play(store, ground, Verb.MODIFY) == []

    def test_a_command_that_does_something_else_breaks_it(self, store: MemoryStore, ground: Ground) -> None:
        (told,) = self.play(store, ground, Verb.DELETE)
        assert told.startswith("the dry run of 'update' promised modify Net")
        assert "planned delete Net" in told

    def test_a_promise_of_another_world_binds_nobody(self, store: MemoryStore, ground: Ground) -> None:
        def change(_: Promises) -> None:
            ground.add(NETWORK, {"CidrBlock": "10.9.0.0/16"})

        assert self.play(store, ground, Verb.DELETE, change) == []
        assert self.play(store, ground, Verb.DELETE, Promises.forget) == []

    @pytest.mark.parametrize("fid", [WEB, DB])
    def test_a_promise_ends_when_another_process_goes_on_before_the_plan(
        self, store: MemoryStore, ground: Ground, fid: Fid
    ) -> None:
        """The export that a resource waited for may be there by then. The process itself does what it has promised."""
        store.commit([born(a_process(DB))])

        def go_on() -> None:
            store.commit([CreateObject(object=an_object(ObjectId("obj-new"), fid=fid), actor="t")])

        assert bool(self.play(store, ground, Verb.DELETE, afterwards=go_on)) is (fid == WEB)

    def test_a_dry_run_that_could_not_judge_something_promises_nothing(
        self, store: MemoryStore, ground: Ground
    ) -> None:
        unclear = Wait(kind=WaitKind.OBSERVATION, logical_id=LogicalId("Net"), message="not visible yet")
        assert self.play(store, ground, Verb.DELETE, waits=(unclear,)) == []
        held = Wait(kind=WaitKind.PHASE, logical_id=LogicalId("Net"), message="on its way")
        assert self.play(store, ground, Verb.DELETE, waits=(held,)) != []

    def test_a_dry_run_that_changes_what_is_gone_already_promises_nothing(
        self, store: MemoryStore, ground: Ground
    ) -> None:
        standing = a_thing(ground, NETWORK, CidrBlock="10.7.0.0/16")
        for physical_id, is_held in ((standing, True), (PhysicalId("net-that-was"), False)):
            problems: list[str] = []
            law, process = Promises(store, ground, problems.append), a_process(alias="web")
            shown = a_plan(OLD_PLAN, operations=(self.an_operation(Verb.REPLACE, physical_id),))
            law.make(process, "update", "d", Planning(plan=shown))
            law.call_in(process, "update", "d")
            done = a_plan(NEW_PLAN, operations=(self.an_operation(Verb.CREATE, physical_id),))
            law.after_commit([SavePlan(plan=done), SaveJob(job=a_job(status=JobStatus.RUNNING, plan_id=NEW_PLAN))])
            assert bool(problems) is is_held

    def test_a_command_that_nobody_took_calls_nothing_in(self, store: MemoryStore, ground: Ground) -> None:
        problems: list[str] = []
        law, process = Promises(store, ground, problems.append), a_process(alias="web")
        law.make(process, "update", "d", Planning(plan=a_plan(OLD_PLAN)))
        law.call_in(process, "update", "d")
        law.withdraw(process.fid)
        plan = a_plan(PlanId("p-later"), operations=(self.an_operation(Verb.DELETE),))
        job = a_job(status=JobStatus.RUNNING, plan_id=plan.plan_id, kind=JobKind.COMMAND)
        law.after_commit([SavePlan(plan=plan), SaveJob(job=job)])
        assert problems == []


def a_thing(ground: Ground, type_name: TypeName, **properties: object) -> PhysicalId:
    """The id of a thing that is added to the cloud."""
    before = {one.key for one in ground.standing()}
    ground.add(type_name, properties)
    return next(one.physical_id for one in ground.standing() if one.key not in before)


class TestProofs:
    """A job that says that it changed something is right."""

    def play(self, store: MemoryStore, ground: Ground, *, real: str, strikes: int = 0) -> list[str]:
        """The problems with a job that gave a network the label `ours` and succeeded."""
        physical_id = a_thing(ground, NETWORK, CidrBlock="10.8.0.0/16", Label=real)
        settled = an_object(
            "obj-Own",
            logical_id=LogicalId("Own"),
            physical_id=physical_id,
            desired={"Label": "ours"},
            state="Started",
            target="Started",
        )
        struck = 0
        law = Proofs(_Shelf(settled, store), ground, lambda _: struck)  # type: ignore[arg-type]
        changed = Operation(
            verb=Verb.MODIFY,
            type=NETWORK,
            logical_id=LogicalId("Own"),
            object_id=settled.object_id,
            changes=(Change(path="Label", before="theirs", after="ours"),),
        )
        store.commit([SavePlan(plan=a_plan(NEW_PLAN, operations=(changed,)))])
        job = a_job(status=JobStatus.RUNNING, plan_id=NEW_PLAN)
        assert list(law.after_commit([SaveJob(job=job)])) == []
        struck = strikes
        return list(law.after_commit([SaveJob(job=replace(job, status=JobStatus.SUCCEEDED))]))

    def test_a_job_that_is_right_is_believed(self, store: MemoryStore, ground: Ground) -> None:
        assert self.play(store, ground, real="ours") == []

    def test_a_job_that_succeeded_without_the_change_is_told(self, store: MemoryStore, ground: Ground) -> None:
        told = self.play(store, ground, real="theirs")
        assert told == ["job 'enforce' says that Own.Label was changed, and it was not"]

    def test_a_job_is_not_blamed_for_what_strangers_did(self, store: MemoryStore, ground: Ground) -> None:
        assert self.play(store, ground, real="theirs", strikes=1) == []

    @pytest.mark.parametrize(
        ("before", "after", "real", "is_done"),
        [
            (["a"], ["b"], ["b", "theirs"], True),
            (["a"], ["b"], ["a", "b"], False),
            (["a"], ["b"], ["theirs"], False),
            (["a"], [], ["theirs"], True),
            ("a", "b", "c", False),
        ],
    )
    def test_a_list_may_hold_what_another_resource_put_there(
        self, before: Json, after: Json, real: Json, is_done: bool
    ) -> None:
        assert _is_done(before, after, real, lambda one, other: one == other) is is_done


class _Shelf:
    """A store with one more object, in a state that no object is born in."""

    def __init__(self, found: ManagedObject, store: MemoryStore) -> None:
        self.object = lambda _: found
        self.plan = store.plan


class TestGaps:
    """What was there and is wanted is never absent in between."""

    @staticmethod
    def rule(port: int) -> dict[str, object]:
        return {"Protocol": "tcp", "FromPort": port, "ToPort": port, "CidrIp": "0.0.0.0/0"}

    def play(self, ground: Ground, *after: int) -> list[str]:
        """The problems when a group with the ports 22 and 443, wanted with 443 and 80, has these in the middle."""
        network = a_thing(ground, NETWORK, CidrBlock="10.8.0.0/16")
        group = a_thing(ground, GROUP, NetworkId=network, Ingress=[self.rule(22), self.rule(443)])
        request = Request(
            object_id=NET,
            fid=WEB,
            process_name="web",
            logical_id=LogicalId("Net"),
            type=GROUP,
            token="t",
            properties={"Ingress": [self.rule(443), self.rule(80)]},
            physical_id=group,
        )
        watched = lasting(ground, [request])
        found = an_object(NET, type=GROUP, physical_id=group)
        ground.strike("tamper", found, "Ingress", [self.rule(port) for port in after])
        return list(gaps(ground, watched))

    def test_a_change_that_adds_before_it_removes_has_no_gap(self, ground: Ground) -> None:
        assert self.play(ground, 22, 443, 80) == []

    def test_a_change_that_removes_all_before_it_adds_has_one(self, ground: Ground) -> None:
        (told,) = self.play(ground, 80)
        assert told.startswith("Net.Ingress is without")
        assert "443" in told

    def test_what_is_not_wanted_any_more_may_go_at_once(self, ground: Ground) -> None:
        assert self.play(ground, 443) == []
