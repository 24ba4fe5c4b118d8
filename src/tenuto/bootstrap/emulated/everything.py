"""The list of all that is added to moto."""

from tenuto.bootstrap.emulated import (
    apigateway,
    applicationautoscaling,
    autoscaling,
    backup,
    cloudfront,
    cloudwatch,
    codebuild,
    codecommit,
    codepipeline,
    cognitoidentity,
    cognitoidp,
    config,
    ec2,
    elasticache,
    kinesis,
    lambda_functions,
    lambda_layers,
    logs,
    rds,
    s3,
    wafv2,
)

_SERVICES = (
    apigateway,
    applicationautoscaling,
    autoscaling,
    backup,
    cloudfront,
    cloudwatch,
    codebuild,
    codecommit,
    codepipeline,
    cognitoidentity,
    cognitoidp,
    config,
    ec2,
    elasticache,
    kinesis,
    lambda_functions,
    lambda_layers,
    logs,
    rds,
    s3,
    wafv2,
)


def add_everything() -> None:
    """Add it, in this process."""
    for service in _SERVICES:
        service.add()
