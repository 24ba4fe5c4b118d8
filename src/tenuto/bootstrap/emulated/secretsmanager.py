"""Parts of secrets that moto takes no notice of: keys of replicas, and schedules of rotations that are no number of
days. A rotation asks no function here."""

from typing import Any

from moto.awslambda.exceptions import LambdaClientError
from moto.awslambda.utils import get_backend
from moto.secretsmanager.exceptions import ResourceNotFoundException
from moto.secretsmanager.models import FakeSecret, SecretsManagerBackend

_RULES = "tenuto_rotation_rules"
_create = FakeSecret.create_replicas
_shown = FakeSecret.to_dict
_rotate: Any = SecretsManagerBackend.rotate_secret


def _with_keys(self: FakeSecret, replica_regions: list[dict[str, str]], force_overwrite: bool) -> list[Any]:
    replicas = _create(self, replica_regions, force_overwrite=force_overwrite)
    for replica, asked in zip(replicas, replica_regions, strict=True):
        replica.config.update({"KmsKeyId": asked["KmsKeyId"]} if "KmsKeyId" in asked else {})
    return replicas


def _rotated(
    self: Any,
    secret_id: str,
    *,
    rotation_lambda_arn: str | None = None,
    rotation_rules: dict[str, Any] | None = None,
    **more: Any,
) -> Any:
    """Note who rotates a secret, and when. AWS answers before that function runs, and here none does: the value stays.

    moto waits for a container that runs it, which is there in vain or not at all.
    """
    before = self.secrets[secret_id].rotation_lambda_arn if secret_id in self.secrets else None
    if rotation_lambda_arn:
        _find_function(self, rotation_lambda_arn)
    more["rotate_immediately"] = False
    answer = _rotate(self, secret_id, rotation_rules=rotation_rules, **more)
    secret = self.secrets[secret_id]
    secret.rotation_lambda_arn = rotation_lambda_arn or before or ""
    if rotation_rules:
        setattr(secret, _RULES, rotation_rules)
        secret.rotation_enabled = True
    return answer


def _find_function(self: Any, arn: str) -> None:
    try:
        get_backend(self.account_id, self.region_name).get_function(arn)
    except LambdaClientError:
        raise ResourceNotFoundException(f"Resource not found for ARN '{arn}'.") from None


def _with_rules(self: FakeSecret) -> dict[str, Any]:
    answer = _shown(self)
    rules = getattr(self, _RULES, None)
    return {**answer, "RotationRules": rules} if rules and "RotationRules" in answer else answer


def add() -> None:
    """Keep them."""
    FakeSecret.create_replicas = _with_keys  # type: ignore[method-assign]
    FakeSecret.to_dict = _with_rules  # type: ignore[method-assign]
    setattr(SecretsManagerBackend, "rotate_secret", _rotated)  # noqa: B010
