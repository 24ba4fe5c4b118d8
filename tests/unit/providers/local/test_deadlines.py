"""Deadlines of hosts: who is missing, who is lost, and that no lease outlives the patience of the Conductor."""

from hypothesis import given
from hypothesis import strategies as st

from tenuto.lifecycles.node import NODE, NodeState
from tenuto.providers.local.rules.deadlines import Deadlines, Presence, has_majority, judge

S = NodeState
STATES = st.sampled_from(list(NodeState))
DEADLINES = st.builds(Deadlines, missing_s=st.floats(2, 600))
PRESENCES = st.builds(
    Presence,
    name=st.just("h1"),
    silent_s=st.floats(0, 10_000),
    is_heard=st.booleans(),
    has_left=st.booleans(),
    is_leaving=st.booleans(),
)


@given(STATES, PRESENCES, DEADLINES, st.booleans())
def test_a_host_only_takes_edges_of_its_table(
    state: NodeState, presence: Presence, deadlines: Deadlines, has_majority: bool
) -> None:
    for after in judge(state, presence, deadlines, has_majority=has_majority).states:
        NODE.check(state, after, object_id="h1")
        state = after


@given(STATES, PRESENCES, DEADLINES, st.booleans())
def test_a_second_judgement_of_the_same_moment_changes_nothing(
    state: NodeState, presence: Presence, deadlines: Deadlines, has_majority: bool
) -> None:
    first = judge(state, presence, deadlines, has_majority=has_majority).states
    if first:
        assert judge(first[-1], presence, deadlines, has_majority=has_majority).states == ()


@given(STATES, PRESENCES, DEADLINES)
def test_without_the_majority_no_host_is_lost(state: NodeState, presence: Presence, deadlines: Deadlines) -> None:
    assert S.ERROR not in judge(state, presence, deadlines, has_majority=False).states


@given(STATES, PRESENCES, DEADLINES)
def test_a_host_that_was_not_heard_is_never_in_service_again(
    state: NodeState, presence: Presence, deadlines: Deadlines
) -> None:
    """A Conductor that has just started has heard nobody, and that is no check-in."""
    if not presence.is_heard and not presence.has_left:
        assert S.CREATED not in judge(state, presence, deadlines, has_majority=True).states


@given(st.lists(st.tuples(STATES, PRESENCES), max_size=6), DEADLINES)
def test_two_conductors_never_both_have_the_majority(
    hosts: list[tuple[NodeState, Presence]], deadlines: Deadlines
) -> None:
    """The other one hears at most the hosts that this one does not hear, and each has one vote of its own."""
    mirrored = [
        (state, Presence(name=one.name, silent_s=0.0, is_heard=one.silent_s > deadlines.missing_s or not one.is_heard))
        for state, one in hosts
    ]
    if has_majority(hosts, deadlines):
        voters = sum(state in (S.CREATED, S.STOPPING, S.MISSING, S.ERROR) for state, _ in hosts)
        others = sum(one.is_heard for state, one in mirrored if state in (S.CREATED, S.STOPPING, S.MISSING, S.ERROR))
        assert 2 * others <= voters


@given(DEADLINES, st.floats(0, 1000), st.floats(0, 1000), st.floats(0.99, 1.01))
def test_a_lease_ends_before_the_conductor_gives_a_machine_away(
    deadlines: Deadlines, sent_at: float, travelled_s: float, rate: float
) -> None:
    """The host counts from when it asked, the Conductor from when it heard that; their seconds may differ by one in a
    hundred. What is left is time to end the machines."""
    ended_at = sent_at + deadlines.lease_s * rate
    given_away_at = sent_at + travelled_s + deadlines.lost_s
    assert given_away_at - ended_at >= 0.09 * deadlines.lost_s


@given(DEADLINES)
def test_the_times_of_a_deadline_are_in_order(deadlines: Deadlines) -> None:
    assert deadlines.poll_s < deadlines.silent_s <= deadlines.missing_s < deadlines.lease_s < deadlines.lost_s
    assert deadlines.tick_s <= deadlines.missing_s
