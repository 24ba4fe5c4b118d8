"""Every AWS resource type that Tenuto manages, by name: those with a block are listed, the others go through Cloud
Control and are found when they are asked for.
"""

from dataclasses import replace

from tenuto.model.ids import TypeName
from tenuto.model.open_types import OpenTypes
from tenuto.model.resource import ResourceType
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.types import cloud_control
from tenuto.providers.aws.types.dynamodb_table import TABLE
from tenuto.providers.aws.types.ec2_eip import EIP, EIP_ASSOCIATION
from tenuto.providers.aws.types.ec2_instance import INSTANCE
from tenuto.providers.aws.types.ec2_internet_gateway import GATEWAY_ATTACHMENT, INTERNET_GATEWAY
from tenuto.providers.aws.types.ec2_key_pair import KEY_PAIR
from tenuto.providers.aws.types.ec2_nat_gateway import NAT_GATEWAY
from tenuto.providers.aws.types.ec2_network_acl import NETWORK_ACL, NETWORK_ACL_ASSOCIATION, NETWORK_ACL_ENTRY
from tenuto.providers.aws.types.ec2_node import NODE
from tenuto.providers.aws.types.ec2_route_table import ROUTE, ROUTE_TABLE, ROUTE_TABLE_ASSOCIATION
from tenuto.providers.aws.types.ec2_security_group import RULES, SECURITY_GROUP
from tenuto.providers.aws.types.ec2_subnet import SUBNET
from tenuto.providers.aws.types.ec2_volume import EBS_VOLUME, VOLUME_ATTACHMENT
from tenuto.providers.aws.types.ec2_vpc import VPC
from tenuto.providers.aws.types.iam_instance_profile import INSTANCE_PROFILE
from tenuto.providers.aws.types.iam_policy import MANAGED_POLICY, ROLE_POLICY
from tenuto.providers.aws.types.iam_role import ROLE
from tenuto.providers.aws.types.logs_group import LOG_GROUP
from tenuto.providers.aws.types.s3_bucket import BUCKET, BUCKET_POLICY
from tenuto.providers.aws.types.sns_topic import SNS_SUBSCRIPTION, SNS_TOPIC
from tenuto.providers.aws.types.sqs_queue import QUEUE
from tenuto.providers.aws.types.ssm_parameter import PARAMETER

BLOCKS: dict[TypeName, AwsType] = {
    kind.facts.name: kind
    for kind in (
        VPC,
        SUBNET,
        INTERNET_GATEWAY,
        GATEWAY_ATTACHMENT,
        ROUTE_TABLE,
        ROUTE,
        ROUTE_TABLE_ASSOCIATION,
        SECURITY_GROUP,
        *RULES,
        EIP,
        EIP_ASSOCIATION,
        NAT_GATEWAY,
        NETWORK_ACL,
        NETWORK_ACL_ENTRY,
        NETWORK_ACL_ASSOCIATION,
        INSTANCE,
        NODE,
        KEY_PAIR,
        ROLE,
        ROLE_POLICY,
        MANAGED_POLICY,
        INSTANCE_PROFILE,
        BUCKET,
        BUCKET_POLICY,
        EBS_VOLUME,
        VOLUME_ATTACHMENT,
        QUEUE,
        SNS_TOPIC,
        SNS_SUBSCRIPTION,
        PARAMETER,
        LOG_GROUP,
        TABLE,
    )
}


def _with_refusals(kind: AwsType) -> ResourceType:
    """The facts of a type with what it cannot hold. How AWS treats that is nobody's concern: it is never declared."""
    facts, refused = kind.facts, kind.unsupported
    return replace(
        facts, refused=refused, create_only=facts.create_only - refused, write_only=facts.write_only - refused
    )


CATALOGUE = OpenTypes(BLOCKS, cloud_control.kind_of, cloud_control.names)
FACTS = OpenTypes(
    {name: _with_refusals(kind) for name, kind in BLOCKS.items()},
    lambda name: CATALOGUE[name].facts if name in CATALOGUE else None,
    cloud_control.names,
)
"""The facts of each type for planner and compiler."""


def kinds_of(source: str) -> list[AwsType]:
    """The types that a sweep of a source shows. A type that is seen alone has a source of its own name."""
    alone = CATALOGUE.get(TypeName(source))
    if alone is not None and alone.source.name == source:
        return [alone]
    return [kind for kind in BLOCKS.values() if kind.source.name == source]
