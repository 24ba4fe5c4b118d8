"""What a policy permits, and that it permits nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.access.admission import ROOT, permits, permits_somewhere
from tenuto.model.access import OF_CONDUCTOR, Grant, Policy, Right

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
