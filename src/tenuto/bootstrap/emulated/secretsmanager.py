"""The keys of replicas of secrets, which moto takes no notice of."""

from typing import Any

from moto.secretsmanager.models import FakeSecret

_create = FakeSecret.create_replicas


def _with_keys(self: FakeSecret, replica_regions: list[dict[str, str]], force_overwrite: bool) -> list[Any]:
    replicas = _create(self, replica_regions, force_overwrite=force_overwrite)
    for replica, asked in zip(replicas, replica_regions, strict=True):
        replica.config.update({"KmsKeyId": asked["KmsKeyId"]} if "KmsKeyId" in asked else {})
    return replicas


def add() -> None:
    """Keep them."""
    FakeSecret.create_replicas = _with_keys  # type: ignore[method-assign]
