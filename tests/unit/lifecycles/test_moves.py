"""What every table says yes and no to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.errors import BugError, IllegalTransitionError
from tenuto.lifecycles.catalogue import CATALOGUE, TABLES
from tenuto.lifecycles.queued_error import error_state_of
from tenuto.lifecycles.table import Lifecycle

tables = st.sampled_from(sorted(TABLES)).map(TABLES.__getitem__)


@st.composite
def illegal_moves(draw: st.DrawFn) -> tuple[Lifecycle, str, str]:
    table = draw(tables)
    before = draw(st.sampled_from(list(table.states)))
    other = [state for state in table.states if state not in table.rows[before]]
    after = draw(st.sampled_from([*map(str, other), "nonsense", "", before[:-1], before.upper() + "?"]))
    return table, str(before), after


@given(illegal_moves())
def test_an_illegal_move_names_type_object_from_to_and_what_is_allowed(move: tuple[Lifecycle, str, str]) -> None:
    table, before, after = move
    with pytest.raises(IllegalTransitionError) as caught:
        table.check(before, after, object_id="thing-1")
    error = caught.value
    allowed = sorted(str(state) for state in table.rows[table.states(before)])
    assert (error.object_type, error.object_id, error.before, error.after) == (table.name, "thing-1", before, after)
    assert list(error.allowed) == allowed
    message = str(error)
    assert all(word in message for word in (table.name, "thing-1", before, after, *allowed))


@given(tables, st.data())
def test_a_listed_move_passes(table: Lifecycle, data: st.DataObject) -> None:
    before = data.draw(st.sampled_from([state for state in table.states if table.rows[state]]))
    after = data.draw(st.sampled_from(sorted(table.rows[before])))
    table.check(before, after, object_id="thing-1")


@given(tables, st.data())
def test_an_object_is_born_only_in_an_initial_state(table: Lifecycle, data: st.DataObject) -> None:
    state = data.draw(st.sampled_from(sorted(frozenset(table.states) - table.initial)))
    with pytest.raises(IllegalTransitionError, match="cannot go from nothing"):
        table.check_birth(state, object_id="thing-1")
    for initial in table.initial:
        table.check_birth(initial, object_id="thing-1")


@given(tables)
def test_nothing_leaves_a_final_state(table: Lifecycle) -> None:
    assert table.final
    for state in table.final:
        with pytest.raises(IllegalTransitionError, match="none, it is final"):
            table.check(state, sorted(table.initial)[0], object_id="thing-1")


@given(tables, st.data())
def test_a_walk_to_any_target_ends_there_along_listed_moves(table: Lifecycle, data: st.DataObject) -> None:
    if not table.paths:
        return
    target = data.draw(st.sampled_from(sorted(table.paths)))
    state = data.draw(st.sampled_from(sorted(frozenset(table.states) - table.final)))
    for _ in table.states:
        following = table.next_state(state, target)
        if following == state:
            break
        table.check(state, following, object_id="thing-1")
        state = following  # type: ignore[assignment]
    assert state == target


def test_a_deallocated_node_walks_up_from_the_first_state_and_is_terminated_at_once() -> None:
    node = CATALOGUE["cloud_node"]
    assert node.next_state("Deallocated", "Started") == "Validation"
    assert node.next_state("Deallocated", "Terminated") == "Terminated"
    assert node.next_state("Started", "Deallocated") == "Deconfiguration"
    assert node.is_final("Terminated")


@pytest.mark.parametrize(
    ("name", "state", "expected"),
    [
        ("instance", "created", "created-error"),
        ("instance", "delete-wait", "delete-wait-error"),
        ("instance", "created-error", "error"),
        ("network", "created", "error"),
        ("network", "delete-wait", "error"),
        ("node", "missing", "error"),
    ],
)
def test_a_failure_goes_to_the_error_state_of_where_it_happened(name: str, state: str, expected: str) -> None:
    assert error_state_of(CATALOGUE[name], state) == expected
    CATALOGUE[name].check(state, expected, object_id="thing-1")


def test_a_type_without_errors_cannot_fail() -> None:
    with pytest.raises(BugError, match="namespace has no error state"):
        error_state_of(CATALOGUE["namespace"], "created")


def test_only_a_node_comes_back_from_error() -> None:
    returning = [
        table.name
        for table in CATALOGUE.values()
        if any(state in table.errors and "created" in targets for state, targets in table.rows.items())
    ]
    assert returning == ["node"]


def test_a_type_is_found_under_its_own_name() -> None:
    assert all(table.name == name for name, table in TABLES.items())
