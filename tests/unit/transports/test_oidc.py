"""Signed tokens of a real issuer on loopback, and every token that is none of its."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import pytest

from tenuto.errors import ForbiddenError, TransientError
from tenuto.model.identity import Issuer as Named
from tenuto.transports.issuer_answers import LARGEST_ANSWER, TIME_LIMIT_S, is_safe
from tenuto.transports.oidc import MOST_REDEEMED, HttpIssuers
from tenuto.transports.published import MOST_WAITING, REFETCH_S
from tenuto_testing.issuer import (
    Issuer,
    by_ec,
    by_mac,
    by_rsa,
    ec,
    ec_jwk,
    encoded,
    public_pem,
    rsa_jwk,
    rsa_key,
    served_issuer,
    token,
    unsigned,
)

KEY, OTHER = rsa_key(), rsa_key()
HANG_S = 60.0
"""Seconds after which a test fails that would else hang."""


@dataclass
class Time:
    passed: float = 0.0

    def __call__(self) -> float:
        return self.passed

    def passes(self, seconds: float) -> None:
        self.passed += seconds


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with served_issuer(Issuer(now=lambda: 1_800_000_000.0, key=KEY)) as found:
        yield found


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def issuers(issuer: Issuer, time: Time) -> HttpIssuers:
    return HttpIssuers((Named(url=issuer.url, client="tenuto"),), monotonic=time)


def test_an_honest_token_gives_its_claims(issuer: Issuer, issuers: HttpIssuers) -> None:
    assert issuers.verified(issuer.sign())["email"] == "ann@example.org"


def test_an_answer_that_comes_in_pieces_within_the_time_limit_is_taken(
    issuer: Issuer, issuers: HttpIssuers, time: Time
) -> None:
    issuer.before_piece = lambda: time.passes(TIME_LIMIT_S * 0.4)
    assert issuers.verified(issuer.sign())["email"] == "ann@example.org"


def test_an_answer_of_which_each_piece_comes_soon_has_one_time_limit_for_all_of_it(
    issuer: Issuer, issuers: HttpIssuers, time: Time
) -> None:
    issuer.before_piece = lambda: time.passes(TIME_LIMIT_S * 0.6)
    with pytest.raises(TransientError, match="cannot be asked who signs in"):
        issuers.verified(issuer.sign())


@contextmanager
def hanging(issuer: Issuer) -> Iterator[threading.Event]:
    """Let no answer of the issuer end before this does. Gives the event of the first question to it."""
    goes_on, is_asked = threading.Event(), threading.Event()

    def hang() -> None:
        is_asked.set()
        goes_on.wait()

    issuer.before_piece = hang
    try:
        yield is_asked
    finally:
        goes_on.set()


def test_while_an_issuer_is_asked_another_one_answers_and_few_sign_ins_wait(issuer: Issuer, time: Time) -> None:
    with served_issuer(Issuer(now=issuer.now, key=KEY)) as other, ThreadPoolExecutor(MOST_WAITING + 2) as pool:
        issuers = HttpIssuers((Named(url=issuer.url), Named(url=other.url)), monotonic=time)
        with hanging(issuer) as is_asked:
            calls = [pool.submit(issuers.verified, issuer.sign()) for _ in range(MOST_WAITING + 2)]
            is_asked.wait(HANG_S)
            assert issuers.verified(other.sign())["iss"] == other.url
            refused = next(as_completed(calls, HANG_S))
        with pytest.raises(TransientError, match="it is being asked for its keys"):
            refused.result()
        assert [one.result()["iss"] for one in calls if one is not refused] == [issuer.url] * (MOST_WAITING + 1)


def test_while_newer_keys_are_asked_for_the_known_ones_verify(issuer: Issuer, issuers: HttpIssuers, time: Time) -> None:
    issuers.verified(issuer.sign())
    time.passes(REFETCH_S)
    unknown = token({"alg": "RS256", "kid": "two"}, issuer.claims(), by_rsa(OTHER))
    with ThreadPoolExecutor(1) as pool:
        with hanging(issuer) as is_asked:
            asking = pool.submit(issuers.verified, unknown)
            is_asked.wait(HANG_S)
            assert issuers.verified(issuer.sign())["sub"] == "u-1"
        with pytest.raises(ForbiddenError, match="no key of its issuer"):
            asking.result()


def test_few_codes_are_given_to_an_issuer_at_one_time(issuer: Issuer, issuers: HttpIssuers) -> None:
    (people,) = issuers.known()
    issuers.endpoints(people)
    redeem = partial(issuers.redeem, people, code="wrong", verifier="v", redirect="r")
    with ThreadPoolExecutor(MOST_REDEEMED + 1) as pool:
        with hanging(issuer):
            calls = [pool.submit(redeem) for _ in range(MOST_REDEEMED + 1)]
            refused = next(as_completed(calls, HANG_S))
        with pytest.raises(TransientError, match="has not answered other sign-ins yet"):
            refused.result()
        for one in calls:
            if one is not refused:
                with pytest.raises(ForbiddenError, match="did not take the code"):
                    one.result()


def test_a_key_of_an_elliptic_curve_is_as_good(issuer: Issuer, issuers: HttpIssuers) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    issuer.keys.append(ec_jwk(key, "curve"))
    made = token({"alg": "ES256", "kid": "curve"}, issuer.claims(), by_ec(key))
    assert issuers.verified(made)["sub"] == "u-1"


def test_tokens_that_no_key_of_the_issuer_has_signed_are_refused(issuer: Issuer, issuers: HttpIssuers) -> None:
    honest = {"alg": "RS256", "kid": "one"}
    claims = issuer.claims()
    own_key = {"jwk": rsa_jwk(OTHER, "one"), "jku": "http://127.0.0.1:9/keys", "x5u": "http://127.0.0.1:9/x"}
    header, body, signature = issuer.sign().split(".")
    bad = {
        "another key": token(honest, claims, by_rsa(OTHER)),
        "a key in its own header": token({**honest, **own_key}, claims, by_rsa(OTHER)),
        "no signature": token({"alg": "none"}, claims, unsigned),
        "none in other letters": token({"alg": "NoNe"}, claims, unsigned),
        "no signature, but the algorithm": token(honest, claims, unsigned),
        "the public key as a secret": token({"alg": "HS256", "kid": "one"}, claims, by_mac(public_pem(KEY))),
        "the modulus as a secret": token(
            {"alg": "HS256", "kid": "one"}, claims, by_mac(rsa_jwk(KEY, "one")["n"].encode())
        ),
        "RS256 said of a MAC": token(honest, claims, by_mac(public_pem(KEY))),
        "the algorithm of another kind of key": token({**honest, "alg": "ES256"}, claims, by_rsa(KEY)),
        "claims that were changed": f"{header}.{encoded(b'{}')}.{signature}",
        "claims of another token": f"{header}.{issuer.sign(sub='u-2').split('.')[1]}.{signature}",
        "critical extensions": token({**honest, "crit": ["b64"], "b64": False}, claims, by_rsa(KEY)),
        "another issuer's name": issuer.sign(iss="https://login.example.net"),
        "an issuer that is a list": issuer.sign(iss=[issuer.url]),
        "an algorithm that is a list": token({"alg": ["RS256"]}, claims, by_rsa(KEY)),
        "an unknown key": token({"alg": "RS256", "kid": "two"}, claims, by_rsa(KEY)),
        "a key that is a list": token({"alg": "RS256", "kid": ["one"]}, claims, by_rsa(KEY)),
        "two parts": f"{header}.{body}",
        "four parts": f"{header}.{body}.{signature}.{signature}",
        "nothing": "",
        "no JSON": f"{encoded(b'x')}.{encoded(b'y')}.{signature}",
        "deep JSON": f"{encoded(b'[' * 10_000)}.{body}.{signature}",
        "more than the longest": issuer.sign(groups=["x" * 20_000]),
    }
    taken = []
    for name, made in bad.items():
        try:
            issuers.verified(made)
        except ForbiddenError:
            continue
        taken.append(name)
    assert taken == []


def test_a_short_key_is_no_key(issuer: Issuer, issuers: HttpIssuers) -> None:
    weak = rsa_key(1024)
    issuer.keys.append(rsa_jwk(weak, "weak"))
    with pytest.raises(ForbiddenError, match="no key of its issuer"):
        issuers.verified(token({"alg": "RS256", "kid": "weak"}, issuer.claims(), by_rsa(weak)))


def test_a_key_for_encryption_signs_nothing(issuer: Issuer, issuers: HttpIssuers) -> None:
    issuer.keys.append({**rsa_jwk(OTHER, "enc"), "use": "enc"})
    with pytest.raises(ForbiddenError, match="no key of its issuer"):
        issuers.verified(token({"alg": "RS256", "kid": "enc"}, issuer.claims(), by_rsa(OTHER)))


def test_keys_are_asked_for_once_and_a_new_one_is_found(issuer: Issuer, issuers: HttpIssuers, time: Time) -> None:
    for _ in range(3):
        issuers.verified(issuer.sign())
    assert issuer.asked.count("/keys") == 1
    issuer.keys.append(rsa_jwk(OTHER, "two"))
    made = token({"alg": "RS256", "kid": "two"}, issuer.claims(), by_rsa(OTHER))
    with pytest.raises(ForbiddenError):
        issuers.verified(made)
    assert issuer.asked.count("/keys") == 1
    time.passed += REFETCH_S
    assert issuers.verified(made)["sub"] == "u-1"


@pytest.mark.parametrize("header", [{"alg": "RS256", "kid": "one"}, {"alg": "RS256"}], ids=["the same name", "no name"])
def test_a_key_that_was_replaced_under_its_name_is_found_once_a_minute(
    issuer: Issuer, issuers: HttpIssuers, time: Time, header: dict[str, str]
) -> None:
    issuers.verified(issuer.sign())
    issuer.keys[:] = [rsa_jwk(OTHER, "one")]
    made = token(header, issuer.claims(), by_rsa(OTHER))
    for _ in range(3):
        with pytest.raises(ForbiddenError):
            issuers.verified(made)
    assert issuer.asked.count("/keys") == 1
    time.passes(REFETCH_S)
    assert issuers.verified(made)["sub"] == "u-1"
    assert issuer.asked.count("/keys") == 2


@pytest.mark.parametrize(
    ("answers", "changed", "why"),
    [
        ({"/keys": b"oops"}, {}, "without keys"),
        ({}, {"jwks_uri": "{url}/elsewhere"}, "HTTP 404 without keys"),
        ({"/.well-known/openid-configuration": b"x" * (LARGEST_ANSWER + 1)}, {}, "the answer is larger than"),
    ],
)
def test_while_the_issuer_cannot_be_asked_an_unknown_key_is_no_refusal_and_the_reason_is_told_again(
    issuer: Issuer, issuers: HttpIssuers, time: Time, answers: dict[str, bytes], changed: dict[str, str], why: str
) -> None:
    issuers.verified(issuer.sign())
    time.passes(REFETCH_S)
    issuer.answers = answers
    issuer.changed = {name: value.format(url=issuer.url) for name, value in changed.items()}
    made = token({"alg": "RS256", "kid": "two"}, issuer.claims(), by_rsa(OTHER))
    for _ in range(3):
        with pytest.raises(TransientError, match=why):
            issuers.verified(made)
    assert issuer.asked.count("/.well-known/openid-configuration") == 2
    assert issuers.verified(issuer.sign())["sub"] == "u-1"


def test_made_up_names_of_keys_cause_no_traffic(issuer: Issuer, issuers: HttpIssuers) -> None:
    issuers.verified(issuer.sign())
    for number in range(20):
        with pytest.raises(ForbiddenError):
            issuers.verified(token({"alg": "RS256", "kid": f"k{number}"}, issuer.claims(), by_rsa(OTHER)))
    assert issuer.asked.count("/keys") == 1


@pytest.mark.parametrize(
    ("changed", "answers"),
    [
        ({"issuer": "https://login.example.net"}, {}),
        ({"jwks_uri": "http://login.example.net/keys"}, {}),
        ({"jwks_uri": "file:///etc/passwd"}, {}),
        ({"jwks_uri": 7}, {}),
        ({}, {"/keys": b"[]"}),
        ({}, {"/keys": b'{"keys": {}}'}),
        ({}, {"/keys": b'{"keys": ["' + b"x" * LARGEST_ANSWER + b'"]}'}),
        ({}, {"/.well-known/openid-configuration": b"[" * 5000}),
    ],
)
def test_an_issuer_that_publishes_something_else_is_not_believed(
    issuer: Issuer, issuers: HttpIssuers, changed: dict[str, object], answers: dict[str, bytes]
) -> None:
    issuer.changed, issuer.answers = changed, answers
    with pytest.raises(TransientError, match="cannot be asked who signs in"):
        issuers.verified(issuer.sign())


def test_an_issuer_that_is_silent_for_a_while_is_still_known_by_its_keys(
    issuer: Issuer, issuers: HttpIssuers, time: Time
) -> None:
    issuers.verified(issuer.sign())
    issuer.answers = {"/.well-known/openid-configuration": b"oops"}
    time.passed += 3700.0
    assert issuers.verified(issuer.sign())["sub"] == "u-1"
    time.passed += 3700.0
    with pytest.raises(TransientError):
        issuers.verified(issuer.sign())


def test_places_of_an_issuer_have_https_or_stay_on_this_machine() -> None:
    there, here = "https://login.example.org", "http://127.0.0.1:1"
    assert is_safe("https://keys.example.com/x", there)
    assert is_safe("http://127.0.0.1:2/x", here)
    for url in (
        "http://login.example.org/x",
        "http://127.0.0.1/x",
        "ftp://x",
        "https://a:b@x/",
        "https://",
        "http://[",
    ):
        assert not is_safe(url, there), url
