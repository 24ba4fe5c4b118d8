"""Sign-in at an issuer on loopback: a program, a browser, a command line; and those who try without being somebody."""

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import urllib3
from browser import Browser, Shown, served_site
from front import Front, Http, submission

from tenuto.cli.client.issuer_flow import token_of_issuer
from tenuto.errors import ForbiddenError, UserError
from tenuto.model.identity import Issuer as Named
from tenuto.ports.store_reads import EventQuery
from tenuto.service.access.identities import Begun, challenge_of
from tenuto.service.access.tokens import MOST
from tenuto.service.access.user_secrets import TOKEN_LETTERS
from tenuto.transports.oidc import HttpIssuers
from tenuto_testing.issuer import Issuer, rsa_key, served_issuer

KEY = rsa_key()
POLICY = """\
TenutoPolicy: 1
Users: [ann@example.org, ci]
Grants:
  - {{To: [ann@example.org, ci], Commands: [all], Accounts: [default, staging]}}
Identities:
  - {{Issuer: {url}, Audience: tenuto, User: "{{email}}", Minutes: 60}}
  - Issuer: {url}
    Audience: tenuto-ci
    Claims: {{repository: org/shop}}
    User: ci
    Commands: [status, plan]
    Accounts: [default]
"""


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with served_issuer(Issuer(now=lambda: 0.0, key=KEY)) as found:
        found.person["email_verified"] = True
        yield found


@pytest.fixture
def front(issuer: Issuer) -> Front:
    made = Front(issuers=HttpIssuers((Named(url=issuer.url, client="tenuto"),)))
    issuer.now = made.clock.wall
    made.services.administration.set_policy(POLICY.format(url=issuer.url), file="p.yaml", actor="root")
    made.commands.run(submission(), alias="web")
    return made


@pytest.fixture
def url(front: Front) -> Iterator[str]:
    with served_site(front.services) as found:
        yield found


def workload(issuer: Issuer, **more: object) -> str:
    return issuer.sign(**{"aud": "tenuto-ci", "repository": "org/shop", "email": None, **more})


def exchanged(url: str, token: object, **more: object) -> tuple[int, str]:
    answer = Http(url, secret=None)("POST", "/v1/sign-in", {"token": token, **more})
    return answer.status, answer.document.get("secret", answer.document.get("detail", ""))


def test_a_program_gives_its_token_for_a_short_and_narrow_one(url: str, issuer: Issuer, front: Front) -> None:
    status, secret = exchanged(url, workload(issuer))
    assert (status, secret[:4], len(secret)) == (201, "tnt_", TOKEN_LETTERS)
    ci = Http(url, secret=secret)
    assert ci("GET", "/v1/me").document["name"] == "ci"
    assert ci("GET", "/v1/processes/web").status == 200
    assert ci("POST", "/v1/processes/web/kill").status == 403
    front.clock.advance(15 * 60 + 1)
    assert ci("GET", "/v1/me").status == 401


def test_expired_tokens_of_sign_ins_make_room(url: str, issuer: Issuer, front: Front) -> None:
    for _ in range(3):
        assert exchanged(url, workload(issuer))[0] == 201
    front.clock.advance(3600)
    assert exchanged(url, workload(issuer))[0] == 201
    assert len(Http(url)("GET", "/v1/users/ci/tokens").document["tokens"]) == 1


def fill(front: Front, added: int) -> None:
    """Give the user of CI so many tokens that were added."""
    policy = front.services.gatekeeper.policy()
    for number in range(added):
        front.services.tokens.add(policy, "ci", f"t{number}", expires_s=9e5, commands=(), accounts=(), actor="root")


def test_a_sign_in_above_the_bound_ends_the_oldest_one_and_no_token_that_was_added(
    url: str, issuer: Issuer, front: Front
) -> None:
    fill(front, MOST - 2)
    secrets = []
    for _ in range(4):
        status, secret = exchanged(url, workload(issuer))
        assert status == 201
        secrets.append(secret)
        front.clock.advance(1)
    assert [Http(url, secret=one)("GET", "/v1/me").status for one in secrets] == [401, 401, 200, 200]
    assert len(front.services.tokens.all("ci")) == MOST
    told = [one.reason for one in front.store.events(EventQuery()) if "ended the oldest sign-in oidc-" in one.reason]
    assert len(told) == 2


def test_where_every_token_was_added_a_sign_in_is_refused_with_advice(url: str, issuer: Issuer, front: Front) -> None:
    fill(front, MOST)
    status, detail = exchanged(url, workload(issuer))
    assert status == 409
    assert "can revoke some ('tenuto user token revoke ci NAME')" in detail
    assert len(front.services.tokens.all("ci")) == MOST


def test_an_added_token_has_no_name_of_a_sign_in(front: Front) -> None:
    policy = front.services.gatekeeper.policy()
    add = partial(front.services.tokens.add, policy, "ci", expires_s=60, commands=(), accounts=(), actor="root")
    with pytest.raises(UserError, match="a name of a sign-in"):
        add("oidc-0123456789ab")
    add("oidc-nightly")


def test_what_is_wrong_with_a_token_is_told_and_nothing_is_made(url: str, issuer: Issuer, front: Front) -> None:
    now = issuer.now()
    wrong = {
        "another audience": workload(issuer, aud="other"),
        "has expired": workload(issuer, iat=now - 900, exp=now - 600),
        "not one of those": workload(issuer, iss="https://login.example.net"),
        "not valid yet": workload(issuer, nbf=now + 600),
        "No rule": workload(issuer, repository="evil/shop"),
        "no signed token": "x.y.z",
        "'sub' holds half of a surrogate pair": workload(issuer, sub="\ud800"),
        "'groups[0]' holds half of a surrogate pair": workload(issuer, groups=["\udfff"]),
    }
    for words, token in wrong.items():
        status, detail = exchanged(url, token)
        assert (status, words in detail) == (403, True), detail
    assert exchanged(url, 7)[0] == 400
    assert exchanged(url, "x" * 40_000)[0] == 413
    assert front.store.user_secrets() == ()


def test_after_ten_wrong_tokens_an_address_waits(url: str, issuer: Issuer, front: Front) -> None:
    for _ in range(10):
        exchanged(url, "x.y.z")
    assert "Too many wrong" in exchanged(url, workload(issuer))[1]
    front.clock.advance(61)
    assert exchanged(url, workload(issuer))[0] == 201


def test_the_secret_of_an_owner_does_not_help_where_none_is_asked(url: str) -> None:
    answer = Http(url)("GET", "/v1/sign-in")
    assert answer.document["people"]["client"] == "tenuto"
    assert Http(url, secret=None)("GET", "/v1/processes").status == 401


def follow(browser: Browser, shown: Shown) -> str:
    """Go to the issuer as the browser was told to, and give where it sends the browser back to."""
    with urllib3.PoolManager(retries=False) as pool:
        return str(pool.request("GET", shown.headers["location"], redirect=False).headers["location"])


def relative(url: str, there: str) -> str:
    assert there.startswith(f"{url}/"), there
    return there.removeprefix(url)


def test_a_person_signs_in_with_a_browser(url: str, issuer: Issuer, front: Front) -> None:
    browser = Browser(url)
    assert 'href="/login/issuer?next=%2Fprocesses"' in browser.get("/login?next=/processes").text
    away = browser.get("/login/issuer?next=/processes")
    asked = parse_qs(urlsplit(away.headers["location"]).query)
    assert (asked["code_challenge_method"], asked["response_type"]) == (["S256"], ["code"])
    back = browser.get(relative(url, follow(browser, away)), Sec_Fetch_Site="cross-site")
    assert (back.status, back.headers["location"]) == (303, "/processes")
    assert "samesite=strict" in back.headers["set-cookie"].lower()
    assert "ann@example.org" in browser.get("/processes").text
    assert not any("issuer" in name for name in browser.cookies)
    [token] = Http(url)("GET", "/v1/users/ann@example.org/tokens").document["tokens"]
    Http(url)("DELETE", f"/v1/users/ann@example.org/tokens/{token['name']}")
    assert browser.get("/processes").status == 303


def test_an_answer_serves_once(url: str, issuer: Issuer) -> None:
    browser = Browser(url)
    there = relative(url, follow(browser, browser.get("/login/issuer")))
    cookies = dict(browser.cookies)
    assert browser.get(there).status == 303
    again = Browser(url, cookies=cookies)
    assert (again.get(there).status, again.get("/").status) == (403, 303)


def test_a_sign_in_goes_on_when_its_address_has_waited(url: str, issuer: Issuer, front: Front) -> None:
    browser = Browser(url)
    there = relative(url, follow(browser, browser.get("/login/issuer")))
    for _ in range(10):
        exchanged(url, "x.y.z")
    assert browser.get(there).status == 429
    front.clock.advance(61)
    assert (browser.get(there).status, browser.get("/").status) == (303, 200)


def test_one_who_begins_many_sign_ins_ends_their_own_and_not_those_of_others(front: Front, issuer: Issuer) -> None:
    identities = front.services.identities

    def begun(address: str) -> Begun:
        return identities.begin(redirect="http://site/login/back", following="/processes", address=address)

    honest = begun("192.0.2.1")
    first = begun("203.0.113.9")
    for _ in range(1500):
        begun("203.0.113.9")

    def finished(one: Begun, address: str) -> str:
        query = {name: values[0] for name, values in parse_qs(urlsplit(one.url).query).items()}
        answer = {name: values[0] for name, values in parse_qs(urlsplit(issuer.authorized(query)).query).items()}
        return identities.finish(
            code=answer["code"], state=answer["state"], binding=one.binding, issuer=issuer.url,
            redirect="http://site/login/back", address=address,
        )[1]  # fmt: skip

    assert finished(honest, "192.0.2.1") == "/processes"
    with pytest.raises(ForbiddenError, match="over, or was used already"):
        finished(first, "203.0.113.9")


def test_the_link_of_somebody_else_signs_nobody_in(url: str, issuer: Issuer) -> None:
    """Eve begins a sign-in of hers and gives Ann its last step: without Eve's cookie it is refused."""
    eve, ann = Browser(url), Browser(url)
    there = relative(url, follow(eve, eve.get("/login/issuer")))
    assert ann.get(there).status == 403
    assert eve.get(there).status == 403
    ann.get("/login/issuer")
    other = relative(url, follow(eve, eve.get("/login/issuer")))
    assert ann.get(other).status == 403


def test_answers_that_were_changed_are_refused(url: str, issuer: Issuer, front: Front) -> None:
    for change in (
        lambda there: there.replace("state=", "state=x"),
        lambda there: there.replace("code=", "code=x"),
        lambda there: there.replace("code=", "error=access_denied&no="),
        lambda there: there.replace("iss=http", "iss=https"),
        lambda there: there.partition("?")[0],
    ):
        browser = Browser(url)
        there = relative(url, follow(browser, browser.get("/login/issuer")))
        assert browser.get(change(there)).status == 403
        assert browser.get("/").status == 303
        front.clock.advance(61)


def test_a_sign_in_that_takes_too_long_is_over(url: str, issuer: Issuer, front: Front) -> None:
    browser = Browser(url)
    there = relative(url, follow(browser, browser.get("/login/issuer")))
    front.clock.advance(601)
    assert browser.get(there).status == 403


@pytest.mark.parametrize("place", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_no_answer_leads_to_another_site(url: str, issuer: Issuer, place: str) -> None:
    browser = Browser(url)
    there = relative(url, follow(browser, browser.get(f"/login/issuer?next={place}")))
    assert browser.get(f"{there}&next={place}").headers["location"] == "/"


def test_a_name_that_only_leads_here_gets_no_sign_in(url: str) -> None:
    assert Browser(url).get("/login/issuer", Host="evil.example").status == 421


def test_a_person_whom_the_policy_does_not_name_stays_outside(url: str, issuer: Issuer) -> None:
    issuer.person.update(email="eve@example.org")
    browser = Browser(url)
    shown = browser.get(relative(url, follow(browser, browser.get("/login/issuer"))))
    assert (shown.status, "No rule of the policy names a user" in shown.words) == (403, True)
    issuer.person.update(email="ann@example.org", email_verified=False)
    assert browser.get(relative(url, follow(browser, browser.get("/login/issuer")))).status == 403


def test_the_secret_of_the_client_goes_to_the_issuer(issuer: Issuer, tmp_path: Path) -> None:
    issuer.client_secret = "of-the-client"
    file = tmp_path / "secret"
    file.write_text("of-the-client\n")
    issuers = HttpIssuers((Named(url=issuer.url, client="tenuto"),), secret_file=file)
    query = {"state": "s", "nonce": "n", "client_id": "tenuto", "redirect_uri": "r"}
    code = parse_qs(urlsplit(issuer.authorized({**query, "code_challenge": challenge_of("v")})).query)["code"][0]
    with pytest.raises(ForbiddenError, match="HTTP 400"):
        issuers.redeem(issuers.known()[0], code=code, verifier="wrong", redirect="r")
    code = parse_qs(urlsplit(issuer.authorized({**query, "code_challenge": challenge_of("v")})).query)["code"][0]
    assert issuers.redeem(issuers.known()[0], code=code, verifier="v", redirect="r").count(".") == 2


def visit(place: str) -> None:
    """Go where a browser would be sent, and follow where it leads."""
    with urllib3.PoolManager(retries=False) as pool:
        pool.request("GET", str(pool.request("GET", place, redirect=False).headers["location"]))


def test_the_command_line_signs_in_over_a_port_of_its_own(url: str, issuer: Issuer) -> None:
    people = Http(url, secret=None)("GET", "/v1/sign-in").document["people"]
    went: list[threading.Thread] = []

    def show(place: str) -> None:
        went.append(threading.Thread(target=visit, args=(place,)))
        went[0].start()

    token, nonce = token_of_issuer(people, show)
    went[0].join()
    assert exchanged(url, token, nonce="another")[0] == 403
    assert exchanged(url, token, nonce=nonce)[0] == 201


def test_the_command_line_takes_no_answer_that_it_did_not_ask_for(issuer: Issuer) -> None:
    people = {
        "issuer": issuer.url,
        "client": "tenuto",
        "authorization_endpoint": f"{issuer.url}/authorize",
        "token_endpoint": f"{issuer.url}/token",
    }
    went: list[threading.Thread] = []

    def show(place: str) -> None:
        redirect = parse_qs(urlsplit(place).query)["redirect_uri"][0]
        went.append(threading.Thread(target=urllib3.request, args=("GET", f"{redirect}?code=x&state=y")))
        went[0].start()

    with pytest.raises(ForbiddenError, match="another sign-in"):
        token_of_issuer(people, show)
    went[0].join()
    with pytest.raises(UserError, match="No answer came"):
        token_of_issuer(people, lambda _: None, wait_s=0.0)
    with pytest.raises(ForbiddenError, match="no https"):
        token_of_issuer({**people, "token_endpoint": "http://login.example.org/token"}, lambda _: None)
