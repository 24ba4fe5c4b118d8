"""AWS::Logs::LogGroup. Its Ref is its name."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.facts import untried
from tenuto.providers.aws.types.logs_group_parts import DATA_PROTECTION, FIELD_INDEXES, INDEXES, PROTECTION
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

LOG_GROUP = block(
    "AWS::Logs::LogGroup",
    "logs",
    key="logGroupName",
    listed=Listed(operation="DescribeLogGroups", id="logGroupName", size=50, by_name="logGroupNamePrefix"),
    named=Named("LogGroupName", 512),
    create="CreateLogGroup",
    modify={
        Call("PutRetentionPolicy", drop="DeleteRetentionPolicy"): "RetentionInDays",
        Call("AssociateKmsKey", drop="DisassociateKmsKey"): "KmsKeyId",
        Call("PutLogGroupDeletionProtection", key="logGroupIdentifier"): "DeletionProtectionEnabled",
    },
    parts=(DATA_PROTECTION, FIELD_INDEXES),
    delete="DeleteLogGroup",
    tags=TagCalls(
        service="logs",
        id_name="resourceArn",
        # Without the `:*` that stands for the streams.
        named=lambda _, group: str(group["arn"]).removesuffix(":*"),
        listed_as="tags",
        given_as="tags",
        keys_as="tagKeys",
        is_mapping=True,
    ),
    born={"RetentionInDays": None},
    create_only="LogGroupClass",
    compare_as={
        PROTECTION: POLICY,
        INDEXES: Comparison.SET,
        f"{INDEXES}[]": POLICY,
        "DeletionProtectionEnabled": Comparison.SHOWN,
        "KmsKeyId": KMS_KEY,
        "LogGroupClass": Comparison.SHOWN,
    },
    named_attributes="Arn",
    bears_data=True,
    refused={
        "BearerTokenAuthenticationEnabled": untried("aws logs put-bearer-token-authentication"),
        "ResourcePolicyDocument": "Declare an AWS::Logs::ResourcePolicy with a statement about the ARN of the group: "
        "it gives the same rights.",
    },
)
TYPES = (LOG_GROUP,)
