"""Rules for computing resources: instances, groups of them, containers, functions."""

from collections.abc import Mapping

from tenuto.compositions.cloudformation.property_rules.companions import Companions
from tenuto.compositions.cloudformation.property_rules.conditions import DECLARED, unless, words
from tenuto.compositions.cloudformation.property_rules.fargate import fits_fargate
from tenuto.compositions.cloudformation.property_rules.forms import between, fits, one_of
from tenuto.compositions.cloudformation.property_rules.rule import Rule
from tenuto.compositions.cloudformation.property_rules.schedules import unix_cron
from tenuto.compositions.cloudformation.property_rules.values import Named, Order, Pair, Unique, Value

_ZIP = {"PackageType": unless("zip"), "Code.ImageUri": unless()}
_FARGATE = {"RequiresCompatibilities": words("fargate")}
_ITSELF = "ecs code_deploy"
_RESERVED = (
    *("AWS_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_DEFAULT_REGION", "AWS_EXECUTION_ENV"),
    *("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_VERSION"),
    *("AWS_LAMBDA_INITIALIZATION_TYPE", "AWS_LAMBDA_LOG_GROUP_NAME", "AWS_LAMBDA_LOG_STREAM_NAME"),
    *("AWS_LAMBDA_RUNTIME_API", "AWS_REGION", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
)
"""https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html: the variables that Lambda sets itself."""
_TEXT_RUNTIMES = fits("(?i)(nodejs|python).*", "be one of Node.js or Python")


def _disk(path: str = "") -> tuple[Rule, ...]:
    """A volume of EBS. The type that it has without a declaration may come from the image."""
    return (
        Companions(path=path, when={"VolumeType": words("io1 io2")}, needs=("Iops",)),
        Companions(path=path, when={"VolumeType": words("gp2 st1 sc1 standard")}, excludes=("Iops",)),
    )


RULES: Mapping[str, tuple[Rule, ...]] = {
    "AWS::ApplicationAutoScaling::ScalableTarget": (Order(low="MinCapacity", high="MaxCapacity"),),
    "AWS::ApplicationAutoScaling::ScalingPolicy": (
        Companions(
            when={"PolicyType": words("targettrackingscaling")}, needs=("TargetTrackingScalingPolicyConfiguration",)
        ),
        Companions(when={"PolicyType": words("stepscaling")}, needs=("StepScalingPolicyConfiguration",)),
        Companions(needs_one=("ScalingTargetId", "ResourceId")),
    ),
    "AWS::AutoScaling::AutoScalingGroup": (
        Order(low="MinSize", high="MaxSize"),
        Order(low="MinSize", high="DesiredCapacity"),
        Order(low="DesiredCapacity", high="MaxSize"),
        Companions(
            when={"InstanceId": unless()}, needs_one=("VPCZoneIdentifier", "AvailabilityZones", "AvailabilityZoneIds")
        ),
    ),
    "AWS::AutoScaling::ScalingPolicy": (
        Companions(when={"PolicyType": words("targettrackingscaling")}, needs=("TargetTrackingConfiguration",)),
        Companions(when={"PolicyType": words("stepscaling")}, needs=("AdjustmentType", "StepAdjustments")),
        Companions(when={"PolicyType": unless("simplescaling")}, needs=("AdjustmentType", "ScalingAdjustment")),
        Companions(when={"PolicyType": words("predictivescaling")}, needs=("PredictiveScalingConfiguration",)),
    ),
    "AWS::AutoScaling::ScheduledAction": (
        Order(low="MinSize", high="MaxSize"),
        Value(of="Recurrence", form=unix_cron, hint="Write it as Unix does, such as 0 12 * * 1-5."),
    ),
    "AWS::EC2::Instance": _disk("BlockDeviceMappings.*.Ebs"),
    "AWS::EC2::LaunchTemplate": (
        Value(
            of="LaunchTemplateName",
            form=fits(r"[A-Za-z0-9().\-/_]{3,128}", "have 3 to 128 letters, digits and ( ) . - / _"),
        ),
    ),
    "AWS::EC2::Volume": (
        *_disk(),
        Companions(when={"VolumeType": words("gp2 io1 io2 st1 sc1 standard")}, excludes=("Throughput",)),
        Value(when={"VolumeType": words("st1 sc1")}, of="Size", form=between(125, 16_384)),
    ),
    "AWS::ECS::Service": (
        Companions(
            when={"LaunchType": words("fargate"), "DeploymentController.Type": unless(_ITSELF)},
            needs=("NetworkConfiguration",),
        ),
        Companions(
            when={"LaunchType": words("fargate"), "SchedulingStrategy": words("daemon")},
            excludes=("SchedulingStrategy",),
        ),
        Companions(when={"CapacityProviderStrategy": DECLARED}, excludes=("LaunchType",)),
    ),
    "AWS::ECS::TaskDefinition": (
        Companions(when=_FARGATE, needs=("Cpu", "Memory", "NetworkMode")),
        Pair(when=_FARGATE, one="Memory", other="Cpu", fits=fits_fargate),
        Value(when=_FARGATE, of="NetworkMode", form=one_of("awsvpc")),
        Companions(
            path="ContainerDefinitions.*", given={"Memory": unless()}, needs_one=("Memory", "MemoryReservation")
        ),
        Named(of="ContainerDefinitions.*.MountPoints.*.SourceVolume", among="Volumes.*.Name"),
        Named(of="ContainerDefinitions.*.DependsOn.*.ContainerName", among="ContainerDefinitions.*.Name"),
        Unique(of="ContainerDefinitions.*.Name"),
    ),
    "AWS::EKS::Nodegroup": (
        Order(path="ScalingConfig", low="MinSize", high="MaxSize"),
        Order(path="ScalingConfig", low="MinSize", high="DesiredSize"),
        Order(path="ScalingConfig", low="DesiredSize", high="MaxSize"),
    ),
    "AWS::Lambda::Function": (
        Companions(when=_ZIP, needs=("Handler", "Runtime")),
        Companions(when={"PackageType": words("image")}, excludes=("Handler", "Runtime")),
        Companions(path="Code", when={"S3Bucket": DECLARED}, needs=("S3Key",)),
        Companions(path="Code", when={"S3Key": DECLARED}, needs=("S3Bucket",)),
        Companions(path="Code", when={"ZipFile": DECLARED}, excludes=("S3Bucket", "S3Key", "ImageUri")),
        Companions(path="Environment.Variables", excludes=_RESERVED),
        Value(when={"Code.ZipFile": DECLARED}, of="Runtime", form=_TEXT_RUNTIMES),
    ),
}
