"""AWS::ElasticBeanstalk::Application. Its Ref is its name.

Environments, versions and templates of an application go through Cloud Control.
"""

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.types.named import Named

_OFF: JsonMap = {"Enabled": False, "DeleteSourceFromS3": False}
_EVERYTHING: JsonMap = {"VersionLifecycleConfig": {"MaxAgeRule": _OFF, "MaxCountRule": _OFF}}
"""The rules of an application that keeps all of its versions, as every new one does."""

APPLICATION = block(
    "AWS::ElasticBeanstalk::Application",
    "elasticbeanstalk",
    key="ApplicationName",
    listed=Listed(
        operation="DescribeApplications",
        id="ApplicationName",
        members="Applications",
        by_name="ApplicationNames[]",
    ),
    named=Named("ApplicationName", 100),
    # The refusal of a name that is taken has the code of any wrong parameter.
    asks_first=True,
    create="CreateApplication",
    modify={
        "UpdateApplication": "Description",
        "UpdateApplicationResourceLifecycle": "ResourceLifecycleConfig",
    },
    delete="DeleteApplication",
    defaults={"Description": "", "ResourceLifecycleConfig": _EVERYTHING},
)
TYPES = (APPLICATION,)
