"""AWS::Lambda::Function. Its Ref is its name. Lambda refuses a change while an earlier one is under way."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.parts import Setting
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.lambda_code import Code
from tenuto.providers.aws.types.lambda_names import lambda_tags
from tenuto.providers.aws.types.named import Named

FUNCTION = block(
    "AWS::Lambda::Function",
    "lambda",
    key="FunctionName",
    listed=Listed(operation="ListFunctions", id="FunctionName", size=50),
    # The list does not tell the state.
    described=Described(call=Call("GetFunction"), at="Configuration", anew=True),
    named=Named("FunctionName", 64),
    create="CreateFunction",
    renamed={"KmsKeyArn": "KMSKeyArn"},
    shown={"ImageConfig": "ImageConfigResponse.ImageConfig", "Layers": "Layers[].Arn"},
    attributes={"Arn": "FunctionArn"},
    modify={"UpdateFunctionConfiguration": "*"},
    parts=(
        Code(),
        Setting(
            name="ReservedConcurrentExecutions",
            read_by=Call("GetFunctionConcurrency"),
            shown_at="ReservedConcurrentExecutions",
            write_by=Call("PutFunctionConcurrency", drop="DeleteFunctionConcurrency"),
            given_as="ReservedConcurrentExecutions",
        ),
        Setting(
            name="CodeSigningConfigArn",
            read_by=Call("GetFunctionCodeSigningConfig"),
            shown_at="CodeSigningConfigArn",
            write_by=Call("PutFunctionCodeSigningConfig", drop="DeleteFunctionCodeSigningConfig"),
            given_as="CodeSigningConfigArn",
            is_born=True,
        ),
        Setting(
            name="RecursiveLoop",
            read_by=Call("GetFunctionRecursionConfig"),
            shown_at="RecursiveLoop",
            write_by=Call("PutFunctionRecursionConfig"),
            given_as="RecursiveLoop",
        ),
        Setting(
            name="RuntimeManagementConfig",
            read_by=Call("GetRuntimeManagementConfig"),
            # Of the modes of update, one alone has a version.
            shown_at="UpdateRuntimeOn == 'Manual' && {UpdateRuntimeOn: UpdateRuntimeOn, "
            "RuntimeVersionArn: RuntimeVersionArn} || {UpdateRuntimeOn: UpdateRuntimeOn}",
            write_by=Call("PutRuntimeManagementConfig"),
        ),
    ),
    delete="DeleteFunction",
    recovers=True,
    state=State(
        at="LastUpdateStatus == 'InProgress' && 'Updating' || State",
        pending="Pending Updating",
        going="Deleting",
        broken="Failed",
        reason="StateReason",
    ),
    tags=lambda_tags("FunctionArn"),
    write_only="Code",
    refused={
        "PublishToLatestPublished": "Only functions on managed instances have it, and no emulator serves them. "
        "Take it out, and publish with `aws lambda publish-version --publish-to LATEST_PUBLISHED`.",
        "FunctionScalingConfig": "Only functions on managed instances have it, and how CloudFormation sends it is not "
        "documented. Take it out, and set it with `aws lambda put-function-scaling-config` after the run; Tenuto "
        "leaves it as it is.",
    },
    compare_as={
        "KmsKeyArn": KMS_KEY,
        "VpcConfig.SecurityGroupIds": Comparison.SET,
        "VpcConfig.SubnetIds": Comparison.SET,
    },
    # A function has these where its declaration does not say; the schema publishes no defaults.
    defaults={
        "DeadLetterConfig": {"TargetArn": ""},
        "Description": "",
        "Environment": {"Variables": {}},
        "EphemeralStorage": {"Size": 512},
        "FileSystemConfigs": [],
        "KmsKeyArn": "",
        "Layers": [],
        "MemorySize": 128,
        "RecursiveLoop": "Terminate",
        "RuntimeManagementConfig": {"UpdateRuntimeOn": "Auto"},
        "Timeout": 3,
        "TracingConfig": {"Mode": "PassThrough"},
        "VpcConfig": {"SecurityGroupIds": [], "SubnetIds": []},
    },
    named_attributes="Arn",
)
TYPES = (FUNCTION,)
