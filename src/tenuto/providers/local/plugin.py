"""The local cloud as a plugin: the entry point `local` of the group `tenuto.providers`.

Its hosts are simulated: machines and networks that exist in a file beside the Conductor's database.
"""

from tenuto.ports.provider import Provider
from tenuto.provider_plugins import ProviderKit, ProviderPlugin
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.provider import LocalProvider
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.types import PREFIX, PROVIDER, schemas, types

ENDING = "local.json"
"""The ending of the file of the simulated hosts."""


def _make(kit: ProviderKit) -> Provider:
    driver = SimulatedDriver(kit.clock, kit.file_beside(ENDING))
    return LocalProvider(driver, clock=kit.clock, reservations=Reservations(kit.store, kit.clock))


PLUGIN = ProviderPlugin(name=PROVIDER, prefixes=(PREFIX,), types=types, make=_make, schemas=schemas)
