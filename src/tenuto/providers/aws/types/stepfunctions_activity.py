"""AWS::StepFunctions::Activity, whose tasks workers of one's own ask for. Its Ref is its ARN."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

ACTIVITY = block(
    "AWS::StepFunctions::Activity",
    "stepfunctions",
    key="activityArn",
    listed=Listed(operation="ListActivities", id="activityArn", size=1000),
    # The list does not tell the encryption.
    described=Described(call=Call("DescribeActivity")),
    named=Named("Name", 80),
    name_after=":",
    # Step Functions answers the creation of an activity that is there already like any other.
    asks_first=True,
    create="CreateActivity",
    made="activityArn",
    delete="DeleteActivity",
    attributes={"Arn": "$id", "Name": "$name"},
    tags=TagCalls(
        service="stepfunctions",
        list_call="ListTagsForResource",
        put_call="TagResource",
        remove_call="UntagResource",
        id_name="resourceArn",
        listed_as="tags",
        given_as="tags",
        keys_as="tagKeys",
        key_as="key",
        value_as="value",
    ),
    compare_as={"EncryptionConfiguration.KmsKeyId": KMS_KEY},
    named_by="",
    named_attributes="Arn Name",
)
TYPES = (ACTIVITY,)
