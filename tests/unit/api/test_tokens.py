"""Tokens: they expire, they narrow, and they are never wider than their user."""

import re
from collections.abc import Iterator

import pytest
from front import Front, Http, served, submission

from tenuto.model.access import Right

POLICY = """\
TenutoPolicy: 1
Users: [ann, ben]
Grants:
  - {To: ann, Commands: all, Accounts: [prod*, staging]}
  - {To: ann, Commands: [policy], }
"""
DAY_S = 86_400


@pytest.fixture
def front() -> Front:
    made = Front()
    made.commands.run(submission(), alias="web")
    return made


@pytest.fixture
def root(front: Front) -> Iterator[Http]:
    with served(front) as url:
        found = Http(url)
        text = POLICY.replace("[prod*, staging]", "[default, staging]")
        assert found("PUT", "/v1/policy", {"text": text}).status == 200
        yield found


def token(root: Http, name: str = "ci", user: str = "ann", seconds: int = DAY_S, **more: object) -> Http:
    """A caller with a new token."""
    answer = root("POST", f"/v1/users/{user}/tokens", {"name": name, "seconds": seconds, **more})
    assert answer.status == 201, answer
    return Http(root.url, secret=answer.document["secret"])


def test_a_token_without_limits_is_its_user(root: Http) -> None:
    ci = token(root)
    assert ci("GET", "/v1/me").document["name"] == "ann"
    assert ci("POST", "/v1/processes/web/suspend").status == 200
    assert root("GET", "/v1/processes/web/history").document["commands"][-1]["actor"] == "ann"


def test_a_token_may_do_what_it_was_made_for_and_nothing_else(root: Http) -> None:
    ci = token(root, commands=["plan", "status"])
    assert ci("GET", "/v1/processes/web").status == 200
    assert ci("POST", "/v1/processes/web/kill", {"dry_run": True}).status == 200
    assert ci("POST", "/v1/processes/web/kill").status == 403
    assert ci("GET", "/v1/policy").status == 403


def test_a_token_is_for_its_accounts(root: Http) -> None:
    assert token(root, "one", accounts=["staging"])("GET", "/v1/processes/web").status == 403
    assert token(root, "two", accounts=["default"])("GET", "/v1/processes/web").status == 200


def test_a_token_is_never_wider_than_its_user_is_by_then(root: Http) -> None:
    ci = token(root, commands=["kill", "status"], accounts=["default"])
    narrow = "TenutoPolicy: 1\nUsers: [ann]\nGrants:\n  - {To: ann, Commands: status, Accounts: default}\n"
    assert root("PUT", "/v1/policy", {"text": narrow}).status == 200
    assert ci("GET", "/v1/processes/web").status == 200
    assert ci("POST", "/v1/processes/web/kill").status == 403
    assert token(root, "other", commands=["runtime"])("GET", "/v1/runtime").status == 403


def test_a_token_ends_with_its_time(root: Http, front: Front) -> None:
    ci = token(root)
    front.clock.advance(DAY_S + 1)
    ended = ci("GET", "/v1/me")
    assert (ended.status, "The secret has expired, at " in ended.document["detail"]) == (401, True), ended
    assert ci.secret is not None
    guessed = Http(root.url, secret=ci.secret[:-1] + ("a" if ci.secret[-1] != "a" else "b"))("GET", "/v1/me")
    assert (guessed.status, "expired" in guessed.document) == (401, False), "its holder alone learns of it"
    [told] = root("GET", "/v1/users/ann/tokens").document["tokens"]
    assert told["expired"] is True


def test_one_token_is_revoked_while_another_is_in_use(root: Http) -> None:
    old, new = token(root, "old"), token(root, "new")
    assert root("DELETE", "/v1/users/ann/tokens/old").status == 200
    assert (old("GET", "/v1/me").status, new("GET", "/v1/me").status) == (401, 200)
    missing = root("DELETE", "/v1/users/ann/tokens/nwe")
    assert (missing.status, "Did you mean new?" in missing.document["detail"]) == (404, True)


def test_a_token_ends_with_its_user_and_with_their_secret(root: Http) -> None:
    ci = token(root, user="ben")
    without = "TenutoPolicy: 1\nUsers: [ann]\nGrants: []\n"
    root("PUT", "/v1/policy", {"text": without})
    assert ci("GET", "/v1/me").status == 401
    other = token(root)
    assert root("DELETE", "/v1/users/ann/secret").document["revoked"] is True
    assert other("GET", "/v1/me").status == 401


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"name": "a b", "seconds": 60}, "cannot name a token"),
        ({"name": "ci", "seconds": 0}, "must last longer than 0 s"),
        ({"name": "ci", "seconds": 10**9}, "at most 366 days"),
        ({"name": "ci", "seconds": 60, "commands": ["kil"]}, "Did you mean kill?"),
        ({"name": "ci", "seconds": 60, "accounts": ["prod*"]}, "by their names"),
    ],
)
def test_a_wrong_token_is_refused_with_why(root: Http, body: object, told: str) -> None:
    answer = root("POST", "/v1/users/ann/tokens", body)
    assert (answer.status, told in answer.document["detail"]) == (400, True), answer


def test_a_name_is_taken_once_and_no_secret_is_listed(root: Http) -> None:
    token(root)
    again = root("POST", "/v1/users/ann/tokens", {"name": "ci", "seconds": 60})
    assert (again.status, again.document["code"]) == (409, "not-allowed")
    listed = root("GET", "/v1/users/ann/tokens").document
    assert "secret" not in str(listed)
    assert root("POST", "/v1/users/anne/tokens", {"name": "ci", "seconds": 60}).status == 404
    assert "Did you mean ann?" in root("GET", "/v1/users/anne/tokens").document["detail"]


def test_a_session_of_a_token_may_do_no_more_than_the_token(root: Http, front: Front) -> None:
    ci = token(root, commands=["status"])
    sessions, keeper = front.services.sessions, front.services.gatekeeper
    session = sessions.sign_in(str(ci.secret), "127.0.0.1")
    assert session is not None
    signed = sessions.find(session)
    assert signed is not None
    assert keeper.allows(signed.caller, Right.STATUS)
    assert not keeper.allows(signed.caller, Right.KILL)


def test_a_token_with_limits_sees_and_ends_no_session_but_its_own(root: Http, front: Front) -> None:
    whole, part = token(root, "whole"), token(root, "part", commands=["status"])
    for one in (whole, part):
        assert front.services.sessions.sign_in(str(one.secret), "127.0.0.1")
    seen = part("GET", "/v1/sessions").document["sessions"]
    every = {one["id"] for one in whole("GET", "/v1/sessions").document["sessions"]}
    [others] = every - {one["id"] for one in seen}
    assert part("DELETE", f"/v1/sessions/{others}").status == 404
    assert whole("DELETE", f"/v1/sessions/{seen[0]['id']}").status == 200


def test_a_token_is_told_what_it_may_do(root: Http) -> None:
    [grant] = token(root, commands=["status"])("GET", "/v1/me").document["grants"]
    assert grant["commands"] == ["status"]


def test_a_token_has_a_form_that_is_found_in_texts_and_a_checksum(root: Http) -> None:
    secret = token(root).secret or ""
    assert re.fullmatch(r"tnt_[0-9A-Za-z_-]{66}", secret)
    for place in (5, 30, 69):
        letter = "a" if secret[place] != "a" else "b"
        assert Http(root.url, secret=secret[:place] + letter + secret[place + 1 :])("GET", "/v1/me").status == 401


def test_the_last_use_is_told_to_the_hour(root: Http, front: Front) -> None:
    def used() -> object:
        return root("GET", "/v1/users/ann/tokens").document["tokens"][0]["used"]

    ci = token(root)
    assert used() is None
    ci("GET", "/v1/me")
    first = used()
    assert first is not None
    front.clock.advance(1800)
    ci("GET", "/v1/me")
    assert used() == first
    front.clock.advance(1801)
    ci("GET", "/v1/me")
    assert used() != first


def test_a_token_that_is_revoked_while_it_is_used_stays_revoked(root: Http, front: Front) -> None:
    token(root)
    [kept] = front.store.user_secrets()
    front.services.tokens.revoke("ann", "ci", actor="root")
    front.services.gatekeeper._note_use(kept)
    assert front.store.user_secrets() == ()


def users(root: Http) -> None:
    """Let ann administer users, too."""
    text = POLICY.replace("[prod*, staging]", "[default, staging]").replace("[policy]", "[policy, user]")
    assert root("PUT", "/v1/policy", {"text": text}).status == 200


def test_a_token_makes_nothing_that_is_wider_than_itself(root: Http) -> None:
    users(root)
    ci = token(root, commands=["user", "status"], accounts=["staging"], seconds=3600)
    place = "/v1/users/ann/tokens"
    for wide in (
        {"name": "b", "seconds": 7200},
        {"name": "b", "seconds": 60, "commands": ["kill"]},
        {"name": "b", "seconds": 60, "accounts": ["default"]},
    ):
        assert ci("POST", place, wide).status == 409, wide
    assert ci("POST", "/v1/users/ann/secret").status == 403
    assert ci("POST", "/v1/users/ben/secret").status == 403
    assert ci("POST", "/v1/users/ben/tokens", {"name": "b", "seconds": 60}).status == 403
    made = ci("POST", place, {"name": "b", "seconds": 60})
    assert (made.status, made.document["commands"], made.document["accounts"]) == (201, ["status", "user"], ["staging"])
    narrower = ci("POST", place, {"name": "c", "seconds": 60, "commands": ["status"]})
    assert (narrower.document["commands"], narrower.document["accounts"]) == (["status"], ["staging"])


def test_a_token_of_a_whole_user_makes_no_secret_for_itself(root: Http) -> None:
    users(root)
    ci = token(root, seconds=3600)
    assert ci("POST", "/v1/users/ann/secret").status == 403
    assert ci("POST", "/v1/users/ann/tokens", {"name": "b", "seconds": 7200}).status == 409
    assert ci("POST", "/v1/users/ben/secret").status == 201
