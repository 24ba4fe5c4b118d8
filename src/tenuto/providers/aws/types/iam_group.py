"""AWS::IAM::Group. Its Ref is its name. Its inline policies are those of its own declaration, or else of
AWS::IAM::Policy alone: where both are declared, each takes the other's away."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.members import Members
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.types.iam_attached import attached
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
        Members(
            name="Policies",
            listed=Listed(operation="ListGroupPolicies", id="@"),
            shown_at="@",
            each=Call("GetGroupPolicy", key="GroupName PolicyName"),
            put=Call("PutGroupPolicy"),
            drop=Call("DeleteGroupPolicy"),
            member="PolicyName PolicyDocument",
            key="PolicyName",
            is_cleared=True,
        ),
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
