"""A caller who asks too much: what they are told, and who is not slowed down by them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import urllib3
from browser import Browser, served_site
from front import SECRET, Front, Http, submission
from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.pacing.quotas import parse_quotas
from tenuto.errors import TooManyError
from tenuto.kit.metrics import Meter
from tenuto.model.ids import Instant
from tenuto.model.quotas import Quota, Quotas
from tenuto.service.access.caller_quotas import CallerQuotas
from tenuto.service.access.sessions import TRIES
from tenuto.web.rendering import Renderer

POLICY = """TenutoPolicy: 1
Users: [ann, bob]
Grants: [{To: [ann, bob], Commands: [plan, status, suspend, kill], Accounts: [default]}]
"""


@contextmanager
def a_house(*limits: str) -> Iterator[tuple[Front, str]]:
    front = Front(quotas=parse_quotas(limits, {}))
    front.commands.run(submission(), alias="web")
    front.services.administration.set_policy(POLICY, file="p.yaml", actor="root")
    with served_site(front.services) as url:
        yield front, url


def user(front: Front, url: str, name: str) -> Http:
    return Http(url, secret=front.services.administration.generate_secret(name, actor="root"))


def refused(front: Front) -> dict[str, float]:
    return {
        one.labels[0]: one.value
        for one in front.services.metrics.samples()
        if one.metric.name == "tenuto_requests_refused_total" and one.value
    }


def test_refusals_are_counted_from_zero_so_that_a_rate_sees_the_first() -> None:
    samples = Front().services.metrics.samples()
    counted = {one.labels: one.value for one in samples if one.metric.name == "tenuto_requests_refused_total"}
    assert counted == {(quota.value,): 0.0 for quota in Quota}
    assert {"tenuto_drift_found_total", "tenuto_drift_repaired_total"} <= {one.metric.name for one in samples}


def test_a_user_has_so_many_requests_and_the_others_have_theirs() -> None:
    with a_house("requests=2") as (front, url):
        ann, bob = user(front, url, "ann"), user(front, url, "bob")
        statuses = [ann("GET", "/v1/processes").status for _ in range(10)]
        assert statuses == [200] * 8 + [429] * 2
        answer = ann("POST", "/v1/processes/web/suspend")
        assert (answer.status, answer.headers["retry-after"]) == (429, "1")
        assert answer.headers["content-type"] == "application/problem+json"
        told = {name: answer.document[name] for name in ("code", "limit", "retry_after_s", "title")}
        assert told == {"code": "too-many", "limit": "requests", "retry_after_s": 1, "title": "Too many requests"}
        assert "ann sends more requests than 2 a second" in str(answer.document["detail"])
        assert front.services.gatekeeper.process("web").state == "Running"
        assert bob("GET", "/v1/processes").status == 200
        assert refused(front) == {"requests": 3}
        front.clock.sleep(1.0)
        assert [ann("GET", "/v1/processes").status for _ in range(3)] == [200, 200, 429]


def test_requests_without_a_valid_secret_count_for_their_address_and_not_for_users_there() -> None:
    with a_house("address=1") as (front, url):
        ann = user(front, url, "ann")
        statuses = [Http(url, secret)("GET", "/v1/processes").status for secret in (None, "x", None, "y", "z")]
        assert statuses == [401] * 4 + [429]
        assert Http(url, None)("POST", "/v1/sign-in", {"token": "x"}).status == 429
        assert Http(url, None)("GET", "/healthz").status == 200
        assert ann("GET", "/v1/processes").status == 200
        assert refused(front) == {"address": 2}


def test_a_stream_counts_until_it_is_closed() -> None:
    with a_house("streams=1") as (front, url), urllib3.PoolManager(retries=False) as pool:
        asked = f"{url}/v1/events?follow=true"
        header = {"Authorization": f"Bearer {SECRET}"}
        first = pool.request("GET", asked, headers=header, preload_content=False)
        assert first.status == 200
        flow = first.stream(10)
        next(flow)
        second = pool.request("GET", asked, headers=header, preload_content=False)
        assert (second.status, second.headers["Retry-After"]) == (429, "15")
        assert b"streams" in second.read()
        first.close()
        assert _eventually(lambda: pool.request("GET", asked, headers=header, preload_content=False))
        assert refused(front)["streams"] >= 1


def _eventually(ask: object) -> bool:
    """Whether a stream is admitted at last: the server hears of the end of another one by its next write."""
    for _ in range(600):
        response = ask()  # type: ignore[operator]
        status = response.status
        response.close()
        if status == 200:
            return True
        threading.Event().wait(0.05)
    return False


def test_dry_runs_and_plans_at_one_time_are_bounded_and_commands_are_not() -> None:
    with a_house("plans=1") as (front, url):
        ann = user(front, url, "ann")
        with front.services.quotas.planning("ann"):
            answer = ann("POST", "/v1/processes/web/kill", {"dry_run": True})
            assert (answer.status, answer.document["limit"]) == (429, "plans")
            assert ann("GET", "/v1/processes/web/plan").status == 429
            assert ann("POST", "/v1/processes/web/suspend").status == 200
        assert ann("POST", "/v1/processes/web/kill", {"dry_run": True}).status != 429


def test_requests_at_one_time_are_bounded_and_a_refusal_reads_no_body() -> None:
    with a_house("concurrent=1") as (front, url):
        ann = user(front, url, "ann")
        with front.services.quotas.answering("ann"):
            answer = ann("GET", "/v1/processes")
            assert (answer.status, answer.document["limit"]) == (429, "concurrent")
            assert user(front, url, "bob")("GET", "/v1/processes").status == 200
        assert ann("GET", "/v1/processes").status == 200


def test_a_page_says_calmly_that_one_has_to_wait_and_loads_itself_again() -> None:
    with a_house("requests=1") as (front, url):
        browser = Browser(url)
        assert browser.sign_in().status == 303
        shown = [browser.get("/") for _ in range(5)]
        assert [one.status for one in shown] == [200] * 4 + [429]
        assert shown[-1].headers["Retry-After"] == "1"
        assert '<meta http-equiv="refresh" content="1">' in shown[-1].text
        assert "One moment" in shown[-1].text
        part = browser.get("/?part=board")
        assert (part.status, part.headers["Retry-After"]) == (429, "1")
        pressed = browser.post("/processes/web/suspend", {"token": "x"})
        assert pressed.status == 429
        assert "refresh" not in pressed.text
        assert browser.get("/nothing-here").status == 429
        other = Browser(url)
        other.sign_in()
        assert other.get("/").status == 200
        assert Http(url)("GET", "/v1/processes").status == 200
        front.clock.sleep(1.0)
        assert browser.get("/").status == 200


def test_pages_before_the_sign_in_count_for_the_address() -> None:
    with a_house("address=1") as (_, url):
        signed = Browser(url)
        signed.sign_in()
        statuses = [Browser(url).get(path).status for path in ("/login", "/", "/events.json", "/login/issuer")]
        assert statuses[-1] == 429
        assert Browser(url).sign_in().status == 429
        assert signed.get("/").status == 200
        assert Browser(url).get(f"{Renderer().static}/app.css").status == 200


def test_a_session_has_so_many_plans() -> None:
    with a_house("plans=1") as (front, url):
        browser = Browser(url)
        browser.sign_in()
        [session] = front.services.sessions.of(front.services.gatekeeper.recognise(SECRET))  # type: ignore[arg-type]
        with front.services.quotas.planning(f"root (session {session.digest[:8]})"):
            assert browser.get("/processes/web/plan").status == 429
            assert browser.get("/processes/web").status == 200


def test_wrong_secrets_of_one_network_count_together() -> None:
    front = Front()
    for number in range(TRIES):
        assert front.services.sessions.sign_in("wrong", f"2001:db8::{number + 1}") is None
    with pytest.raises(TooManyError) as refusal:
        front.services.sessions.sign_in("wrong", "2001:db8::ffff")
    assert (refusal.value.limit, refusal.value.retry_after_s) == ("sign-ins", 60)
    assert front.services.sessions.sign_in("wrong", "2001:db8:0:1::1") is None


class Still:
    """A clock that stands."""

    def now(self) -> Instant:
        return Instant(1.0)

    wall = now

    def sleep(self, seconds: float) -> None:
        raise AssertionError(seconds)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.booleans()), max_size=60), st.integers(1, 4))
def test_never_more_are_answered_at_one_time_than_the_limit_and_all_is_given_back(
    steps: list[tuple[str, bool]], most: int
) -> None:
    quotas: Quotas = parse_quotas([f"concurrent={most}"], {})
    table = CallerQuotas(clock=Still(), meter=Meter(), quotas=quotas)
    running: dict[str, list[object]] = {"a": [], "b": []}
    for who, begins in steps:
        if begins:
            held = table.answering(who)
            try:
                held.__enter__()
            except TooManyError:
                assert len(running[who]) == most
            else:
                running[who].append(held)
                assert len(running[who]) <= most
        elif running[who]:
            running[who].pop().__exit__(None, None, None)  # type: ignore[attr-defined]
    for held in running["a"] + running["b"]:
        held.__exit__(None, None, None)  # type: ignore[attr-defined]
    assert not table._held
