"""A world whose provider is the local cloud, on simulated hosts."""

import hashlib
from functools import cached_property
from typing import Any

from web_world import composed

from tenuto.compositions.documents.document import to_document
from tenuto.model.composition import Declaration
from tenuto.model.ids import Instant, Json, LogicalId, ObjectId, TypeName
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.providers.local.assembly import local_provider
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.drivers.simulated_disks import OwnContents
from tenuto.providers.local.images.fetching import Fetched, Lost, Unchanged, Wanted
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.phases.images import Images
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.rules.deadlines import Deadlines
from tenuto.providers.local.rules.replication import ReplicationRules
from tenuto.providers.local.types import PREFIX
from tenuto.service.intake.composition import Submission
from tenuto.service.objects.hosts import Hosts
from tenuto_testing.mortality import mortal_store
from tenuto_testing.world import World

SHOP = "shop"
_NEVER = Instant(0.0)


def a(name: str, kind: str, *depends_on: str, **properties: Json) -> Declaration:
    """A declared thing of the local cloud."""
    return Declaration(
        logical_id=LogicalId(name),
        type=TypeName(PREFIX + kind),
        properties=properties,
        depends_on=tuple(LogicalId(one) for one in depends_on),
    )


def shop(**instance: Json) -> list[Declaration]:
    """A network with an interface, and a machine that has it."""
    return [
        a("Net", "Network", CidrBlock="10.1.0.0/24"),
        a("Nic", "NetworkInterface", "Net", Network={"Ref": "Net"}),
        a("Web", "Instance", "Nic", **{"Vcpus": 1, "MemoryMiB": 512, "Interfaces": [{"Ref": "Nic"}], **instance}),
    ]


class Sources:
    """Implements `Fetcher`: what is at each URL, without a network. A missing one is dead."""

    def __init__(self, files: BlobFolder) -> None:
        self._files = files
        self.contents: dict[str, bytes] = {}
        self.lost: dict[str, Lost] = {}
        self.asked: list[Wanted] = []
        self.slow: set[str] = set()

    def ask(self, wanted: Wanted) -> Fetched | Unchanged | Lost | int:
        self.asked.append(wanted)
        if wanted.url in self.slow:
            return 0
        content = self.contents.get(wanted.url)
        if content is None:
            return self.lost.get(wanted.url, Lost(cause=f"{wanted.url}: no server listens there"))
        etag = hashlib.sha256(content).hexdigest()
        if etag == wanted.etag:
            return Unchanged()
        if wanted.most_bytes is not None and len(content) > wanted.most_bytes:
            return Lost(
                cause=f"{wanted.url} has {len(content)} bytes, and {wanted.most_bytes} are left", may_pass=False
            )
        self._files.begin(wanted.part, _NEVER)
        self._files.append(wanted.part, 0, content, _NEVER)
        return Fetched(content=self._files.seal(wanted.part), etag=etag)

    def announced(self, part: ObjectId) -> int:
        """The bytes of the slow download of a part."""
        [url] = {one.url for one in self.asked if one.part == part}
        return len(self.contents.get(url, b""))


class LocalWorld(World):
    """A Conductor with the local cloud alone."""

    def __init__(self, deadlines: Deadlines | None = None, replication: ReplicationRules | None = None) -> None:
        self.replication = replication
        self.deadlines = deadlines or Deadlines()
        self.driver: SimulatedDriver | None = None
        self.files = BlobFolder(None)
        self.sources = Sources(self.files)
        super().__init__()

    @cached_property
    def contents(self) -> OwnContents:
        """The contents that the hosts read and send."""
        return OwnContents(self.files, self.clock)

    def _providers(self, ops: OpSink, clock: Clock) -> list[Provider]:
        self.driver = self.driver or SimulatedDriver(self.clock, lease_s=self.deadlines.lease_s, contents=self.contents)
        store = mortal_store(self.store, self.fate)
        reservations = Reservations(store, clock)
        self.provider_of_hosts = local_provider(
            self.driver,
            store=store,
            clock=clock,
            reservations=reservations,
            images=Images(self.files, self.sources, reservations),
            deadlines=self.deadlines,
            replication=self.replication,
        )
        return [self.provider_of_hosts]

    @property
    def hosts(self) -> SimulatedDriver:
        assert self.driver is not None
        return self.driver

    @property
    def nodes(self) -> Hosts:
        """The service of the hosts, of the Conductor that lives now."""
        keeper = self.provider_of_hosts.keeper(self.system.work)
        return Hosts(store=self.store, clock=self.own, keeper=keeper)

    def states(self) -> dict[str, str]:
        """The states of the hosts, by name."""
        return {one["name"]: one["state"] for one in self.nodes.all()["hosts"]}

    def run(self, *resources: Declaration, alias: str = SHOP, **options: Any) -> Process:
        self.system.commands.run(submission(resources), alias=alias, **options)
        return self.settled(alias)

    def update(self, *resources: Declaration, alias: str = SHOP) -> Process:
        self.system.commands.update(alias, submission(resources))
        return self.settled(alias)

    def settled(self, alias: str = SHOP) -> Process:
        assert self.settle(), [(one.logical_id, one.state, one.message) for one in self.objects(alias)]
        found = self.store.process(alias)
        assert found is not None
        return found

    def objects(self, alias: str = SHOP) -> tuple[ManagedObject, ...]:
        return tuple(self.store.objects(self.fid(alias)))

    def the(self, name: str, alias: str = SHOP) -> ManagedObject:
        """The newest incarnation at an address."""
        return max((one for one in self.objects(alias) if one.logical_id == name), key=lambda one: one.incarnation)

    def specs(self) -> list[Spec]:
        """The orders that the hosts have."""
        return [spec for _, things in self.hosts.everything().values() for spec, _ in things]

    def submitted(self, *resources: Declaration) -> Submission:
        return submission(resources)

    def things(self) -> dict[ObjectId, str]:
        """The things on the hosts: each with its power state, or its type."""
        return {
            spec.object_id: str(seen.properties.get("PowerState", spec.type))
            for _, things in self.hosts.everything().values()
            for spec, seen in things
        }


def submission(resources: tuple[Declaration, ...]) -> Submission:
    return Submission(document=to_document(composed(*resources)), secrets={})
