"""The list of all that is added to moto."""

from tenuto.bootstrap.emulated import (
    applicationautoscaling,
    autoscaling,
    backup,
    cloudfront,
    cloudwatch,
    codebuild,
    codecommit,
    codepipeline,
    ec2,
    kinesis,
    lambdas,
    logs,
    rds,
)

_SERVICES = (
    applicationautoscaling,
    autoscaling,
    backup,
    cloudfront,
    cloudwatch,
    codebuild,
    codecommit,
    codepipeline,
    ec2,
    kinesis,
    lambdas,
    logs,
    rds,
)


def add_everything() -> None:
    """Add it, in this process."""
    for service in _SERVICES:
        service.add()
