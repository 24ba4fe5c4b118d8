"""The local cloud behind the provider port: the observations of its hosts. Its phases do the work there.

Theory of operation. A namespace is an account, and a zone is its region. One observation of a zone serves all
namespaces. A thing whose host does not answer is unsure: nothing is concluded about it, so a lost host never looks like
a loss of everything on it. Each answer is about this moment, so one that lacks a thing proves that it is gone.
"""

from collections.abc import Callable, Mapping, Sequence

from tenuto.kit.address_pools import AddressPools
from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.composition import Declaration
from tenuto.model.event import Event
from tenuto.model.ids import Fid, Instant, Json, JsonMap, Partition, PhysicalId, TypeName
from tenuto.model.object_type import ObjectType
from tenuto.model.objection import Objection
from tenuto.model.observation import ObservedItem, Sweep, Tracked, to_show
from tenuto.model.outcome import Context, Outcome, Refused, Request
from tenuto.model.phase_map import PhaseDefinition
from tenuto.model.resource import ResourceType
from tenuto.ports.chores import Chore
from tenuto.ports.clock import Clock
from tenuto.ports.host_door import HostDoor
from tenuto.ports.host_keeper import HostKeeper
from tenuto.ports.images import ImageKeeping, ImageShelf
from tenuto.ports.judging import Asked
from tenuto.ports.objects import ObjectWork
from tenuto.ports.phase import Phase
from tenuto.ports.programs import Programs
from tenuto.providers.local.driver import Seen
from tenuto.providers.local.images.sealing import OwnSeals, Seals
from tenuto.providers.local.judging import Judging
from tenuto.providers.local.nodes.driver import NodeHosts
from tenuto.providers.local.nodes.service import Attendance
from tenuto.providers.local.objects import OBJECT_TYPES
from tenuto.providers.local.phases.blobs import Blobs
from tenuto.providers.local.phases.cloud_nodes import CloudNodes
from tenuto.providers.local.phases.common import Tools
from tenuto.providers.local.phases.disks import Disks
from tenuto.providers.local.phases.images import Images
from tenuto.providers.local.phases.interfaces import Interfaces
from tenuto.providers.local.phases.machines import Machines
from tenuto.providers.local.phases.mending import Mending
from tenuto.providers.local.phases.networks import Networks
from tenuto.providers.local.phases.operation_files import OperationFiles
from tenuto.providers.local.phases.operations import Operations
from tenuto.providers.local.phases.outside import OutsideAddresses
from tenuto.providers.local.phases.replicas import Replicas
from tenuto.providers.local.phases.snapshots import Snapshots
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.rules.machines.bases import in_words
from tenuto.providers.local.rules.machines.cloud_nodes import as_node, counted, is_of_node
from tenuto.providers.local.rules.machines.placement import PlacementRules
from tenuto.providers.local.rules.replication import ReplicationRules
from tenuto.providers.local.types import ARTIFACT, INSTANCE, PROVIDER, types


class LocalProvider:
    """Implements `ports.provider.Provider`, `OffersObjects`, `HasChores`, `HasHosts`, `HasKeeper`, `KeepsImages`,
    `JudgesDeclarations`, `JudgesRequests`, `CountsMachines` and `RunsPrograms`. Thread-safe."""

    name = PROVIDER

    def __init__(
        self,
        driver: NodeHosts,
        *,
        clock: Clock,
        reservations: Reservations,
        images: Images,
        attendance: Attendance,
        judging: Judging,
        door: HostDoor | None = None,
        replication: ReplicationRules | None = None,
        pools: AddressPools | None = None,
        seals: Seals | None = None,
    ) -> None:
        """`door` is where real hosts call; None where there are none. `pools` are the addresses outside of networks.
        `seals` reads the parts that have come; None reads on the threads of the phases."""
        self._driver = driver
        self._door = door
        self._pools = pools or AddressPools()
        self._clock = clock
        self._images = images
        self._disks = Disks(reservations)
        self._operation_files = OperationFiles(reservations)
        files = images.keeping().files
        reading = seals or OwnSeals(files)
        self._snapshots = Snapshots(files, reading, reservations)
        self._attendance = attendance
        self._judging = judging
        self._tools = Tools(driver=driver, reservations=reservations, is_lost=driver.is_lost)
        self._replicas = Replicas(self._tools, driver.zones, replication or ReplicationRules())
        self._blobs = Blobs(files, reservations, self._replicas)
        self._mending = Mending(self._tools, files, reading)
        self._machines = Machines(self._tools, PlacementRules(), self._disks)
        self._nodes = CloudNodes(self._tools, self._machines, clock)

    def types(self) -> Mapping[TypeName, ResourceType]:
        return types()

    def door(self) -> HostDoor | None:
        return self._door

    def chores(self, work: ObjectWork) -> Sequence[Chore]:
        return (self._attendance.watch(work),)

    def keeper(self, work: ObjectWork) -> HostKeeper:
        return self._attendance.keeper(work)

    def programs(self, work: ObjectWork) -> Programs:
        return self._attendance.programs(work)

    def object_types(self) -> Sequence[ObjectType]:
        return OBJECT_TYPES

    def object_phases(self) -> Sequence[tuple[PhaseDefinition, Phase]]:
        parts = (
            Networks(self._tools),
            Interfaces(self._tools, OutsideAddresses(self._tools, self._pools)),
            self._machines,
            self._nodes,
            self._images,
            self._blobs,
            self._replicas,
            self._mending,
            Operations(self._tools, self._operation_files, self._snapshots),
        )
        return tuple(phase for part in parts for phase in part.phases())

    def objections(self, partition: Partition, fid: Fid, declared: Sequence[Declaration]) -> Sequence[Objection]:
        return self._judging.objections(partition, fid, declared)

    def counted(self, lifecycle: str, properties: JsonMap) -> tuple[str, JsonMap]:
        return counted(lifecycle, properties)

    def judge(self, asked: Asked) -> Sequence[Event]:
        return self._judging.judge(asked)

    def images(self) -> ImageKeeping:
        return self._images.keeping()

    def take_shelf(self, shelf: ImageShelf) -> None:
        for part in (self._images, self._blobs, self._disks, self._operation_files, self._snapshots):
            part.take_shelf(shelf)
        self._replicas.take_shelf(shelf)
        self._mending.take_shelf(shelf)
        self._judging.take_shelf(shelf)

    def sweep(
        self, partition: Partition, source: str, tracked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> Mapping[TypeName, Sweep]:
        name = TypeName(source)
        started_at = self._clock.now()
        if name == ARTIFACT:
            seen = self._images.observe(partition)
        else:
            seen = [one for one in self._seen(partition.region, name) if one.account == partition.account]
        if is_near:
            near = to_show(tracked).get(name, {})
            seen = [one for one in seen if PhysicalId(one.object_id) in near]
        sweep = Sweep(
            partition=partition,
            type=name,
            started_at=started_at,
            items={PhysicalId(one.object_id): _item(one) for one in seen if not one.silence},
            unsure={PhysicalId(one.object_id): one.silence for one in seen if one.silence},
            is_whole=not is_near,
        )
        return {name: sweep}

    def _seen(self, zone: str, name: TypeName) -> Sequence[Seen]:
        """The things of a type. The machines of instances and of nodes are told apart, but for those whose host cannot
        tell: they are unsure as both."""
        if name not in (INSTANCE, CLOUD_NODE):
            return self._driver.observe(zone, name)
        there = self._driver.observe(zone, INSTANCE)
        return [
            one if one.silence or name == INSTANCE else _node_of(one)
            for one in there
            if one.silence or is_of_node(one) == (name == CLOUD_NODE)
        ]

    # Only nodes are made by calls. The phases of any other type give its orders themselves.

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[ObservedItem | None]:
        nodes = [one for one in requests if one.type == CLOUD_NODE]
        seen = self._nodes.find(partition, nodes) if nodes else ()
        found = {one.object_id: _item(_node_of(one)) for one in seen if one is not None}
        return [found.get(one.object_id) for one in requests]

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return _answered(partition, requests, self._nodes.order)

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return _answered(partition, requests, self._nodes.order)

    def delete(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return _answered(partition, requests, self._nodes.delete)

    def claim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return [_by_phases(one) for one in requests]

    def disclaim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return _answered(partition, requests, self._nodes.disclaim)

    # A namespace needs no credentials: its hosts are the Conductor's own.

    def context(self, partition: Partition) -> Context:
        return Context(account_id=partition.account)

    def identify(self, account: Account) -> Identity:
        return Identity(account_id=account.name, arn="")

    def credentials(self, account: str) -> KnownCredentials:
        return KnownCredentials()

    def lookup(self, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        return {}

    def pointed_at(self, partition: Partition, names: Sequence[str], since: Instant) -> Mapping[str, str]:
        return {}


def _item(seen: Seen) -> ObservedItem:
    return ObservedItem(
        physical_id=PhysicalId(seen.object_id),
        properties=in_words(seen.properties, seen.attributes),
        attributes=seen.attributes,
        owner=seen.owner,
        condition=seen.condition,
        message=seen.message,
    )


def _node_of(seen: Seen) -> Seen:
    return as_node(seen, in_words(seen.properties, seen.attributes))


def _answered(
    partition: Partition,
    requests: Sequence[Request],
    call: Callable[[Partition, Sequence[Request]], Sequence[Outcome]],
) -> Sequence[Outcome]:
    """The answers to requests, of which those about nodes are one call."""
    nodes = [one for one in requests if one.type == CLOUD_NODE]
    answers = dict(zip((one.object_id for one in nodes), call(partition, nodes), strict=True)) if nodes else {}
    return [answers.get(one.object_id) or _by_phases(one) for one in requests]


def _by_phases(request: Request) -> Outcome:
    return Refused(
        code="ByPhases", message=f"a {request.type} is made and deleted by Tenuto's own phases and cannot be adopted"
    )
