"""AWS::KMS::Alias. Its Ref is its name; a key has any number of aliases, and an alias one key."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named

ALIAS = block(
    "AWS::KMS::Alias",
    "kms",
    key="AliasName",
    listed=Listed(operation="ListAliases", id="AliasName", size=100),
    named=Named("AliasName", 256),
    create="CreateAlias",
    modify={"UpdateAlias": "TargetKeyId"},
    delete="DeleteAlias",
    compare_as={"TargetKeyId": KMS_KEY},
    undeclarable=lambda one: "AWS keeps it" if str(one.get("AliasName")).startswith("alias/aws/") else "",
)
TYPES = (ALIAS,)
