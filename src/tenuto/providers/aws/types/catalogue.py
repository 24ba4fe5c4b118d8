"""Every AWS resource type that Tenuto manages, by name."""

from tenuto.model.ids import TypeName
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.types.ec2_security_group import RULES, SECURITY_GROUP
from tenuto.providers.aws.types.ec2_subnet import SUBNET
from tenuto.providers.aws.types.ec2_vpc import VPC

CATALOGUE: dict[TypeName, AwsType] = {
    kind.facts.name: kind
    for kind in (
        VPC,
        SUBNET,
        SECURITY_GROUP,
        *RULES,
    )
}
