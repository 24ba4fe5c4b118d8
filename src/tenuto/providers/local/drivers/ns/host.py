"""This machine as a host of driver `ns`: a trial of its abilities, and the driver with its executor."""

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from tenuto.errors import UserError
from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.drivers.ns.driver import NamespaceHost
from tenuto.providers.local.executor.executor import LEASE
from tenuto.providers.local.executor.kernel.namespaces import delete_namespace, make_namespace, namespaces
from tenuto.providers.local.executor.kernel.processes import start_of
from tenuto.providers.local.executor.kernel.programs import ProgramError, missing, run, shown
from tenuto.providers.local.executor.link import ExecutorLink
from tenuto.providers.local.leases import Lease
from tenuto.providers.local.rules.networks.spec import MESH_OVERHEAD

_TRIAL = "tenuto-try-"
"""The beginning of the name of a namespace that is made to try it; the process that tries follows."""
_UNDERLAY_MTU = 1500
"""The largest packet of most networks below, and of one whose link is not known."""


def obstacle() -> str:
    """Say why this machine cannot be a host of this driver; empty where it can. Each thing is tried."""
    if os.geteuid() != 0:
        return "it needs root: machines and networks are namespaces of the kernel"
    if packages := missing():
        return f"it lacks packages: apt-get install {' '.join(packages)}"
    tried = f"{_TRIAL}{os.getpid()}"
    try:
        _remove_left_trials()
        make_namespace(tried)
        try:
            # A user of no name, since machines have such users too.
            user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs")
            run(*user, "bwrap", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "/bin/true")
        finally:
            delete_namespace(tried)
    except ProgramError as error:
        return str(error)
    return ""


def _remove_left_trials() -> None:
    """Remove the namespaces of trials that were killed. Raises ProgramError."""
    for name in sorted(namespaces()):
        pid = name.removeprefix(_TRIAL)
        if name.startswith(_TRIAL) and pid.isdecimal() and not start_of(int(pid)):
            with suppress(ProgramError):  # Another trial may remove it just now.
                delete_namespace(name)


def make_driver(state: Path, *, host: str, address: str, conductor: Sequence[str] = ()) -> NamespaceHost:
    """The driver of this machine over a state directory, with an executor of its own.

    The executor keeps its files in a folder beside that directory: the agent, which may be another user by then, cannot
    change them. Raises UserError when this machine cannot be a host.
    """
    if reason := obstacle():
        raise UserError(f"The driver ns cannot run machines here: {reason}.")
    machines = machines_folder(state)
    if closed := next((one for one in machines.parents if not one.stat().st_mode & stat.S_IXOTH), None):
        raise UserError(
            f"Machines of the driver ns have users of their own, and their homes are in {machines}: let all users pass "
            f"through {closed} (chmod o+x), or give another --state."
        )
    Lease(machines / LEASE).reserve()
    link = ExecutorLink(machines, name=group_name(machines))
    return NamespaceHost(
        link, StateFolder(state), host=host, address=address, mtu=largest_packet(address), conductor=conductor
    )


def machines_folder(state: Path) -> Path:
    """The folder of the executor's files, beside a state directory."""
    return state.resolve().with_name(f"{state.name}.machines")


def group_name(machines: Path) -> str:
    """The name of the control groups over such a folder: two agents of one machine have groups of their own."""
    return f"tenuto-{sha256(str(machines).encode()).hexdigest()[:8]}"


def largest_packet(address: str) -> int:
    """The largest packet of a network on a mesh whose packets leave from this address."""
    for link in shown("ip", "-j", "-4", "address", "show"):
        if any(one.get("local") == address for one in link.get("addr_info", ())):
            return min(int(link["mtu"]), _UNDERLAY_MTU) - MESH_OVERHEAD
    return _UNDERLAY_MTU - MESH_OVERHEAD
