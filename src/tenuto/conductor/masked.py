"""A provider whose answers tell no secret: the one place where the texts of calls about objects enter the Conductor.

Theory of operation. A request carries the clear values that its resource was declared with. Phases call a provider only
through this face of it. Whatever comes back from a bulk call, an outcome or an error, is masked with the secrets of all
requests of that call, before a phase sees it. So nothing behind it (phase maps, events, jobs, the log, notifications)
has to know that there are secrets.
"""

from collections.abc import Sequence
from dataclasses import replace

from tenuto.conductor.requests import Requests
from tenuto.core.access.masking import Masker, masked_errors, masker_of
from tenuto.model.ids import Partition
from tenuto.model.observation import Observation, ObservedItem
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import ManagedObject
from tenuto.ports.provider import Provider


class MaskedProvider:
    """The methods of `ports.provider.Provider` that are given requests, with the same contracts."""

    def __init__(self, inner: Provider) -> None:
        self.name = inner.name
        self._inner = inner

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[ObservedItem | None]:
        masker = masker_of(requests)
        with masked_errors(masker):
            found = self._inner.find(partition, requests)
        return [item and masked_item(item, masker) for item in found]

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        masker = masker_of(requests)
        with masked_errors(masker):
            return _masked(self._inner.create(partition, requests), masker)

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        masker = masker_of(requests)
        with masked_errors(masker):
            return _masked(self._inner.modify(partition, requests), masker)

    def delete(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        masker = masker_of(requests)
        with masked_errors(masker):
            return _masked(self._inner.delete(partition, requests), masker)

    def claim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        masker = masker_of(requests)
        with masked_errors(masker):
            return _masked(self._inner.claim(partition, requests), masker)

    def disclaim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        masker = masker_of(requests)
        with masked_errors(masker):
            return _masked(self._inner.disclaim(partition, requests), masker)


def masked_item(item: ObservedItem, masker: Masker) -> ObservedItem:
    """An observed item with its words masked. Its properties stay: they are compared, and never told with a secret."""
    text = masker.mask(item.message)
    return item if text == item.message else replace(item, message=text)


def masked_observation(observation: Observation, found: ManagedObject, requests: Requests) -> Observation:
    """The observation of one incarnation with the words of the provider masked."""
    item = observation.item
    masker = requests.masker(found, item.properties if item else None)
    return replace(observation, item=item and masked_item(item, masker), message=masker.mask(observation.message))


def _masked(outcomes: Sequence[Outcome], masker: Masker) -> list[Outcome]:
    return [_masked_outcome(outcome, masker) if masker else outcome for outcome in outcomes]


def _masked_outcome(outcome: Outcome, masker: Masker) -> Outcome:
    if isinstance(outcome, Done):
        return outcome
    return replace(
        outcome, message=masker.mask(outcome.message), code=masker.mask(outcome.code), hint=masker.mask(outcome.hint)
    )
