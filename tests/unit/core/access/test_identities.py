"""What a signed token must say, and the user that a rule makes of it."""

from typing import Any

import pytest

from tenuto.compositions.policies.policy import compile_policy
from tenuto.core.access.identities import LEEWAY_S, check_claims, user_of
from tenuto.errors import CompileError, ForbiddenError
from tenuto.model.access import Right
from tenuto.model.identity import Wanted
from tenuto.model.ids import Instant

NOW = Instant(1_800_000_000.0)
WANTED = Wanted(issuer="https://login.example.org", audience="tenuto", nonce="n")
GOOD: dict[str, Any] = {
    "iss": "https://login.example.org",
    "aud": "tenuto",
    "sub": "u",
    "iat": NOW,
    "exp": NOW + 300,
    "nonce": "n",
}
POLICY = """\
TenutoPolicy: 1
Users: [ann, ann@example.org, ci]
Identities:
  - {{Issuer: https://login.example.org, Audience: tenuto, {rule}}}
"""


def test_a_good_token_is_taken() -> None:
    check_claims(GOOD, WANTED, NOW)
    check_claims({**GOOD, "aud": ["tenuto"], "nbf": NOW}, WANTED, NOW)
    check_claims({**GOOD, "aud": ["tenuto", "other"], "azp": "tenuto"}, WANTED, NOW)
    check_claims({**GOOD, "exp": NOW - LEEWAY_S + 1}, WANTED, NOW)


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://login.example.net"},
        {"iss": None},
        {"aud": "other"},
        {"aud": None},
        {"aud": []},
        {"aud": "tenuto-admin"},
        {"aud": {"tenuto": 1}},
        {"aud": ["other"]},
        {"aud": ["tenuto", "other"]},
        {"aud": ["tenuto", "other"], "azp": "other"},
        {"exp": NOW - LEEWAY_S},
        {"exp": None},
        {"exp": "never"},
        {"exp": True},
        {"exp": float("nan")},
        {"exp": 1e300},
        {"iat": None},
        {"iat": NOW + 3600},
        {"iat": NOW - 90_000},
        {"nbf": NOW + 3600},
        {"nonce": "m"},
        {"nonce": None},
        {"sub": ""},
        {"sub": 7},
    ],
    ids=str,
)
def test_a_token_with_one_wrong_claim_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ForbiddenError, match="refused"):
        check_claims({**GOOD, **changed}, WANTED, NOW)


def named(rule: str, **claims: Any) -> str | None:
    policy = compile_policy(POLICY.format(rule=rule), file="p.yaml")
    return user_of(policy, policy.identities[0], {**GOOD, **claims})


def test_a_claim_names_a_user_of_the_policy_and_nobody_else() -> None:
    email = "User: '{email}'"
    assert named(email, email="ann@example.org", email_verified=True) == "ann@example.org"
    assert named(email, email="ann@example.org") is None
    assert named(email, email="ann@example.org", email_verified="true") is None
    assert named(email, email="eve@example.org", email_verified=True) is None
    assert named("User: '{login}'", login="ann") == "ann"
    assert named("User: '{login}'", login="root") is None
    assert named("User: '{login}'", login=["ann"]) is None


def test_claims_must_all_be_there() -> None:
    rule = "User: ci, Claims: {repository: org/shop, ref: [refs/heads/main, refs/heads/next]}"
    assert named(rule, repository="org/shop", ref="refs/heads/main") == "ci"
    assert named(rule, repository="org/shop", ref="refs/heads/next") == "ci"
    assert named(rule, repository="org/shop") is None
    assert named(rule, repository="org/shop2", ref="refs/heads/main") is None
    assert named(rule, repository="ORG/shop", ref="refs/heads/main") is None
    assert named("User: ann, Claims: {groups: platform}", groups=["web", "platform"]) == "ann"
    assert named("User: ann, Claims: {groups: platform}", groups="platform-2") is None
    assert named("User: ann, Claims: {admin: 'true'}", admin=True) == "ann"
    assert named("User: ann, Claims: {admin: 'None'}") is None


def test_a_rule_narrows() -> None:
    rule = "User: ci, Claims: {a: b}, Commands: [plan], Accounts: [staging], Minutes: 5"
    [found] = compile_policy(POLICY.format(rule=rule), file="p.yaml").identities
    assert found.narrowing is not None
    assert (found.narrowing.rights, found.narrowing.accounts, found.minutes) == ({Right.PLAN}, ("staging",), 5)


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("User: ci", "P112"),
        ("User: cy, Claims: {a: b}", "P107"),
        ("User: root, Claims: {a: b}", "P107"),
        ("Claims: {a: b}", "P104"),
        ("User: ci, Claims: {a: []}", "P104"),
        ("User: ci, Claims: [a]", "P104"),
        ("User: ci, Claims: {a: b}, Minutes: 100000", "P104"),
        ("User: ci, Claims: {a: b}, Minutes: -1", "P104"),
        ("User: ci, Claims: {a: b}, Commands: [fly]", "P108"),
        ("User: ci, Claims: {a: b}, Accounts: ['*']", "P111"),
        ("User: ci, Claims: {a: b}, Roles: [x]", "P103"),
    ],
)
def test_a_wrong_rule_is_told_at_its_place(rule: str, code: str) -> None:
    with pytest.raises(CompileError) as told:
        compile_policy(POLICY.format(rule=rule), file="p.yaml")
    assert code in {one.code for one in told.value.diagnostics}
    assert {one.position.line for one in told.value.diagnostics if one.position} == {4}
