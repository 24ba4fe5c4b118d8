"""A session in a browser ends with the secret that began it, and stays ended."""

from collections.abc import Callable

import pytest
from front import SECRET, Front
from meanwhile import Meanwhile

from tenuto.errors import ForbiddenError
from tenuto.model.access import Right
from tenuto.service.access.callers import Caller
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.access.sessions import Sessions, SignedIn

HERE = "127.0.0.1"


def restarted(front: Front, secret: str) -> Sessions:
    """The sessions of the same store, under a Conductor that was started with this secret."""
    gatekeeper = Gatekeeper(store=front.store, clock=front.clock, secret=secret)
    return Sessions(store=front.store, clock=front.clock, gatekeeper=gatekeeper, quotas=front.services.quotas)


def test_a_session_of_the_owner_ends_with_the_secret_that_began_it() -> None:
    front = Front()
    session_id = front.services.sessions.sign_in(SECRET, HERE)
    assert session_id is not None
    assert restarted(front, SECRET).find(session_id) is not None
    changed = restarted(front, "another-secret")
    assert changed.sign_in(SECRET, HERE) is None
    assert changed.find(session_id) is None


def test_a_session_of_the_owner_keeps_nothing_by_which_the_secret_can_be_tried() -> None:
    front = Front()
    for _ in range(2):
        front.services.sessions.sign_in(SECRET, HERE)
    first, second = (one.secret_key for one in front.services.sessions.of(Caller(name="root")))
    assert first != second


def interrupted(front: Front, act: Callable[[], object], *, reading: int) -> Sessions:
    """The sessions of the same Conductor, while another caller acts between two steps."""
    services = front.services
    clock = Meanwhile(front.clock, act, reading=reading)
    return Sessions(store=front.store, clock=clock, gatekeeper=services.gatekeeper, quotas=services.quotas)


def signed_in(front: Front) -> tuple[str, SignedIn]:
    """A session that began an hour ago."""
    sessions = front.services.sessions
    session_id = sessions.sign_in(SECRET, HERE)
    front.clock.advance(3600.0)
    signed = sessions.find(session_id or "", is_used=False)
    assert session_id is not None
    assert signed is not None
    return session_id, signed


def test_a_session_that_is_ended_while_its_secret_is_checked_stays_ended() -> None:
    front = Front()
    session_id, signed = signed_in(front)
    root, sessions = signed.caller, front.services.sessions
    late = interrupted(front, lambda: sessions.end(signed.session.digest, caller=root), reading=2)
    with pytest.raises(ForbiddenError, match="has ended meanwhile"):
        late.prove(signed, SECRET, Right.KILL, HERE)
    assert sessions.of(root) == ()
    assert sessions.find(session_id) is None


def test_a_session_that_is_ended_while_a_page_reads_it_stays_ended() -> None:
    front = Front()
    session_id, signed = signed_in(front)
    sessions = front.services.sessions
    late = interrupted(front, lambda: sessions.end(signed.session.digest, caller=signed.caller), reading=1)
    assert late.find(session_id) is None
    assert sessions.of(signed.caller) == ()


def test_a_secret_is_proved_also_while_another_page_writes_that_the_session_was_used() -> None:
    front = Front()
    session_id, signed = signed_in(front)
    late = interrupted(front, lambda: front.services.sessions.find(session_id), reading=2)
    assert late.prove(signed, SECRET, Right.KILL, HERE) == ""
    found = front.services.sessions.find(session_id)
    assert found is not None
    assert (found.session.proved_at, found.session.seen_at) == (front.clock.now(), front.clock.now())


EVERYWHERE = "TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: all, Accounts: '*'}]\n"


def a_token(front: Front, *commands: str, accounts: tuple[str, ...] = ()) -> str:
    """The secret of a new token of ann."""
    services, name = front.services, f"t{front.clock.now():.0f}"
    front.clock.advance(1.0)
    policy = services.gatekeeper.policy()
    return services.tokens.add(
        policy, "ann", name, expires_s=7200.0, commands=commands, accounts=accounts, actor="root"
    )[1]


@pytest.mark.parametrize(
    ("began", "given", "is_proved"),
    [
        (((), ()), (("plan",), ()), False),
        (((), ()), (("kill",), ("dev",)), False),
        (((), ()), (("kill",), ()), True),
        (((), ()), ((), ()), True),
        ((("plan", "kill"), ("dev",)), (("kill",), ("dev", "test")), True),
        ((("plan", "kill"), ("dev",)), (("kill",), ("test",)), False),
    ],
)
def test_a_session_is_proved_by_a_token_that_may_kill_wherever_the_session_may(
    began: tuple[tuple[str, ...], tuple[str, ...]], given: tuple[tuple[str, ...], tuple[str, ...]], is_proved: bool
) -> None:
    front = Front()
    front.services.administration.set_policy(EVERYWHERE, file="p.yaml", actor="root")
    sessions = front.services.sessions
    session_id = sessions.sign_in(a_token(front, *began[0], accounts=began[1]), HERE) or ""
    secret = a_token(front, *given[0], accounts=given[1])
    front.clock.advance(3600.0)
    signed = sessions.find(session_id)
    assert signed is not None
    why = sessions.prove(signed, secret, Right.KILL, HERE)
    assert ("made for less" in why) is not is_proved
    proved = sessions.find(session_id)
    assert proved is not None
    assert proved.was_proved(front.clock.now()) is is_proved
