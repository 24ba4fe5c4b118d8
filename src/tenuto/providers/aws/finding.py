"""The search for the result of a lost call: by our mark, by natural keys, or by name."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from tenuto.errors import PermanentError, ProviderError, TransientError
from tenuto.model.ids import TypeName
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import any_of
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import OBJECT
from tenuto.providers.aws.kind import AwsType, Scope, Work
from tenuto.providers.aws.types.catalogue import CATALOGUE

UNCONFIRMED = "Unconfirmed"


def find(enter: Callable[[], AccountClient], requests: Sequence[Request]) -> list[ObservedItem | None]:
    """Find the thing that each request has made, or None. Raises TransientError, or PermanentError when asking is
    refused.
    """
    with hopeful():
        client = enter()
        answers: dict[int, ObservedItem] = {}
        for name, members in by_type(requests).items():
            kind = CATALOGUE[name]
            if kind.find is not None:
                search = kind.find
                for index, one in members:
                    work = Work(client=client, request=one, type=kind)
                    # Where the thing that it is a part of is not there, it is not there either.
                    if (item := faults.unless_gone(partial(search, work))) is not None:
                        answers[index] = item
                continue
            candidates = _candidates(client, kind, [request for _, request in members])
            for index, request in members:
                match = next((item for item in candidates if kind.is_found(request, item)), None)
                if match is not None and _is_whole(client, kind, request, match):
                    answers[index] = match
    return [answers.get(index) for index in range(len(requests))]


def confirmed(client: AccountClient, requests: Sequence[Request], outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes of creations that are answered with mere ids: in doubt where a lookup finds another thing in its
    place, or is not possible. The made thing is then found like that of a call without an answer.

    Where nothing shows yet the answer is believed: to look for longer than new things are invisible would be to make
    another one.
    """
    answered = [at for at, outcome in enumerate(outcomes) if isinstance(outcome, Done)]
    believed = list(outcomes)
    try:
        items = find(lambda: client, [requests[at] for at in answered]) if answered else []
    except ProviderError as error:
        doubt = Pending(
            message=str(error),
            code=error.code,
            request_id=error.request_id,
            is_throttled=faults.is_throttled(error.code),
        )
        return [doubt if isinstance(outcome, Done) else outcome for outcome in outcomes]
    for at, item in zip(answered, items, strict=True):
        outcome = outcomes[at]
        if isinstance(outcome, Done) and item is not None and item.physical_id != outcome.physical_id:
            message = (
                f"AWS answered with {outcome.physical_id}, and shows {item.physical_id} in its place; Tenuto asks again"
            )
            believed[at] = Pending(message=message, code=UNCONFIRMED)
    return believed


def by_type(requests: Sequence[Request]) -> dict[TypeName, list[tuple[int, Request]]]:
    """The requests of each type, with their places."""
    groups: dict[TypeName, list[tuple[int, Request]]] = {}
    for index, request in enumerate(requests):
        groups.setdefault(request.type, []).append((index, request))
    return groups


@contextmanager
def hopeful() -> Iterator[None]:
    """Make faults that may pass transient for a look-up: nothing can be decided without it, so nothing is."""
    try:
        yield
    except PermanentError as error:
        if not faults.may_pass(error):
            raise
        raise TransientError(
            str(error), code=error.code, request_id=error.request_id, is_throttled=error.is_throttled
        ) from error


def _candidates(client: AccountClient, kind: AwsType, requests: Sequence[Request]) -> list[ObservedItem]:
    """The things that the requests may have made: of their type, narrowed, and not on their way out."""
    if kind.find_name is not None:
        names = frozenset(kind.find_name(request) for request in requests)
        seen = kind.source.read(client, Scope(names={kind.facts.name: names}))
    else:
        narrowing = _narrowing(kind, requests)
        seen = [] if narrowing else kind.source.read(client, Scope())
        for name, values in narrowing:
            for filters in any_of(name, values):
                seen += kind.source.read(client, Scope(filters=filters))
    return [item for name, item in seen if name == kind.facts.name and not item.is_ending]


def _narrowing(kind: AwsType, requests: Sequence[Request]) -> list[tuple[str, list[str]]]:
    """The filters to look things up by, each with the values that the requests give it."""
    if not kind.find_filters and kind.tagged_as:
        return [(f"tag:{OBJECT}", sorted({str(request.object_id) for request in requests}))]
    return [
        (filter_name, sorted({str(request.properties[name]) for request in requests if name in request.properties}))
        for name, filter_name in kind.find_filters
    ]


def _is_whole(client: AccountClient, kind: AwsType, request: Request, item: ObservedItem) -> bool:
    return kind.confirm is None or kind.confirm(client, request, item)
