"""A session in a browser ends with the secret that began it, and stays ended."""

from front import SECRET, Front

from tenuto.service.access.callers import Caller
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.access.sessions import Sessions

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
