"""A URL of an alias of a function: the alias is declared in the ARN, as SAM does, or beside the name."""

from typing import Any

import botocore.session
import pytest
from block_examples import BenchOf

from tenuto.model.ids import Json, LogicalId, Partition, TypeName
from tenuto_testing.provider_conformance import Example

ROLE, FUNCTION, VERSION, ALIAS, URL = map(LogicalId, ("Role", "Fn", "Version", "Live", "Url"))
TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"},
    ],
}


def example(name: LogicalId, kind: str, **properties: Json) -> Example:
    return Example(name=name, type=TypeName(kind), properties=properties, drift={}, copies=False)


NEEDS = (
    example(ROLE, "AWS::IAM::Role", AssumeRolePolicyDocument=TRUST),
    example(
        FUNCTION,
        "AWS::Lambda::Function",
        FunctionName="shop",
        Role={"Fn::GetAtt": [ROLE, "Arn"]},
        Runtime="python3.12",
        Handler="index.run",
        Code={"ZipFile": "def run(event, context): pass"},
    ),
    example(VERSION, "AWS::Lambda::Version", FunctionName={"Ref": FUNCTION}),
    example(
        ALIAS,
        "AWS::Lambda::Alias",
        FunctionName={"Ref": FUNCTION},
        FunctionVersion={"Fn::GetAtt": [VERSION, "Version"]},
        Name="live",
    ),
)


@pytest.mark.parametrize(
    "target",
    [
        {"TargetFunctionArn": {"Ref": ALIAS}},
        {"TargetFunctionArn": {"Ref": FUNCTION}, "Qualifier": "live"},
        {"TargetFunctionArn": {"Fn::GetAtt": [FUNCTION, "Arn"]}, "Qualifier": "live"},
    ],
    ids=["in the ARN", "beside the name", "beside the ARN"],
)
def test_the_url_of_an_alias_is_as_declared_and_goes_with_its_process(
    target: dict[str, Json], bench_of: BenchOf, session: botocore.session.Session, partition: Partition
) -> None:
    told: list[dict[str, Any]] = []
    client: Any = session.create_client("lambda", region_name=partition.region)
    session.get_component("event_emitter").register(
        "before-parameter-build.lambda.CreateFunctionUrlConfig", lambda params, **_: told.append(params)
    )
    with bench_of((*NEEDS, example(URL, "AWS::Lambda::Url", AuthType="AWS_IAM", **target))) as bench:
        bench.make_all()
        made = bench.requests[URL]
        assert bench.differing(made, bench.ready(made)) == ()
        assert client.get_function_url_config(FunctionName="shop")["AuthType"] == "AWS_IAM"
        bench.remove(made)
        with pytest.raises(client.exceptions.ResourceNotFoundException):
            client.get_function_url_config(FunctionName="shop")
    # The emulator takes no notice of an alias.
    assert [(one["FunctionName"], one["Qualifier"]) for one in told] == [("shop", "live")]
