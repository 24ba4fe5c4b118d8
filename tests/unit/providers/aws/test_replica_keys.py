"""Keys of replicas of secrets: a replica is made again for another key, and stays where no key is known to differ."""

from types import SimpleNamespace
from typing import Any

import pytest

from tenuto.model.ids import TypeName
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto.providers.aws.types.secretsmanager_replicas import Replicas

KEY = "arn:aws:kms:eu-west-1:123456789012:key/1111"
OTHER = "arn:aws:kms:eu-west-1:123456789012:key/2222"


@pytest.mark.parametrize(
    ("declared", "shown", "calls"),
    [
        (OTHER, KEY, ["RemoveRegionsFromReplication", "ReplicateSecretToRegions"]),
        ("alias/other", "alias/own", ["RemoveRegionsFromReplication", "ReplicateSecretToRegions"]),
        (KEY, KEY, []),
        ("alias/own", KEY, []),
    ],
)
def test_a_replica_is_made_again_for_a_key_that_is_another_one(declared: str, shown: str, calls: list[str]) -> None:
    made: list[str] = []

    def change(service: str, operation: str, **sent: Any) -> dict[str, Any]:
        made.append(operation)
        return {}

    status = {"Region": "eu-west-1", "KmsKeyId": shown, "Status": "InSync"}
    work: Any = SimpleNamespace(
        id="secret",
        type=CATALOGUE[TypeName("AWS::SecretsManager::Secret")],
        differs=lambda name: True,
        lost=lambda name: False,
        want=lambda name: [{"Region": "eu-west-1", "KmsKeyId": declared}],
        read=lambda service, operation, **asked: {"ReplicationStatus": [status]},
        change=change,
    )
    Replicas().repair(work, "secretsmanager", "SecretId")
    assert made == calls
