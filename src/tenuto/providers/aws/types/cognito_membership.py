"""AWS::Cognito::UserPoolUserToGroupAttachment: a user in a group of a pool. Its id has all three, as its Ref has.

Cognito answers the addition of a user that is in the group already like any other, and the user is taken over, as
CloudFormation does it.
"""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.types.cognito_pool import SERVICE

MEMBERSHIP = block(
    "AWS::Cognito::UserPoolUserToGroupAttachment",
    SERVICE,
    key="UserPoolId GroupName Username",
    beside=Listed(
        operation="AdminListGroupsForUser",
        id="$UserPoolId GroupName $Username",
        size=60,
        given={"UserPoolId": "UserPoolId", "Username": "Username"},
        is_swept=True,
    ),
    create="AdminAddUserToGroup",
    delete="AdminRemoveUserFromGroup",
    exclusive=[("UserPoolId", "GroupName", "Username")],
)
TYPES = (MEMBERSHIP,)
