"""The list of all that is added to moto."""

from tenuto.bootstrap.emulated import (
    applicationautoscaling,
    autoscaling,
    cloudwatch,
    codebuild,
    codecommit,
    codepipeline,
    cognitoidentity,
    cognitoidp,
    kinesis,
    lambdas,
    s3,
)

_SERVICES = (
    applicationautoscaling,
    autoscaling,
    cloudwatch,
    codebuild,
    codecommit,
    codepipeline,
    cognitoidentity,
    cognitoidp,
    kinesis,
    lambdas,
    s3,
)


def add_everything() -> None:
    """Add it, in this process."""
    for service in _SERVICES:
        service.add()
