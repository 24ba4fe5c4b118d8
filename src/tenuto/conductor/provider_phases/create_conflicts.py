"""A creation that is told "it exists already": was it made by this very call?

A request can arrive twice: something between repeats what it believes to be lost. The first is carried out, the second
is refused because of the first, and that is the answer that comes back. So what exists is looked up before the refusal
is believed. What carries our mark is ours. What cannot carry one (a route, an attachment) is ours when the last sweep
before the call did not show it: it came up after that, and the call is all we know of that could have made it.
"""

from collections.abc import Sequence

from tenuto.conductor.masked import MaskedProvider
from tenuto.conductor.provider_phases.calls import Call, claimed
from tenuto.errors import PermanentError, TransientError
from tenuto.model.ids import Partition
from tenuto.model.observation import ObservedItem, Sweep
from tenuto.model.outcome import Outcome, Pending, Refused, Request
from tenuto.ports.observations import Observations

TAKEN = "ResourceAlreadyExists"
"""The code that every provider gives such a refusal."""
_TRIES = 3
"""The number of tries: a request that is sent again can arrive twice again, and leave a thing half made again."""


def creating(provider: MaskedProvider, observations: Observations) -> Call:
    """The provider's creation, with such refusals looked into."""

    def create(partition: Partition, requests: Sequence[Request]) -> list[Outcome]:
        # A sweep that goes on beside the call may show what the call has made.
        names = {request.type for request in requests}
        before = {name: observations.latest(provider.name, partition, name) for name in names}
        outcomes = list(provider.create(partition, requests))
        for _ in range(_TRIES):
            taken = [at for at, one in enumerate(outcomes) if isinstance(one, Refused) and one.code == TAKEN]
            if not taken:
                break
            try:
                items = provider.find(partition, [requests[at] for at in taken])
            except TransientError as error:
                doubt = Pending(
                    message=str(error), code=error.code, request_id=error.request_id, is_throttled=error.is_throttled
                )
                return [doubt if at in taken else one for at, one in enumerate(outcomes)]
            except PermanentError:
                break
            for at, item in zip(taken, items, strict=True):
                if item is not None and _is_ours(requests[at], item, before[requests[at].type]):
                    outcomes[at] = claimed(provider, partition, requests[at], item)
            # What was half made is gone now that it was looked up, and may be made; another's is refused again.
            missing = [at for at, item in zip(taken, items, strict=True) if item is None]
            if not missing:
                break
            again = provider.create(partition, [requests[at] for at in missing])
            for at, outcome in zip(missing, again, strict=True):
                outcomes[at] = outcome
        return outcomes

    return create


def _is_ours(request: Request, item: ObservedItem, before: Sweep | None) -> bool:
    if item.owner is not None:
        return item.owner.object_id == request.object_id
    return before is not None and item.physical_id not in before.items
