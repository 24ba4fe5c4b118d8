"""AWS::SecretsManager::RotationSchedule and AWS::SecretsManager::ResourcePolicy: settings of a secret.

Each is known by its secret (`Ref`), and a secret has one of each. The calls replace the present one, so they ask first.
"""

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described
from tenuto.providers.aws.comparisons import POLICY

_SECRET = "ARN"
"""The path of a value that each answer about a secret holds: one that shows no more says that the setting is gone."""


def _rotated(secret: JsonMap) -> Json:
    return secret if secret.get("RotationEnabled") and not secret.get("DeletedDate") else None


ROTATION = block(
    "AWS::SecretsManager::RotationSchedule",
    "secretsmanager",
    key="SecretId",
    described=Described(call=Call("DescribeSecret"), at=_rotated, gone_at=_SECRET, anew=True),
    asks_first=True,
    create="RotateSecret",
    renamed={"RotateImmediatelyOnUpdate": "RotateImmediately"},
    shown={"SecretId": "ARN"},
    attributes={"Id": "$id"},
    modify={"RotateSecret": "*"},
    delete="CancelRotateSecret",
    exclusive=[("SecretId",)],
    refused={
        "HostedRotationLambda": "Write one of AWS's kinds as its RotationType (such as MySQLSingleUser, and no "
        "reference to a parameter), or declare a function of your own as RotationLambdaARN.",
    },
)
ACCESS = block(
    "AWS::SecretsManager::ResourcePolicy",
    "secretsmanager",
    key="SecretId",
    described=Described(
        call=Call("GetResourcePolicy"),
        at=lambda answer: answer if answer.get("ResourcePolicy") else None,
        gone_at=_SECRET,
        anew=True,
    ),
    asks_first=True,
    create="PutResourcePolicy",
    shown={"SecretId": "ARN"},
    attributes={"Id": "$id"},
    modify={"PutResourcePolicy": "*"},
    delete="DeleteResourcePolicy",
    exclusive=[("SecretId",)],
    compare_as={"ResourcePolicy": POLICY},
)
TYPES = (ROTATION, ACCESS)
