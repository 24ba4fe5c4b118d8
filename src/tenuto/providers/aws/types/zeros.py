"""The numbers that are 0 by default, as the pages of AWS say and no schema does.

Theory of operation. A limit of 0 switches a thing off, so a 0 that is declared and not shown is a change. A property
whose absence means 0 is another matter: its service may leave the 0 out. The pages of the properties tell which these
are; where the schema publishes the default, nothing need be here.
"""

from collections.abc import Mapping

_BASE_AND_WEIGHT = ("Base", "Weight")

ZEROS_OF: Mapping[str, tuple[str, ...]] = {
    "AWS::AutoScaling::AutoScalingGroup": ("HealthCheckGracePeriod",),
    "AWS::CodeBuild::Project": ("SecondarySources.GitCloneDepth", "Source.GitCloneDepth"),
    "AWS::EC2::LaunchTemplate": ("LaunchTemplateData.NetworkInterfaces.NetworkCardIndex",),
    "AWS::ECS::Cluster": tuple(f"DefaultCapacityProviderStrategy.{name}" for name in _BASE_AND_WEIGHT),
    "AWS::ECS::ClusterCapacityProviderAssociations": tuple(
        f"DefaultCapacityProviderStrategy.{name}" for name in _BASE_AND_WEIGHT
    ),
    "AWS::ECS::Service": (
        "HealthCheckGracePeriodSeconds",
        *(f"CapacityProviderStrategy.{name}" for name in _BASE_AND_WEIGHT),
    ),
    "AWS::RDS::DBCluster": ("BacktrackWindow", "MonitoringInterval"),
    "AWS::RDS::DBInstance": ("MonitoringInterval",),
    "AWS::SQS::Queue": ("DelaySeconds", "ReceiveMessageWaitTimeSeconds"),
}
"""The paths by type."""
