"""Whatever requests come in whatever order, and whenever a Conductor dies: what objects hold is whole."""

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from tenuto.errors import UserError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_claims import Dangling, ObjectQuery
from tenuto_testing.world import World

NAMES = ("red", "blue")
ACTS = st.one_of(
    st.tuples(st.just("namespace"), st.sampled_from(NAMES)),
    st.tuples(st.just("artifact"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("fail"), st.sampled_from(NAMES)),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.sampled_from(("namespace", "artifact"))),
    st.tuples(st.just("pass"), st.sampled_from((1.0, 90.0, 8000.0))),
    st.tuples(st.just("crash")),
)


@settings(max_examples=25)
@given(acts=st.lists(ACTS, max_size=12))
def test_claims_and_relations_are_those_of_live_objects(acts: list[tuple[object, ...]]) -> None:
    world = World()
    for act in acts:
        with suppress(UserError):
            perform(world, *act)
        check(world)


def perform(world: World, word: object, *rest: object) -> None:
    objects = world.system.objects
    names = [str(one) for one in rest]
    match word:
        case "namespace":
            objects.create("namespace", names[0])
        case "artifact":
            parent = objects.find(names[1], "namespace").object_id
            objects.create("artifact", names[0], fields={"Namespace": parent})
        case "fail":
            objects.create("artifact", names[0], fields={"FailWith": "broken"})
        case "delete":
            objects.delete(objects.find(names[0], names[1]).object_id)
        case "pass":
            world.advance(float(names[0]))
        case _:
            world.crash()


def check(world: World) -> None:
    assert world.store.dangling(100) == Dangling()
    live = [one for one in world.store.object_page(ObjectQuery(live=True)) if one.type.startswith("Simulated::")]
    held = {(one.type, one.logical_id) for one in live}
    assert len(held) == len(live), "two live objects of one type have one name"
    for one in live:
        assert len(world.store.claims_of(one.object_id)) == 1
        for relation in world.store.relations_of(one.object_id):
            target = world.store.object(relation.to_id)
            assert target is not None
            assert not is_over(target)


def is_over(item: ManagedObject) -> bool:
    return CATALOGUE[item.lifecycle].is_final(item.state)
