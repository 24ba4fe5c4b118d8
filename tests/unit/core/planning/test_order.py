"""What must come before what, however long the chain."""

from planning_world import HOME, NOW, World, composition, declare

from tenuto.compositions.documents.circles import find_circles
from tenuto.core.planning.comparing.order import circles, dependency_order, with_dependants
from tenuto.core.planning.comparing.secrets import digest_of
from tenuto.core.planning.plan_progress import advance
from tenuto.core.reports.audit import audit_plan
from tenuto.model.composition import Composition
from tenuto.model.ids import Fid, LogicalId, ObjectId, PhysicalId
from tenuto.model.plan import StepKind
from tenuto.model.resource import ManagedObject

LENGTH = 8_000
"""Longer than any interpreter's stack is deep."""


def name_of(number: int) -> str:
    return f"n{number:05}"


def chain(length: int = LENGTH) -> Composition:
    """Each refers to the one before it."""
    return composition(*(declare(name_of(n), "T::A", *([name_of(n - 1)] if n else [])) for n in range(length)))


def standing(wanted: Composition) -> World:
    """A world in which all of it was made."""
    world = World()
    for declaration in wanted.resources:
        name = declaration.logical_id
        properties = {key: f"p-{value['Ref']}" for key, value in declaration.properties.items()}
        found = ManagedObject(
            object_id=ObjectId(f"o-{name}"),
            lifecycle="resource",
            type=declaration.type,
            provider="pure",
            partition=HOME,
            fid=Fid("f"),
            logical_id=name,
            incarnation=1,
            state="Started",
            target="Started",
            created_at=NOW,
            moved_at=NOW,
            touched_at=NOW,
            physical_id=PhysicalId(f"p-{name}"),
            desired=properties,
            desired_digest=digest_of(properties, wanted),
            depends_on=declaration.depends_on,
        )
        world.objects[found.object_id] = found
        world.real[PhysicalId(f"p-{name}")] = dict(properties)
    return world


def test_members_of_a_circle_are_found_together_and_after_what_the_circle_needs() -> None:
    edges = {"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": [], "e": ["a", "d"]}
    assert circles(edges) == (("d",), ("a", "b", "c"), ("e",))


def test_a_long_circle_is_one_circle() -> None:
    edges = {number: [(number + 1) % LENGTH] for number in range(LENGTH)}
    assert [len(circle) for circle in circles(edges)] == [LENGTH]
    named = find_circles({name_of(number): [name_of(other) for other in others] for number, others in edges.items()})
    assert [len(circle) for circle in named] == [LENGTH]


def test_a_long_chain_comes_in_the_order_of_its_links() -> None:
    turned = tuple(reversed(chain().resources))
    assert dependency_order(turned) == turned[::-1]
    assert [one for (one,) in circles({found.logical_id: found.depends_on for found in turned})] == [
        found.logical_id for found in reversed(turned)
    ]


def test_who_stands_on_the_first_link_stands_there_to_the_last_one() -> None:
    objects = list(standing(chain()).objects.values())
    assert with_dependants(frozenset({objects[0].object_id}), objects) == {one.object_id for one in objects}
    assert with_dependants(frozenset({objects[-1].object_id}), objects) == {objects[-1].object_id}
    assert with_dependants(frozenset({ObjectId("nobody's")}), objects) == frozenset()


def test_both_incarnations_at_an_address_carry_what_was_built_on_it() -> None:
    world = standing(chain(2))
    first, second = world.objects.values()
    assert with_dependants(frozenset({first.object_id}), [first, second]) == {first.object_id, second.object_id}
    assert with_dependants(frozenset({second.object_id}), [first, second]) == {second.object_id}


def test_a_long_chain_is_planned_link_after_link_and_its_kill_from_the_other_end() -> None:
    wanted = chain()
    made = World().plan(wanted).plan
    assert [step.logical_id for step in made.steps] == [one.logical_id for one in wanted.resources]
    assert all(step.after == (before.object_id,) for before, step in zip(made.steps, made.steps[1:], strict=False))
    assert [step.logical_id for step in advance(made, {}).begin] == [LogicalId(name_of(0))]
    world = standing(wanted)
    kill = world.plan(None)
    assert [step.logical_id for step in kill.plan.steps if not step.after] == [LogicalId(name_of(LENGTH - 1))]
    assert [step.kind for step in advance(kill.plan, world.objects).begin] == [StepKind.REMOVE]
    assert not audit_plan(kill.plan, world.objects.values())


def test_a_long_chain_that_stands_is_left_alone_until_one_link_is_another() -> None:
    wanted = chain()
    world = standing(wanted)
    assert world.plan(wanted).is_converged
    other = composition(declare(name_of(0), "T::B"), *wanted.resources[1:])
    operations = world.plan(other).plan.operations
    assert [(found.verb.value, found.logical_id) for found in operations] == [
        ("replace", name_of(0)),
        ("modify", name_of(1)),
    ]
