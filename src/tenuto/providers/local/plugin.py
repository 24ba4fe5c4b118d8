"""The local cloud as a plugin: the entry point `local` of the group `tenuto.providers`.

Theory of operation. A driver says how machines run: `simulated` ones exist in a file beside the Conductor's database,
and those of `ns` are processes in namespaces of the Conductor's own machine. A person chooses it, and nothing falls
back to another one. What one driver made, another does not see, and would make again; so a driver is refused while
another one has things here.
"""

from pathlib import Path

from tenuto.errors import PluginError
from tenuto.kit.nearest import meant
from tenuto.kit.state_folder import StateFolder
from tenuto.ports.provider import Provider
from tenuto.provider_plugins import ProviderKit, ProviderPlugin
from tenuto.providers.local.driver import Driver
from tenuto.providers.local.drivers.ns.host import facts, make_driver
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.hosts.own import OwnHost
from tenuto.providers.local.provider import LocalProvider
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.types import PREFIX, PROVIDER, schemas, types

ENDING = "local.json"
"""The ending of the file of the simulated hosts."""
FOLDER = "hosts"
"""The ending of the folder of this machine as a host."""
SIMULATED, NAMESPACES = "simulated", "ns"
_DRIVERS = (SIMULATED, NAMESPACES)


def _make(kit: ProviderKit) -> Provider:
    """Raises PluginError."""
    driver = _own_host(kit) if kit.driver == NAMESPACES else _simulated(kit)
    return LocalProvider(driver, clock=kit.clock, reservations=Reservations(kit.store, kit.clock))


def _simulated(kit: ProviderKit) -> Driver:
    if kit.driver not in ("", SIMULATED):
        there = f"There are: {', '.join(_DRIVERS)}."
        raise PluginError(f"there is no driver {kit.driver}.{meant(kit.driver, _DRIVERS)} {there} (TENUTO_LOCAL)")
    folder = kit.file_beside(FOLDER)
    if folder is not None and (folder / "agent/specs").is_dir() and any((folder / "agent/specs").iterdir()):
        raise PluginError(_made_by(NAMESPACES, folder, SIMULATED))
    return SimulatedDriver(kit.clock, kit.file_beside(ENDING))


def _own_host(kit: ProviderKit) -> Driver:
    folder, file = kit.file_beside(FOLDER), kit.file_beside(ENDING)
    if folder is None or file is None:
        raise PluginError("the driver ns keeps its machines beside a database file, and this database is none")
    if file.exists() and any(things for _, things in SimulatedDriver(kit.clock, file).everything().values()):
        raise PluginError(_made_by(SIMULATED, file, NAMESPACES))
    name = "h1"
    driver = make_driver(folder, host=name, hosts={name: "127.0.0.1"})
    return OwnHost(driver, StateFolder(folder / "agent"), facts(name))


def _made_by(other: str, where: Path, wanted: str) -> str:
    return (
        f"the driver {other} has things in {where}, which {wanted} would make again: start with --local {other} and "
        f"kill their processes, or remove {where}"
    )


PLUGIN = ProviderPlugin(name=PROVIDER, prefixes=(PREFIX,), types=types, make=_make, schemas=schemas)
