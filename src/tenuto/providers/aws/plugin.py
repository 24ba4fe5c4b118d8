"""AWS as a plugin: the entry point `aws` of the group `tenuto.providers`."""

from collections.abc import Mapping

from tenuto.model.ids import TypeName
from tenuto.model.resource import ResourceType
from tenuto.ports.provider import Provider
from tenuto.provider_plugins import ProviderKit, ProviderPlugin


def _types() -> Mapping[TypeName, ResourceType]:
    # botocore costs most of a second: a user of another provider's types does not pay for it.
    from tenuto.providers.aws.types.catalogue import FACTS

    return FACTS


def _make(kit: ProviderKit) -> Provider:
    """The default account is that of the SDK's own settings."""
    from botocore.session import Session

    from tenuto.providers.aws.provider import AwsProvider
    from tenuto.providers.aws.rates.ledger import RateLedger

    return AwsProvider(
        session=Session(),
        ops=kit.ops,
        clock=kit.clock,
        accounts=kit.accounts,
        ledger=RateLedger(kit.store, kit.api_share),
        identity_interval_s=kit.identity_interval_s,
        ignored_tags=kit.ignored_tags,
    )


PLUGIN = ProviderPlugin(name="aws", prefixes=("AWS::", "Custom::"), types=_types, make=_make)
