"""The local cloud as a Conductor has it: its hosts, the joined ones and the simulated, with their stored data."""

from functools import partial

from tenuto.ports.provider import Provider
from tenuto.ports.store import Store
from tenuto.provider_plugins import ProviderKit
from tenuto.providers.local.assembly import local_provider
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.drivers.simulated_disks import OwnContents
from tenuto.providers.local.hosts.blobs import HostBlobs
from tenuto.providers.local.hosts.book import HostBook
from tenuto.providers.local.hosts.door import LocalDoor
from tenuto.providers.local.hosts.driver import RealHosts
from tenuto.providers.local.hosts.ledger import Ledger
from tenuto.providers.local.hosts.lines import Lines
from tenuto.providers.local.hosts.parts import HostParts
from tenuto.providers.local.images.fetching import Downloads
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.images.sealing import Sealing
from tenuto.providers.local.phases.images import Images
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.rules.deadlines import Deadlines
from tenuto.providers.local.zones import Zones

ENDING = "local.json"
"""The ending of the file of the simulated hosts."""
BLOBS = "blobs"
"""The ending of the folder of blobs."""


def make(kit: ProviderKit) -> Provider:
    deadlines = Deadlines(missing_s=kit.node_deadline_s)
    files = BlobFolder(kit.file_beside(BLOBS))
    simulated = SimulatedDriver(
        kit.clock, kit.file_beside(ENDING), lease_s=deadlines.lease_s, contents=OwnContents(files, kit.clock)
    )
    book, epoch = HostBook(kit.store, kit.clock), partial(_epoch, kit.store)
    lines = Lines(epoch, deadlines=deadlines)

    def is_real(zone: str) -> bool:
        return bool(book.hosts(zone)) or (kit.takes_hosts and not simulated.is_used(zone))

    driver = Zones(
        simulated=simulated,
        real=RealHosts(book=book, lines=lines, ledger=Ledger(kit.store)),
        is_real=is_real,
    )
    reservations = Reservations(kit.store, kit.clock)
    door = LocalDoor(
        book=book,
        lines=lines,
        epoch=epoch,
        is_simulated=lambda zone: not is_real(zone),
        blobs=HostBlobs(kit.store, files),
        parts=HostParts(kit.store, files, kit.clock),
    )
    return local_provider(
        driver,
        store=kit.store,
        clock=kit.clock,
        reservations=reservations,
        images=Images(files, Downloads(files, kit.clock, kit.image_reach), reservations),
        deadlines=deadlines,
        door=door,
        pools=kit.floating_pool,
        seals=Sealing(files),
    )


def _epoch(store: Store) -> int:
    """The epoch of the Conductor that leads."""
    lease = store.lease()
    return lease.epoch if lease else 0
