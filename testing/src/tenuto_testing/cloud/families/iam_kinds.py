"""The kinds of things that IAM has here. Each is known by its name, a policy by its ARN."""

from tenuto_testing.cloud.world import Kind

ROLE = Kind(name="role", prefix="AROA", id_name="RoleName", not_found="NoSuchEntity")
PROFILE = Kind(name="instance-profile", prefix="AIPA", id_name="InstanceProfileName", not_found="NoSuchEntity")
POLICY = Kind(name="policy", prefix="ANPA", id_name="Arn", not_found="NoSuchEntity")
