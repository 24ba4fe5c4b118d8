"""AWS::SecretsManager::Secret. Its Ref is its ARN. Its value is never read: the value that was sent last is compared.

`GenerateSecretString` is no property of the service: its value is asked for when the secret is made, and again when the
declaration of it changes, as CloudFormation does. Tenuto forgets it at once.
"""

import json
from dataclasses import dataclass

from tenuto.errors import PermanentError
from tenuto.model.ids import Json
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.cloud_control_model import is_sent_anew
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.secretsmanager_replicas import (
    COMPARED,
    COPYING,
    OWN_REGION,
    Replicas,
    without_replicas,
)
from tenuto.providers.aws.types.tag_calls import TagCalls

_GENERATE, _TEMPLATE, _MEMBER = "GenerateSecretString", "SecretStringTemplate", "GenerateStringKey"


@dataclass(frozen=True, kw_only=True)
class _Generated(Shown):
    """The value that AWS makes up, alone or as a member of a document."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_GENERATE})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {"SecretString": _generated(work)} if work.want(_GENERATE) is not None else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if is_sent_anew(work.request, _GENERATE):
            work.change(service, "PutSecretValue", SecretId=work.id, SecretString=_generated(work))

    def changes(self, service: str) -> dict[str, str]:
        return {_GENERATE: f"{service}:PutSecretValue"}


def _generated(work: Work) -> str:
    rule = dict(work.want(_GENERATE))
    template, member = rule.pop(_TEMPLATE, None), rule.pop(_MEMBER, None)
    if (template is None) != (member is None):
        raise PermanentError(f"{_TEMPLATE} and {_MEMBER} go together: declare both, or none.", code="InvalidRequest")
    document: Json = {}
    if template is not None:
        try:
            document = json.loads(template)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise PermanentError(f"{_TEMPLATE} is not a JSON document with members.", code="InvalidRequest")
    made = str(work.read("secretsmanager", "GetRandomPassword", **rule)["RandomPassword"])
    return made if member is None else json.dumps({**document, member: made})


SECRET = block(
    "AWS::SecretsManager::Secret",
    "secretsmanager",
    key="SecretId",
    listed=Listed(operation="ListSecrets", id=OWN_REGION, size=100),
    described=Described(call=Call("DescribeSecret"), anew=True),
    named=Named("Name", 512),
    create="CreateSecret",
    made="ARN",
    attributes={"Id": "ARN"},
    modify={"UpdateSecret": "Description KmsKeyId SecretString Type"},
    parts=(_Generated(), Replicas()),
    state=COPYING,
    defaults={"Description": ""},
    # Nothing is kept for a while: CloudFormation deletes at once as well, so that the name is free.
    delete=Call("DeleteSecret", fixed={"ForceDeleteWithoutRecovery": True}),
    tags=TagCalls(
        service="secretsmanager",
        list_call="DescribeSecret",
        id_name="SecretId",
    ),
    compare_as={"KmsKeyId": KMS_KEY, **COMPARED},
    bears_data=True,
)
TYPES = (without_replicas(SECRET),)
