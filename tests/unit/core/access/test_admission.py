"""Which command a process takes in which state.

What a policy permits, and that it permits nothing else.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.access.admission import ALLOWED_IN, admit, allowed_in, permits, permits_somewhere
from tenuto.errors import NotAllowedError
from tenuto.lifecycles.process import PROCESS
from tenuto.model.access import OF_CONDUCTOR, ROOT, Grant, Policy, Right
from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import Fid, Instant, Partition
from tenuto.model.process import Process
from tenuto_testing.store_samples import an_intent

WEB = Process(
    intent=an_intent(),
    fid=Fid("f"),
    alias="web",
    name="web",
    partition=Partition(account="default", region="eu-west-1"),
    provider="simulated",
    state=ProcessState.RUNNING,
    composition_digest="d",
    composition_name="web",
    created_at=Instant(0),
    updated_at=Instant(0),
    next_job_at=Instant(0),
)

# The table of the process model, and COMMANDS for those that it does not name.
SPECIFIED = {
    ProcessState.RUNNING: {"update", "suspend", "kill", "release", "retry", "property"},
    ProcessState.SUSPENDED: {"update", "resume", "kill", "release", "retry", "property"},
    ProcessState.KILLING: {"suspend", "property"},
    ProcessState.GONE: set(),
}


@pytest.mark.parametrize("state", list(ProcessState))
@pytest.mark.parametrize("command", list(Command))
def test_a_state_takes_exactly_the_commands_of_the_specification(state: ProcessState, command: Command) -> None:
    process = replace(WEB, state=state)
    if command.value in SPECIFIED[state]:
        admit(command, process)
    else:
        with pytest.raises(NotAllowedError) as refused:
            admit(command, process)
        assert f"web is {state}" in str(refused.value)
        for allowed in SPECIFIED[state]:
            assert allowed in str(refused.value)


def test_every_command_has_a_row() -> None:
    assert set(ALLOWED_IN) == set(Command)


def test_what_changes_the_state_is_a_move_of_the_lifecycle() -> None:
    leads_to = {
        Command.SUSPEND: ProcessState.SUSPENDED,
        Command.RESUME: ProcessState.RUNNING,
        Command.KILL: ProcessState.KILLING,
        Command.RELEASE: ProcessState.GONE,
    }
    for command, after in leads_to.items():
        for before in ALLOWED_IN[command]:
            assert PROCESS.allows(before, after)


@pytest.mark.parametrize("command", [command for command in Command if command is not Command.RUN])
def test_a_locked_process_takes_nothing_but_the_end_of_the_lock(command: Command) -> None:
    for state in ALLOWED_IN[command]:
        locked = replace(WEB, is_locked=True, state=state)
        with pytest.raises(NotAllowedError, match=r"locked.*--set off"):
            admit(command, locked)
    admit(Command.PROPERTY, replace(WEB, is_locked=True), passes_lock=True)


def test_the_commands_of_a_state_come_in_one_order() -> None:
    assert [command.value for command in allowed_in(ProcessState.KILLING)] == ["suspend", "property"]


NAMES = ("ann", "bob", ROOT)
ACCOUNTS = ("prod", "prod-eu", "test")
names = st.sampled_from(NAMES)
rights = st.sampled_from(Right)
accounts = st.sampled_from(ACCOUNTS)
aliases = st.none() | st.sampled_from(("shop-web", "shop", "db"))
grants = st.builds(
    Grant,
    users=st.frozensets(st.sampled_from(("ann", "bob"))),
    rights=st.frozensets(rights),
    accounts=st.lists(st.sampled_from(("prod", "prod*", "*", "?est")), max_size=2).map(tuple),
    aliases=st.none() | st.lists(st.sampled_from(("shop-*", "db", "*")), max_size=2).map(tuple),
)
policies = st.builds(Policy, users=st.just(("ann", "bob")), grants=st.lists(grants, max_size=3).map(tuple))


def one(**given_: object) -> Policy:
    values = {"users": frozenset({"ann"}), "rights": frozenset({Right.KILL}), "accounts": ("prod",)} | given_
    return Policy(users=("ann",), grants=(Grant(**values),))  # type: ignore[arg-type]


@given(right=rights, account=accounts, alias=aliases)
def test_without_a_policy_only_root_may_do_anything(right: Right, account: str, alias: str | None) -> None:
    assert permits(Policy(), ROOT, right, account=account, alias=alias)
    assert not permits(Policy(), "ann", right, account=account, alias=alias)


@given(policies, names, rights, accounts, aliases)
def test_taking_a_grant_away_never_permits_more(
    policy: Policy, user: str, right: Right, account: str, alias: str | None
) -> None:
    fewer = Policy(users=policy.users, grants=policy.grants[1:])
    asked = {"account": account, "alias": alias}
    assert permits(fewer, user, right, **asked) <= permits(policy, user, right, **asked)  # type: ignore[arg-type]


@given(policies, names, rights, accounts, aliases)
def test_what_is_permitted_is_permitted_somewhere(
    policy: Policy, user: str, right: Right, account: str, alias: str | None
) -> None:
    if permits(policy, user, right, account=account, alias=alias):
        assert permits_somewhere(policy, user, right)
        assert right in OF_CONDUCTOR or permits_somewhere(policy, user, right, account=account)


def test_a_right_in_one_account_is_none_in_another() -> None:
    assert permits(one(), "ann", Right.KILL, account="prod")
    assert not permits(one(), "ann", Right.KILL, account="prod2")
    assert not permits(one(), "ann", Right.RUN, account="prod")
    assert not permits(one(), "bob", Right.KILL, account="prod")


def test_a_pattern_of_aliases_means_named_processes_only() -> None:
    policy = one(aliases=("*",))
    assert permits(policy, "ann", Right.KILL, account="prod", alias="shop")
    assert not permits(policy, "ann", Right.KILL, account="prod", alias=None)
    assert not permits(one(aliases=("shop-*",)), "ann", Right.KILL, account="prod", alias="shop")


def test_patterns_tell_capitals_apart() -> None:
    assert not permits(one(accounts=("PROD",)), "ann", Right.KILL, account="prod")


def test_a_right_about_the_conductor_needs_no_account() -> None:
    policy = one(rights=frozenset({Right.USER}), accounts=())
    assert permits(policy, "ann", Right.USER)
    assert not permits(policy, "ann", Right.POLICY)
