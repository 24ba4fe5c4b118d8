"""AWS::SecretsManager::Secret. Its Ref is its ARN. Its value is never read: what was sent last is what is compared."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

SECRET = block(
    "AWS::SecretsManager::Secret",
    "secretsmanager",
    key="SecretId",
    listed=Listed(operation="ListSecrets", id="ARN", size=100),
    described=Described(call=Call("DescribeSecret"), anew=True),
    named=Named("Name", 512),
    create="CreateSecret",
    made="ARN",
    attributes={"Id": "ARN"},
    modify={"UpdateSecret": "Description KmsKeyId SecretString Type"},
    # Nothing is kept for a while: CloudFormation deletes at once as well, so that the name is free.
    delete=Call("DeleteSecret", fixed={"ForceDeleteWithoutRecovery": True}),
    tags=TagCalls(
        service="secretsmanager",
        list_call="DescribeSecret",
        put_call="TagResource",
        remove_call="UntagResource",
        id_name="SecretId",
    ),
    unsupported="GenerateSecretString ReplicaRegions",
    compare_as={"KmsKeyId": KMS_KEY},
    bears_data=True,
)
TYPES = (SECRET,)
