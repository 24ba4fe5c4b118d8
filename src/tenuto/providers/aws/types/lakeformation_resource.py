"""AWS::LakeFormation::Resource: a place of S3 that Lake Formation guards. Its Ref is its ARN behind a word.

Cloud Control does not serve the type. The role that the service makes for itself is shown as any other role, so the
path of its ARN says which of the two was declared. A call that changes a place takes a role and all that can change.
"""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, undeclared

_REF = "join('-', ['LakeFormation', ResourceArn])"
_OWN_ROLE = "RoleArn && contains(RoleArn, ':role/aws-service-role/')"

RESOURCE = block(
    "AWS::LakeFormation::Resource",
    "lakeformation",
    key="ResourceArn",
    listed=Listed(operation="ListResources", id="ResourceArn", members="ResourceInfoList"),
    create="RegisterResource",
    shown={"UseServiceLinkedRole": _OWN_ROLE},
    modify={Call("UpdateResource", fills=undeclared): "*"},
    delete="DeregisterResource",
    exclusive=[("ResourceArn",)],
    attributes={"Ref": _REF, "Id": _REF},
    # The call that changes a place takes the ARN of a role, and cannot say that the service shall take its own.
    create_only="UseServiceLinkedRole",
    named_by="",
)
TYPES = (RESOURCE,)
