"""The local provider keeps the contract of the provider port for its nodes, the only things that it makes by calls."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import Instant, LogicalId, ObjectId, Partition
from tenuto.model.outcome import Outcome, Request
from tenuto.model.resource import ManagedObject
from tenuto.providers.local.assembly import local_provider
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.phases.asking import AskedMachine, Asking
from tenuto.providers.local.phases.images import Images
from tenuto.providers.local.reservations import Reservations
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import CHECKS, Example, ProviderCase

EXAMPLES = (
    Example(
        name=LogicalId("Worker"),
        type=CLOUD_NODE,
        properties={"Provider": "local", "MachineType": "1x512", "Tags": {"app": "web"}},
        drift={"Tags": {"app": "db", "more": "1"}, "AwaitAgent": True},
        copies=True,
    ),
)
_NO_RELEASE = "a node on hosts is neither released nor adopted (docs/decisions/0178-nodes-on-hosts.md)"
NOT_KEPT = {
    "a_disclaimed_thing_stays_as_it_is_and_is_nobodys": _NO_RELEASE,
    "a_claimed_thing_belongs_to_its_new_owner_and_is_otherwise_as_it_was": _NO_RELEASE,
    "what_another_owner_claimed_is_not_disclaimed": _NO_RELEASE,
    "what_is_gone_is_disclaimed_already": _NO_RELEASE,
}


class NoImages:
    """The part of images that a node without one needs: nothing."""


class Records(Reservations):
    """The stored objects of the nodes that are asked for, as a Conductor has them."""

    def __init__(self, store: MemoryStore, clock: VirtualClock) -> None:
        super().__init__(store, clock)
        self.objects: dict[ObjectId, ManagedObject] = {}

    def find(self, object_id: ObjectId) -> ManagedObject | None:
        return self.objects.get(object_id)


class Conductor:
    """The provider as a Conductor calls it: each request is of a stored node, which was given a host in Validation."""

    def __init__(self, provider: Any, records: Records) -> None:
        self._provider = provider
        self._records = records
        [place] = [phase for definition, phase in provider.object_phases() if definition.name == "local.node.place"]
        self._place = place
        self._places: dict[ObjectId, dict[str, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        asked: Sequence[Outcome] = self._provider.create(partition, [self._known(partition, one) for one in requests])
        return asked

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        asked: Sequence[Outcome] = self._provider.modify(partition, [self._known(partition, one) for one in requests])
        return asked

    def _known(self, partition: Partition, request: Request) -> Request:
        node = ManagedObject(
            object_id=request.object_id,
            lifecycle="cloud_node",
            type=request.type,
            provider="local",
            partition=partition,
            fid=request.fid,
            logical_id=request.logical_id,
            state="Allocation",
            target="Started",
            created_at=Instant(0.0),
            moved_at=Instant(0.0),
            touched_at=Instant(0.0),
            desired=request.properties,
        )
        self._records.objects[request.object_id] = node
        if request.object_id not in self._places:
            one = AskedMachine(object=node, attributes={})
            self._place.handle(Asking("local.node.place", partition, Instant(0.0), [one]))
            self._places[request.object_id] = dict(one.attributes)
        return replace(request, attributes={**self._places[request.object_id], **request.attributes})


def case() -> ProviderCase:
    clock = VirtualClock()
    store = MemoryStore()
    records, files = Records(store, clock), BlobFolder(None)
    provider = local_provider(
        SimulatedDriver(clock),
        store=store,
        clock=clock,
        reservations=records,
        images=Images(files, NoImages(), records),  # type: ignore[arg-type]
    )
    provider.take_shelf(NoImages())  # type: ignore[arg-type]
    return ProviderCase(
        provider=Conductor(provider, records),  # type: ignore[arg-type]
        partition=Partition(account="default", region="zone-1"),
        examples=EXAMPLES,
        ids=SeededIds(),
        ops=RecordedOps(),
        wait=clock.advance,
        impossible=Example(
            name=LogicalId("Bad"), type=CLOUD_NODE, properties={"Provider": "local", "MachineType": "t3.micro"}
        ),
    )


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_local_provider_conforms_in_its_nodes(check: Callable[[ProviderCase], None]) -> None:
    if why := NOT_KEPT.get(check.__name__):
        pytest.skip(why)
    check(case())
