"""The events of an attempt: an act of Tenuto or an answer, and the knowledge about the act from then on.

Each event is a pure function from an attempt to an attempt, and moves its state along `lifecycles.attempt` only; an
event that the table does not allow raises IllegalTransitionError and changes nothing. The words of a provider
(`model.outcome`) become events here and nowhere else.
"""

from collections.abc import Iterable

from tenuto.kit.evolve import evolve
from tenuto.lifecycles.attempt import ATTEMPT
from tenuto.model.attempt import UNTRIED, Attempt, AttemptState
from tenuto.model.ids import Instant, JsonMap, PhysicalId
from tenuto.model.outcome import Outcome, Pending, Refused

_S = AttemptState
_NOTHING: JsonMap = {}


def sent(act: Attempt, now: Instant, wish: str = "", stood: str = "", sent_as: JsonMap = _NOTHING) -> Attempt:
    """The act is sent, or is about to be. The repetition of one without a known end is no new act."""
    if act.state in (_S.SENT, _S.IN_DOUBT):
        return act
    return evolve(
        _moved(act, _S.SENT), sent_at=now, wish=wish, doubted_at=None, stood=stood, progress={}, sent_as=sent_as
    )


def asked(act: Attempt, now: Instant, wish: str, *, keeps_note: bool = False) -> Attempt:
    """A change is sent, or its repetition. The note of a change with another wish is of no use to this one, unless it
    tells that wish (`ResourceType.notes_tell_wish`)."""
    begun = sent(act, now, wish)
    if begun.wish == wish:
        return begun
    return evolve(begun, wish=wish, progress=begun.progress if keeps_note else {})


def doubted(act: Attempt, now: Instant) -> Attempt:
    """Begin the search for the effect of an act, or go on with it."""
    if act.state is _S.IN_DOUBT:
        return act
    return evolve(_moved(act, _S.IN_DOUBT), doubted_at=now)


def found(act: Attempt, now: Instant) -> Attempt:
    """Note that the search has shown the effect of the act."""
    return _ended(_moved(doubted(act, now), _S.FOUND))


def absent(act: Attempt) -> Attempt:
    """The search has lasted long enough, and has shown nothing."""
    return _moved(act, _S.ABSENT)


def heard(act: Attempt, outcome: Outcome) -> Attempt:
    """Note from the provider whether it is at work on the act, and its own note of the progress.

    This comes before the outcome is believed. `answered`, `refused` and `put_off` apply an outcome that is believed.
    """
    if not isinstance(outcome, Pending):
        return act
    is_under_way = act.is_under_way or not outcome.code
    if is_under_way == act.is_under_way and not outcome.progress:
        return act
    return evolve(act, is_under_way=is_under_way, progress=outcome.progress or act.progress)


def held(act: Attempt, outcome: Outcome, now: Instant) -> Attempt:
    """Note since when another thing holds the act up, or that nothing does any more. That the provider is at work on
    the act says neither: the same thing may be in the way at its end."""
    if isinstance(outcome, Pending) and not outcome.code and not outcome.is_held:
        return act
    if not isinstance(outcome, Pending) or not outcome.is_held:
        return act if act.held_since is None else evolve(act, held_since=None)
    return act if act.held_since is not None else evolve(act, held_since=now)


def answered(act: Attempt) -> Attempt:
    """The provider has done the act."""
    return _ended(_moved(act, _S.ANSWERED))


def refused(act: Attempt, outcome: Refused, before: Attempt, now: Instant) -> Attempt:
    """The provider refuses the act, and did nothing. `before` is the attempt before the run.

    Where the provider had noted an act of an earlier run, the refusal is the end of that very act, unless it is no
    answer to it (`Refused.keeps_doubt`): then the note stays, and so does the doubt.
    """
    if outcome.keeps_doubt and before.progress:
        return act
    is_of_noted = act.state is _S.SENT and bool(before.progress)
    undone = _unsent(act) if is_of_noted else _undone(act, before, now)
    return evolve(undone, progress={}) if undone.progress else undone


def put_off(act: Attempt, outcome: Pending, before: Attempt, now: Instant) -> Attempt:
    """The act has no end yet, and is tried again. `before` is the attempt before the run."""
    put = tried(_undone(act, before, now) if outcome.is_undone else act)
    return throttled(put) if outcome.is_throttled else put


def throttled(act: Attempt) -> Attempt:
    """The provider takes no more calls for now."""
    return evolve(act, is_throttled=True)


def tried(act: Attempt) -> Attempt:
    """One run more was not the last."""
    return evolve(act, tries=act.tries + 1, is_throttled=False)


def made_twice(act: Attempt, duplicates: Iterable[PhysicalId]) -> Attempt:
    """The act was seen to have made these things beside the recorded one."""
    known = tuple(sorted({*act.duplicates, *duplicates}))
    return act if known == act.duplicates else evolve(act, duplicates=known)


def carried(act: Attempt) -> Attempt:
    """The attempt that a retry, or a second visit of the state, begins with: an act without a known end was still sent,
    and its duplicates are still to be deleted. The provider's note of it stays with the wish that it is about.

    Everything else is learned anew.
    """
    begun = UNTRIED
    if act.is_unanswered:
        begun = Attempt(
            state=_S.SENT,
            sent_at=act.sent_at,
            stood=act.stood,
            wish=act.wish if act.progress else "",
            progress=act.progress,
            sent_as=act.sent_as,
        )
    return evolve(begun, duplicates=act.duplicates) if act.duplicates else begun


def contradiction(act: Attempt) -> str:
    """The way in which the fields of an attempt contradict its state; empty when they do not."""
    if act.state is _S.UNSENT and act.sent_at is not None:
        return "it was never sent and has a time at which it was sent"
    if act.state in (_S.SENT, _S.ANSWERED) and act.sent_at is None:
        return f"it is {act.state} and has no time at which it was sent"
    if act.state in (_S.IN_DOUBT, _S.FOUND, _S.ABSENT) and act.doubted_at is None:
        return f"it is {act.state} and has no time at which the search began"
    return ""


def _undone(act: Attempt, before: Attempt, now: Instant) -> Attempt:
    """The act of this run did nothing. The effect of an earlier act without an answer is as unknown as before."""
    return _unsent(act) if act.state is _S.SENT and act.sent_at == now != before.sent_at else act


def _unsent(act: Attempt) -> Attempt:
    return _ended(evolve(_moved(act, _S.UNSENT), sent_at=None, wish="", stood=""))


def _ended(act: Attempt) -> Attempt:
    """The attempt without the properties of which only a repetition of the act makes use."""
    return evolve(act, sent_as={}) if act.sent_as else act


def _moved(act: Attempt, state: AttemptState) -> Attempt:
    ATTEMPT.check(act.state, state, object_id="of an act")
    return evolve(act, state=state)
