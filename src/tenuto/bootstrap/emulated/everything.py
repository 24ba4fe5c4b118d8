"""The list of all that is added to moto."""

from tenuto.bootstrap.emulated import (
    applicationautoscaling,
    autoscaling,
    codebuild,
    codecommit,
    codepipeline,
    kinesis,
    s3,
)

_SERVICES = (
    applicationautoscaling,
    autoscaling,
    codebuild,
    codecommit,
    codepipeline,
    kinesis,
    s3,
)


def add_everything() -> None:
    """Add it, in this process."""
    for service in _SERVICES:
        service.add()
