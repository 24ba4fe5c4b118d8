"""AWS::IAM::User. Its Ref is its name. Its inline policies are those of its own declaration, or else of
AWS::IAM::Policy alone: where both are declared, each takes the other's away."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.members import Members
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

USER = block(
    "AWS::IAM::User",
    "iam",
    key="UserName",
    listed=Listed(operation="ListUsers", id="UserName", size=1000),
    described=Described(call=Call("GetUser"), at="User"),
    named=Named("UserName", 64),
    create="CreateUser",
    shown={"PermissionsBoundary": "PermissionsBoundary.PermissionsBoundaryArn"},
    modify={
        Call("UpdateUser", renamed={"Path": "NewPath"}): "Path",
        "PutUserPermissionsBoundary": "PermissionsBoundary",
    },
    parts=(
        Members(
            name="Groups",
            listed=Listed(operation="ListGroupsForUser", id="GroupName"),
            shown_at="GroupName",
            put=Call("AddUserToGroup"),
            drop=Call("RemoveUserFromGroup"),
            member="GroupName",
            is_cleared=True,
        ),
        Members(
            name="ManagedPolicyArns",
            listed=Listed(operation="ListAttachedUserPolicies", id="PolicyArn"),
            shown_at="PolicyArn",
            put=Call("AttachUserPolicy"),
            drop=Call("DetachUserPolicy"),
            member="PolicyArn",
            is_cleared=True,
        ),
        Members(
            name="Policies",
            listed=Listed(operation="ListUserPolicies", id="@"),
            shown_at="@",
            each=Call("GetUserPolicy", key="UserName PolicyName"),
            put=Call("PutUserPolicy"),
            drop=Call("DeleteUserPolicy"),
            member="PolicyName PolicyDocument",
            key="PolicyName",
            is_cleared=True,
        ),
    ),
    delete="DeleteUser",
    tags=TagCalls(
        service="iam", list_call="ListUserTags", put_call="TagUser", remove_call="UntagUser", id_name="UserName"
    ),
    unsupported="LoginProfile",
    compare_as={
        "Groups": Comparison.SET,
        "ManagedPolicyArns": Comparison.SET,
        "Policies": Comparison.SET,
        "Policies.PolicyDocument": POLICY,
    },
    named_attributes="Arn",
)
TYPES = (USER,)
