"""A policy is compiled to its grants, or every problem is shown at its place."""

import pytest

from tenuto.compositions.policies.policy import LARGEST_BYTES, compile_policy
from tenuto.compositions.policies.policy_codes import ACCESS_CODES
from tenuto.errors import CompileError
from tenuto.model.access import OF_CONDUCTOR, QUESTIONS, Right
from tenuto.model.diagnostic import Diagnostic

WHOLE = """
TenutoPolicy: 1
Users: [ann, bob, ci@example.org]
Groups:
  developers: [ann, bob]
Grants:
  - To: [developers, ci@example.org]
    Commands: [questions, run]
    Accounts: [staging, 123456789012]
    Aliases: "shop-*"
  - To: ann
    Commands: [user, policy]
"""

# (what is in the file, code, line, column)
MISTAKES = [
    ("", "P101", 0, 0),
    ("# nothing", "P101", 0, 0),
    ("just text", "P101", 1, 1),
    ("Resources: {}", "P101", 1, 1),
    ("TenutoPolicy: 2", "P102", 1, 15),
    ("TenutoPolicy: 1\nUser: [ann]", "P103", 2, 1),
    ("TenutoPolicy: 1\nUsers: {ann: 1}", "P104", 2, 9),
    ("TenutoPolicy: 1\nGroups: [a]", "P104", 2, 9),
    ("TenutoPolicy: 1\nGrants: x", "P104", 2, 9),
    ("TenutoPolicy: 1\nGrants: [x]", "P104", 2, 10),
    ("TenutoPolicy: 1\nUsers: [ann]\nGrants:\n  - To: ann", "P104", 4, 5),
    ("TenutoPolicy: 1\nUsers: [root]", "P105", 2, 9),
    ("TenutoPolicy: 1\nUsers: [Conductor]", "P105", 2, 9),
    ("TenutoPolicy: 1\nUsers: ['a b']", "P105", 2, 9),
    ("TenutoPolicy: 1\nUsers: [ann, ann]", "P106", 2, 14),
    ("TenutoPolicy: 1\nUsers: [ann]\nGroups: {ann: [ann]}", "P106", 3, 10),
    ("TenutoPolicy: 1\nUsers: [ann]\nGroups: {all: [anne]}", "P107", 3, 16),
    ("TenutoPolicy: 1\nGrants: [{To: bob, Commands: policy}]", "P107", 2, 15),
    ("TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: destroy, Accounts: a}]", "P108", 3, 30),
    ("TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: kill}]", "P109", 3, 11),
    ("TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: user, Aliases: a}]", "P110", 3, 36),
    ("TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: kill, Accounts: a/b}]", "P111", 3, 46),
    ("TenutoPolicy: 1\nUsers: [ci]\nIdentities: [{Issuer: https://x, Audience: a, User: ci}]", "P112", 3, 53),
    ("TenutoPolicy: 1\nUsers: [ann", "T003", 2, 8),
    ("TenutoPolicy: 1\nUsers: []\nUsers: [ann]", "T007", 3, 1),
    ("TenutoPolicy: 1\nUsers: !Ref ann", "P104", 2, 8),
    ("#" * (LARGEST_BYTES + 1), "T002", 0, 0),
]


def problems(text: str) -> list[Diagnostic]:
    with pytest.raises(CompileError) as failed:
        compile_policy(text, file="policy.yaml")
    return [one for one in failed.value.diagnostics if isinstance(one, Diagnostic)]


def test_a_policy_names_users_and_what_they_may_do_where() -> None:
    policy = compile_policy(WHOLE, file="policy.yaml")
    assert policy.users == ("ann", "bob", "ci@example.org")
    processes, conductor = policy.grants
    assert processes.users == {"ann", "bob", "ci@example.org"}
    assert processes.rights == {*QUESTIONS, Right.RUN}
    assert (processes.accounts, processes.aliases) == (("staging", "123456789012"), ("shop-*",))
    assert (conductor.users, conductor.rights) == ({"ann"}, {Right.USER, Right.POLICY})


def test_all_is_every_command_about_processes_and_none_of_the_conductor() -> None:
    text = "TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: all, Accounts: '*'}]"
    [grant] = compile_policy(text, file="policy.yaml").grants
    assert grant.rights == set(Right) - set(OF_CONDUCTOR)
    assert grant.aliases is None


@pytest.mark.parametrize(("text", "code", "line", "column"), MISTAKES)
def test_a_mistake_is_shown_at_its_line_and_column(text: str, code: str, line: int, column: int) -> None:
    [found] = problems(text)
    place = (found.position.line, found.position.column) if found.position else (0, 0)
    assert (found.code, *place) == (code, line, column)
    assert found.detail.endswith(".")
    assert found.hint or found.code in ("P104", "P108")  # their details say what is allowed


def test_all_mistakes_of_a_file_are_told_together() -> None:
    text = "TenutoPolicy: 3\nUser: ann\nUsers: [root]\nGrants: [{To: anne, Commands: kil, Accounts: a/b}]"
    assert [one.code for one in problems(text)] == ["P102", "P103", "P105", "P107", "P108", "P111"]


def test_every_code_has_a_mistake_here() -> None:
    assert {code for _, code, _, _ in MISTAKES} >= {one.code for one in ACCESS_CODES}
    assert len({one.code for one in ACCESS_CODES}) == len(ACCESS_CODES)
