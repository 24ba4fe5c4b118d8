"""AWS::StepFunctions::Activity, whose tasks workers of one's own ask for. Its Ref is its ARN."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import tags_in_small_words

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
    tags=tags_in_small_words("stepfunctions"),
    compare_as={"EncryptionConfiguration.KmsKeyId": KMS_KEY},
    named_by="",
    named_attributes="Arn Name",
)
TYPES = (ACTIVITY,)
