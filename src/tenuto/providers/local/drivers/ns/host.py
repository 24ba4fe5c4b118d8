"""This machine as a host of driver `ns`: what it can, tried, and the driver with its executor."""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from tenuto.errors import PluginError
from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.drivers.ns.driver import NamespaceHost
from tenuto.providers.local.executor.link import ExecutorLink
from tenuto.providers.local.executor.programs import ProgramError, missing, run
from tenuto.providers.local.rules.network_spec import MESH_OVERHEAD
from tenuto.providers.local.rules.placement import Host

_MIB = 1 << 20
_UNDERLAY_MTU = 1500


def obstacle() -> str:
    """Say why this machine cannot be a host of this driver; empty where it can. Each thing is tried."""
    if os.geteuid() != 0:
        return "it needs root: machines and networks are namespaces of the kernel"
    if packages := missing():
        return f"it lacks packages: apt-get install {' '.join(packages)}"
    tried = f"tenuto-try-{os.getpid()}"
    try:
        run("ip", "netns", "add", tried)
        try:
            # A user of no name, since machines have such users too.
            user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs")
            run(*user, "bwrap", "--unshare-user", "--ro-bind", "/", "/", "/bin/true")
        finally:
            run("ip", "netns", "delete", tried)
    except ProgramError as error:
        return str(error)
    return ""


def facts(name: str) -> Host:
    """The facts of this machine."""
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return Host(name=name, cores=len(os.sched_getaffinity(0)), memory_mib=pages * size // _MIB)


def make_driver(folder: Path, *, host: str, hosts: Mapping[str, str]) -> NamespaceHost:
    """The driver of this machine over a folder, with an executor of its own.

    Raises PluginError when this machine cannot be a host.
    """
    if reason := obstacle():
        raise PluginError(f"the driver ns cannot run machines here: {reason}")
    name = f"tenuto-{sha256(str(folder.resolve()).encode()).hexdigest()[:8]}"
    link = ExecutorLink(folder / "executor", name=name)
    mtu = _UNDERLAY_MTU - MESH_OVERHEAD
    return NamespaceHost(link, StateFolder(folder / "agent"), host=host, hosts=hosts, mtu=mtu)
