"""AWS::IAM::Group. Its Ref is its name."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.types.iam_attached import attached
from tenuto.providers.aws.types.iam_inline import inline
from tenuto.providers.aws.types.named import Named

GROUP = block(
    "AWS::IAM::Group",
    "iam",
    key="GroupName",
    listed=Listed(operation="ListGroups", id="GroupName", size=1000),
    described=Described(call=Call("GetGroup"), at="Group", anew=True),
    named=Named("GroupName", 128),
    create="CreateGroup",
    modify={Call("UpdateGroup", renamed={"Path": "NewPath"}): "Path"},
    parts=(
        attached("group"),
        inline("group"),
    ),
    delete="DeleteGroup",
    defaults={"Path": "/"},
    compare_as={
        "ManagedPolicyArns": Comparison.SET,
        "Policies": Comparison.SET,
        "Policies.PolicyDocument": POLICY,
    },
)
TYPES = (GROUP,)
