"""The spread of one bulk request over items: fan-out, and mistakes of ours as outcomes.

A mistake in the block of a type ends the act that meets it, and not those of its neighbours in the same call. The calls
that such an act had sent by then may be done: a creation is looked up before it is tried again.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from traceback import format_tb

import structlog

from tenuto.errors import BugError, ProviderError
from tenuto.model.outcome import Outcome, Pending, Refused, Request
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.outcomes import OUTAGE_S, Patience

_MISTAKES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BugError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)
"""The errors of a block that is wrong, or of an answer that it does not understand. Any other (of the store, say) is of
the whole run."""

_CODE = "Mistake"

_log = structlog.get_logger("tenuto.ops")


def each(
    client: AccountClient,
    kind: AwsType,
    requests: Sequence[Request],
    act: Callable[[Work], Outcome],
    patience: Patience,
) -> list[Outcome]:
    """The outcome of each request, in order, a few at a time."""

    def one(request: Request) -> Outcome:
        work = Work(client=client, request=request, type=kind)
        try:
            outcome = act(work)
        except ProviderError as error:
            outcome = patience.outcome(request.object_id, error, client.clock.now())
            return _of_all(work, outcome, is_gone=faults.is_gone(error))
        except _MISTAKES as error:
            # Without the text of the error: it may repeat a secret, and only outcomes are masked.
            where, name = format_tb(error.__traceback__), type(error).__name__
            _log.warning("act.raised", type=request.type, object_id=request.object_id, error=name, where=where)
            return _of_mistake(work, error)
        patience.renew(request.object_id)
        return outcome

    return client.each(one, requests)


def _of_mistake(work: Work, error: Exception) -> Outcome:
    """The outcome of an act that a mistake of ours ended."""
    message = f"Tenuto made a mistake with {work.request.type}: {error!r}."
    hint = "Report it with the log of the Conductor; 'tenuto retry' tries again."
    if work.sent and work.request.physical_id is None:
        return Pending(message=message, code=_CODE, is_held=True, patience_s=OUTAGE_S, hint=hint)
    return Refused(message=message, code=_CODE, hint=hint, keeps_doubt=not work.sent)


def _of_all(work: Work, outcome: Outcome, *, is_gone: bool) -> Outcome:
    """The outcome of an act whose last call failed: whether nothing was done says each call for itself alone. Where
    nothing was sent, only a question was refused. One that is told that there is no such act has its answer."""
    if isinstance(outcome, Refused):
        return replace(outcome, keeps_doubt=not work.sent and not is_gone)
    if not isinstance(outcome, Pending):
        return outcome
    return replace(outcome, is_undone=not work.sent or (outcome.is_undone and not work.done))
