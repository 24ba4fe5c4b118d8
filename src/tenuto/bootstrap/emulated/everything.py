"""The list of all that is added to moto."""

from tenuto.bootstrap.emulated import (
    applicationautoscaling,
    autoscaling,
    codebuild,
    codecommit,
    codepipeline,
    cognitoidentity,
    cognitoidp,
    elasticache,
    kinesis,
    wafv2,
)

_SERVICES = (
    applicationautoscaling,
    autoscaling,
    codebuild,
    codecommit,
    codepipeline,
    cognitoidentity,
    cognitoidp,
    elasticache,
    kinesis,
    wafv2,
)


def add_everything() -> None:
    """Add it, in this process."""
    for service in _SERVICES:
        service.add()
