"""The parts of the local cloud that belong together: its hosts, their nodes, the watch over them, and the provider."""

from tenuto.kit.address_pools import AddressPools
from tenuto.ports.clock import Clock
from tenuto.ports.host_door import HostDoor
from tenuto.ports.store import Store
from tenuto.providers.local.driver import HostedDriver
from tenuto.providers.local.images.sealing import Seals
from tenuto.providers.local.judging import Judging
from tenuto.providers.local.nodes.driver import NodeHosts
from tenuto.providers.local.nodes.records import NodeRecords
from tenuto.providers.local.nodes.service import Attendance
from tenuto.providers.local.phases.images import Images
from tenuto.providers.local.provider import LocalProvider
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.rules.deadlines import Deadlines
from tenuto.providers.local.rules.replication import ReplicationRules


def local_provider(
    hosts: HostedDriver,
    *,
    store: Store,
    clock: Clock,
    reservations: Reservations,
    images: Images,
    deadlines: Deadlines | None = None,
    door: HostDoor | None = None,
    replication: ReplicationRules | None = None,
    pools: AddressPools | None = None,
    seals: Seals | None = None,
) -> LocalProvider:
    """The provider over the hosts of all zones."""
    times, records = deadlines or Deadlines(), NodeRecords(store)
    driver = NodeHosts(hosts=hosts, records=records, store=store, deadlines=times)
    return LocalProvider(
        driver,
        clock=clock,
        reservations=reservations,
        images=images,
        door=door,
        replication=replication,
        judging=Judging(store, driver),
        pools=pools,
        seals=seals,
        attendance=Attendance(hosts=hosts, records=records, store=store, clock=clock, deadlines=times),
    )
