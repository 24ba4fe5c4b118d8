"""Whose coming to rest is worth a pass over an executing plan."""

from planning_world import World, composition, declare

from tenuto.core.planning.plan_progress import WakeFilter, advance
from tenuto.model.composition import Composition
from tenuto.model.ids import LogicalId, ObjectId
from tenuto.model.plan import Plan
from tenuto.model.resource import ManagedObject

NETS_AND_GROUPS = composition(
    declare("n1"), declare("n2"), declare("g1", "T::B", "n1"), declare("g2", "T::B", "n2"), declare("g3", "T::B", "g2")
)


class Making:
    """A plan of new resources, some of which are on their way, or there."""

    def __init__(self, wanted: Composition) -> None:
        self.plan: Plan = World().plan(wanted).plan
        self.id_of = {str(step.logical_id): step.object_id for step in self.plan.steps}
        self.objects: dict[ObjectId, ManagedObject] = {}

    def awaited(self, moving: str = "", done: str = "") -> WakeFilter:
        found = dict.fromkeys(moving.split(), "Allocation") | dict.fromkeys(done.split(), "Started")
        objects = {self.id_of[name]: self._object(name, state) for name, state in found.items()}
        return WakeFilter(self.plan, advance(self.plan, objects))

    def _object(self, name: str, state: str) -> ManagedObject:
        step = next(step for step in self.plan.steps if step.logical_id == LogicalId(name))
        return ManagedObject(
            object_id=step.object_id,
            lifecycle="resource",
            type=step.type,
            provider="pure",
            partition=self.plan.partition,
            fid=self.plan.fid,
            logical_id=step.logical_id,
            incarnation=1,
            state=state,
            target="Started",
            created_at=self.plan.observed_at,
            moved_at=self.plan.observed_at,
            touched_at=self.plan.observed_at,
            plan_id=self.plan.plan_id,
        )


def test_only_the_last_of_a_wave_is_worth_a_sweep() -> None:
    making = Making(NETS_AND_GROUPS)
    awaited = making.awaited(moving="n1 n2")
    assert not awaited.should_wake([making.id_of["n1"]])
    assert awaited.should_wake([making.id_of["n2"]])


def test_all_of_a_wave_at_once_are_worth_a_sweep() -> None:
    making = Making(NETS_AND_GROUPS)
    assert making.awaited(moving="n1 n2").should_wake([making.id_of["n1"], making.id_of["n2"]])


def test_who_is_waited_for_inside_its_wave_is_worth_a_sweep_at_once() -> None:
    making = Making(NETS_AND_GROUPS)
    awaited = making.awaited(done="n1 n2", moving="g1 g2")
    assert not awaited.should_wake([making.id_of["g1"]])
    assert awaited.should_wake([making.id_of["g2"]])
    assert making.awaited(done="n1 n2", moving="g1 g2").should_wake([making.id_of["g2"]])


def test_who_was_done_already_when_it_was_observed_is_worth_no_other_sweep() -> None:
    making = Making(NETS_AND_GROUPS)
    assert not making.awaited(done="n1", moving="n2").should_wake([making.id_of["n1"]])


def test_who_is_in_no_step_of_the_plan_is_worth_a_sweep() -> None:
    assert Making(NETS_AND_GROUPS).awaited(moving="n1 n2").should_wake([ObjectId("left over from an older plan")])


def test_nobody_is_worth_no_sweep() -> None:
    assert not Making(NETS_AND_GROUPS).awaited(moving="n1 n2").should_wake([])
