"""Assertions mean the same, in whatever portions the values become known."""

from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.language.assertions import fold, is_tree
from tenuto.core.language.resolve import Environment
from tenuto.model.ids import Json

NAMES = ("A", "B", "C")
texts = st.sampled_from(["x", "y", ""])
scalars = st.one_of(texts, st.sampled_from([{"Ref": name} for name in NAMES]))
lists = st.one_of(
    st.lists(scalars, max_size=3), st.sampled_from([{"Fn::Split": [",", {"Ref": name}]} for name in NAMES])
)
comparisons = st.one_of(
    st.builds(lambda left, right: {"Fn::Equals": [left, right]}, scalars, scalars),
    st.builds(lambda left, right: {"Fn::Contains": [left, right]}, lists, scalars),
    st.builds(lambda left, right: {"Fn::EachMemberEquals": [left, right]}, lists, scalars),
    st.builds(lambda left, right: {"Fn::EachMemberIn": [left, right]}, lists, lists),
)
trees = st.recursive(
    st.one_of(comparisons, st.booleans()),
    lambda inner: st.one_of(
        st.builds(
            lambda name, members: {name: members},
            st.sampled_from(["Fn::And", "Fn::Or"]),
            st.lists(inner, min_size=2, max_size=4),
        ),
        st.builds(lambda member: {"Fn::Not": [member]}, inner),
        st.builds(lambda *members: {"Fn::If": list(members)}, inner, inner, inner),
    ),
    max_leaves=8,
)
values = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["x", "y", "x,y", ""]))
everything = st.fixed_dictionaries({name: st.sampled_from(["x", "y", "x,y", ""]) for name in NAMES})


def _members(value: Json, known: dict[str, str]) -> list[str]:
    if isinstance(value, dict):
        return known[value["Fn::Split"][1]["Ref"]].split(",")
    return [_text(one, known) for one in value]


def _text(value: Json, known: dict[str, str]) -> str:
    return known[value["Ref"]] if isinstance(value, dict) else str(value)


def _meaning(tree: Json, known: dict[str, str]) -> bool:
    """What the tree says, by its definition."""
    if isinstance(tree, bool):
        return tree
    ((name, argument),) = tree.items()
    if name == "Fn::Not":
        return not _meaning(argument[0], known)
    if name == "Fn::If":
        return _meaning(argument[1 if _meaning(argument[0], known) else 2], known)
    if name in ("Fn::And", "Fn::Or"):
        answers = [_meaning(one, known) for one in argument]
        return all(answers) if name == "Fn::And" else any(answers)
    if name == "Fn::Equals":
        return _text(argument[0], known) == _text(argument[1], known)
    if name == "Fn::Contains":
        return _text(argument[1], known) in _members(argument[0], known)
    if name == "Fn::EachMemberEquals":
        return all(one == _text(argument[1], known) for one in _members(argument[0], known))
    return all(one in _members(argument[1], known) for one in _members(argument[0], known))


@given(trees, everything)
def test_with_all_values_a_tree_says_what_its_functions_say(tree: Json, known: dict[str, str]) -> None:
    assert fold(tree, Environment(references=known)) is _meaning(tree, known)


@given(trees, values, everything)
def test_some_values_first_and_the_others_later_are_all_at_once(
    tree: Json, first: dict[str, str], later: dict[str, str]
) -> None:
    left = fold(tree, Environment(references=first))
    assert is_tree(left)
    assert fold(left, Environment(references=later | first)) is _meaning(tree, later | first)


@given(trees, values)
def test_what_is_left_is_left_as_it_is(tree: Json, first: dict[str, str]) -> None:
    known = Environment(references=first)
    left = fold(tree, known)
    assert fold(left, known) == left
