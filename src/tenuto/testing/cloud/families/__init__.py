"""The handlers of every action that is served, service by service; a family is a kind of resource, or a few of them."""

from collections.abc import Callable, Mapping

from tenuto.testing.cloud.call import Call
from tenuto.testing.cloud.families import (
    ec2_address,
    ec2_gateway,
    ec2_groups,
    ec2_instance,
    ec2_instance_change,
    ec2_interface,
    ec2_keys,
    ec2_nat,
    ec2_network_acl,
    ec2_profile_association,
    ec2_region,
    ec2_route,
    ec2_route_table,
    ec2_rules,
    ec2_subnet,
    ec2_tags,
    ec2_volume,
    ec2_vpc,
    iam_policy,
    iam_profile,
    iam_role,
    s3_access,
    s3_bucket,
    s3_parts,
    ssm,
    sts,
)
from tenuto.testing.cloud.world import Data

HANDLERS: Mapping[str, Mapping[str, Callable[[Call], Data]]] = {
    "ec2": {
        **ec2_address.HANDLERS,
        **ec2_gateway.HANDLERS,
        **ec2_groups.HANDLERS,
        **ec2_instance.HANDLERS,
        **ec2_instance_change.HANDLERS,
        **ec2_interface.HANDLERS,
        **ec2_keys.HANDLERS,
        **ec2_nat.HANDLERS,
        **ec2_network_acl.HANDLERS,
        **ec2_profile_association.HANDLERS,
        **ec2_region.HANDLERS,
        **ec2_route.HANDLERS,
        **ec2_route_table.HANDLERS,
        **ec2_rules.HANDLERS,
        **ec2_subnet.HANDLERS,
        **ec2_tags.HANDLERS,
        **ec2_volume.HANDLERS,
        **ec2_vpc.HANDLERS,
    },
    "iam": {**iam_policy.HANDLERS, **iam_profile.HANDLERS, **iam_role.HANDLERS},
    "s3": {**s3_access.HANDLERS, **s3_bucket.HANDLERS, **s3_parts.HANDLERS},
    "ssm": ssm.HANDLERS,
    "sts": sts.HANDLERS,
}
