"""AWS::EC2::LaunchTemplate. A change makes a new version of it, which becomes the latest one."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.comparisons import WORDS
from tenuto.providers.aws.types.named import Named

LAUNCH_TEMPLATE = block(
    "AWS::EC2::LaunchTemplate",
    "ec2",
    key="LaunchTemplateId",
    listed=Listed(
        operation="DescribeLaunchTemplates", id="LaunchTemplateId", size=200, by_name="LaunchTemplateNames[]"
    ),
    described=Described(
        call=Call("DescribeLaunchTemplateVersions", fixed={"Versions": ["$Latest"]}), at="LaunchTemplateVersions[0]"
    ),
    asked=Call("DescribeLaunchTemplates", key="LaunchTemplateIds[]"),
    named=Named("LaunchTemplateName", 128),
    create="CreateLaunchTemplate",
    token="ClientToken",
    made="LaunchTemplate.LaunchTemplateId",
    modify={"CreateLaunchTemplateVersion": "LaunchTemplateData + VersionDescription"},
    delete="DeleteLaunchTemplate",
    shows="LaunchTemplateData VersionDescription",
    # A template carries the tags of its own property, and no others.
    create_only="TagSpecifications",
    retelling=WORDS,
)
TYPES = (LAUNCH_TEMPLATE,)
