"""Graphs in layers: every edge goes down, none says what others say, and one graph has one picture."""

from hypothesis import given
from hypothesis import strategies as st

from tenuto.kit.layers import layered

NAMES = st.integers(min_value=0, max_value=30).map(lambda number: f"n{number:02}")


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    names = draw(st.lists(NAMES, unique=True, max_size=20))
    return {
        name: tuple(draw(st.lists(st.sampled_from(names[:at]), unique=True, max_size=4))) if at else ()
        for at, name in enumerate(names)
    }


@given(graphs())
def test_every_node_has_one_place_and_every_edge_goes_down(needs: dict[str, tuple[str, ...]]) -> None:
    found = layered(needs)
    depth = {name: at for at, layer in enumerate(found.layers) for name in layer}
    assert sorted(name for layer in found.layers for name in layer) == sorted(needs)
    assert all(depth[above] < depth[below] for above, below in found.edges)
    assert all(depth[above] < depth[name] for name, above_all in needs.items() for above in above_all)


@given(graphs())
def test_what_can_be_reached_stays_the_same(needs: dict[str, tuple[str, ...]]) -> None:
    drawn: dict[str, set[str]] = {name: set() for name in needs}
    for above, below in layered(needs).edges:
        drawn[below].add(above)
    assert {name: reach(name, drawn) for name in needs} == {name: reach(name, needs) for name in needs}


def reach(name: str, needs: dict[str, tuple[str, ...]] | dict[str, set[str]]) -> set[str]:
    return {far for one in needs[name] for far in (one, *reach(one, needs))}


@given(graphs())
def test_the_order_in_which_nodes_are_told_means_nothing(needs: dict[str, tuple[str, ...]]) -> None:
    other = {name: tuple(reversed(needs[name])) for name in reversed(list(needs))}
    assert layered(other) == layered(needs)


def test_an_edge_that_others_say_is_left_out() -> None:
    found = layered({"a": (), "b": ("a",), "c": ("a", "b")})
    assert found.edges == (("a", "b"), ("b", "c"))
    assert found.layers == (("a",), ("b",), ("c",))


def test_a_circle_and_a_name_that_is_not_there_do_no_harm() -> None:
    found = layered({"a": ("b", "nowhere"), "b": ("a",), "c": ("c",)})
    assert sorted(name for layer in found.layers for name in layer) == ["a", "b", "c"]


def test_lines_do_not_cross_where_they_need_not() -> None:
    found = layered({"a": (), "b": (), "x": ("b",), "y": ("a",)})
    top, bottom = found.layers
    assert [{"x": "b", "y": "a"}[name] for name in bottom] == list(top)
