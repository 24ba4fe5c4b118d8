"""The simulated cloud as a plugin: the entry point `simulated` of the group `tenuto.providers`.

It needs no account, no network and no further package. Its things are in a file beside the Conductor's database, and
end with the Conductor when the database is no file.
"""

from collections.abc import Mapping

from tenuto.model.ids import TypeName
from tenuto.model.resource import ResourceType
from tenuto.ports.provider import Provider
from tenuto.provider_plugins import ProviderKit, ProviderPlugin
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.kept import OPEN, KeptCloud, cloud_file
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto.providers.simulated.schemas import schemas
from tenuto.providers.simulated.types import PROVIDER, TYPES


def _types() -> Mapping[TypeName, ResourceType]:
    return {name: block.facts for name, block in TYPES.items()}


def _make(kit: ProviderKit) -> Provider:
    database = kit.database
    return SimulatedProvider(
        Cloud(kit.clock, OPEN) if database is None else KeptCloud(cloud_file(database), kit.clock),
        clock=kit.clock,
        ops=kit.ops,
        identity_interval_s=kit.identity_interval_s,
    )


PLUGIN = ProviderPlugin(name=PROVIDER, prefixes=("Simulated::",), types=_types, make=_make, schemas=schemas)
