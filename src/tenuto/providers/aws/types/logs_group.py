"""AWS::Logs::LogGroup. Its Ref is its name."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.naming import KMS_KEY
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
    delete="DeleteLogGroup",
    tags=TagCalls(
        service="logs",
        list_call="ListTagsForResource",
        put_call="TagResource",
        remove_call="UntagResource",
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
        "DeletionProtectionEnabled": Comparison.SHOWN,
        "KmsKeyId": KMS_KEY,
        "LogGroupClass": Comparison.SHOWN,
    },
    named_attributes="Arn",
    bears_data=True,
    unsupported="BearerTokenAuthenticationEnabled DataProtectionPolicy FieldIndexPolicies ResourcePolicyDocument",
)
TYPES = (LOG_GROUP,)
