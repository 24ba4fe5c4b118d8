"""The changes of Route 53: accepted at once, and in effect when all of its servers have them (INSYNC), a minute later.

Theory of operation. The answer to a change has the id of it, and no list of zones or records shows whether it is in
effect. So the id is noted with the attempt (`Pending.progress`), the phase sleeps, and the next run asks for it.
"""

from collections.abc import Callable

from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.providers.aws.client.answers.faults import unless_gone
from tenuto.providers.aws.kind import Work

SERVICE = "route53"
_IN_EFFECT = "INSYNC"
_ASK_AGAIN_S = 10.0
"""Most changes are in effect within a minute, and an account has five calls in a second."""


def settled(change: JsonMap, done: Done) -> Outcome:
    """The outcome of an act of which Route 53 told the change: done when it is in effect."""
    if change.get("Status") == _IN_EFFECT:
        return done
    return Pending(
        message="Route 53 is bringing the change to its servers",
        delay_s=_ASK_AGAIN_S,
        progress={
            "change": str(change["Id"]).rpartition("/")[2],
            "id": done.physical_id,
            "attributes": dict(done.attributes),
        },
    )


def in_effect(act: Callable[[Work], Outcome]) -> Callable[[Work], Outcome]:
    """Return the act, which first waits for the change that its last run has ordered."""

    def after(work: Work) -> Outcome:
        noted = work.request.progress
        if not noted.get("change"):
            return act(work)
        # A change that Route 53 does not know any more is long in effect.
        answer = unless_gone(lambda: work.read(SERVICE, "GetChange", Id=noted["change"]))
        done = Done(physical_id=noted["id"], attributes=noted["attributes"])
        return done if answer is None else settled(answer["ChangeInfo"], done)

    return after
