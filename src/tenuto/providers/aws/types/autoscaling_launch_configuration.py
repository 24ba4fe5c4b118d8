"""AWS::AutoScaling::LaunchConfiguration. Its Ref is its name; it never changes, and carries no tags."""

from base64 import b64decode

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.naming import INSTANCE_PROFILE
from tenuto.providers.aws.types.named import Named

LAUNCH_CONFIGURATION = block(
    "AWS::AutoScaling::LaunchConfiguration",
    "autoscaling",
    key="LaunchConfigurationName",
    listed=Listed(
        operation="DescribeLaunchConfigurations",
        id="LaunchConfigurationName",
        size=100,
        by_name="LaunchConfigurationNames[]",
    ),
    asked=Call("DescribeLaunchConfigurations", key="LaunchConfigurationNames[]"),
    named=Named("LaunchConfigurationName", 255),
    create="CreateLaunchConfiguration",
    renamed={"RamDiskId": "RamdiskId"},
    # The SDK encodes user data itself, and where CloudFormation has a truth value the service has a mapping with one.
    sent_as={"InstanceMonitoring": lambda value: {"Enabled": value}, "UserData": lambda value: b64decode(str(value))},
    shown={"InstanceMonitoring": "InstanceMonitoring.Enabled"},
    delete="DeleteLaunchConfiguration",
    compare_as={
        "BlockDeviceMappings": Comparison.SET,
        "IamInstanceProfile": INSTANCE_PROFILE,
        "SecurityGroups": Comparison.SET,
    },
)
TYPES = (LAUNCH_CONFIGURATION,)
