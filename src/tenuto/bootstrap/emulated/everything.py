"""The list of all that is added to moto."""

from tenuto.bootstrap.emulated import (
    apigateway,
    applicationautoscaling,
    autoscaling,
    cloudwatch,
    codebuild,
    codecommit,
    codepipeline,
    cognitoidentity,
    cognitoidp,
    kinesis,
    lambda_functions,
    lambdas,
    s3,
)

_SERVICES = (
    apigateway,
    applicationautoscaling,
    autoscaling,
    cloudwatch,
    codebuild,
    codecommit,
    codepipeline,
    cognitoidentity,
    cognitoidp,
    kinesis,
    lambda_functions,
    lambdas,
    s3,
)


def add_everything() -> None:
    """Add it, in this process."""
    for service in _SERVICES:
        service.add()
