"""This machine as a host of driver `qemu`: a trial of its abilities, and the driver with its executor."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from tenuto.errors import UserError
from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.drivers.ns import host as shared
from tenuto.providers.local.drivers.qemu.driver import VirtualHost
from tenuto.providers.local.executor.executor import LEASE
from tenuto.providers.local.executor.kernel.programs import ProgramError, run
from tenuto.providers.local.executor.link import ExecutorLink
from tenuto.providers.local.executor.virtual.arguments import PROGRAM
from tenuto.providers.local.images.folder import BLOBS, BlobFolder
from tenuto.providers.local.leases import Lease

_TUN = Path("/dev/net/tun")


def obstacle() -> str:
    """Say why this machine cannot be a host of this driver; empty where it can. Each thing is tried."""
    if reason := shared.obstacle():
        return reason
    try:
        run(PROGRAM, "-version")
    except ProgramError:
        return "it lacks packages: apt-get install qemu-system-x86"
    try:
        os.close(os.open(_TUN, os.O_RDWR))
    except OSError as error:
        return f"{_TUN} cannot be opened: {error.strerror}"
    return ""


def make_driver(state: Path, *, host: str, address: str, conductor: Sequence[str] = ()) -> VirtualHost:
    """The driver of this machine over a state directory, with an executor of its own.

    Base images are the agent's blobs, and the files that a person puts into a folder beside that directory. Raises
    UserError when this machine cannot be a host.
    """
    if reason := obstacle():
        raise UserError(f"The driver qemu cannot run machines here: {reason}.")
    machines, images = shared.machines_folder(state), state.resolve().with_name(f"{state.name}.images")
    if closed := next((one for one in machines.parents if not one.stat().st_mode & stat.S_IXOTH), None):
        raise UserError(
            f"Machines of the driver qemu have users of their own, and their disks are in {machines}: let all users "
            f"pass through {closed} (chmod o+x), or give another --state."
        )
    Lease(machines / LEASE).reserve()
    images.mkdir(mode=0o755, exist_ok=True)
    blobs = state.resolve() / BLOBS
    link = ExecutorLink(machines, name=shared.group_name(machines), images=images, blobs=blobs)
    return VirtualHost(
        link,
        StateFolder(state),
        host=host,
        address=address,
        mtu=shared.largest_packet(address),
        blobs=BlobFolder(blobs),
        conductor=conductor,
    )
