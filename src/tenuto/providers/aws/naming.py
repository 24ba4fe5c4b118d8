"""Properties of AWS that take a name of another thing in more than one spelling.

A block says so with one line for each property (`compare_as={"KmsKeyId": KMS_KEY}`). Of all that the properties of the
managed types refer to, keys of KMS, instance profiles and the roles of CodeBuild alone have several names: ids of EC2,
names of other roles and of buckets, and ARNs of queues, topics and policies are taken in one form only, the one that is
shown.
"""

from dataclasses import replace

from tenuto.model.naming import Naming

KMS_KEY = Naming(
    thing="KMS key",
    qualified=r"(?P<where>arn:[\w-]+:kms:[\w-]*:\d*):(?:key/)?(?P<name>.+)",
    pointer="alias/",
    is_folded=True,
)
"""The naming by id, ARN, alias, or the ARN of an alias. Ids of keys are hexadecimal, so their case tells
no two apart."""

KMS_KEY_IF_SHOWN = replace(KMS_KEY, may_be_hidden=True)

INSTANCE_PROFILE = Naming(
    thing="instance profile",
    qualified=r"(?P<where>arn:[\w-]+:iam::\d*):instance-profile/(?:[^/]+/)*(?P<name>[^/]+)",
)
"""The naming by name or ARN. The path in an ARN tells no two apart: a name is unique in its account."""

ROLE = Naming(thing="role", qualified=r"(?P<where>arn:[\w-]+:iam::\d*):role/(?:[^/]+/)*(?P<name>[^/]+)")
"""The naming by name or ARN, as of a profile."""
