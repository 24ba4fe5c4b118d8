"""The local cloud as a plugin: the entry point `local` of the group `tenuto.providers`.

Its hosts are those that have joined, or simulated ones, zone by zone: machines and networks that exist in a file beside
the Conductor's database.
"""

from tenuto.ports.provider import Provider
from tenuto.provider_plugins import ProviderKit, ProviderPlugin
from tenuto.providers.local.types import PREFIX, PROVIDER, schemas, types


def _make(kit: ProviderKit) -> Provider:
    # A compilation needs the types alone, which are the smallest part.
    from tenuto.providers.local.making import make

    return make(kit)


PLUGIN = ProviderPlugin(name=PROVIDER, prefixes=(PREFIX,), types=types, make=_make, schemas=schemas)
