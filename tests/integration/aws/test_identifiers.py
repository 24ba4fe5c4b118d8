"""`Ref` and `Fn::GetAtt` of every managed type answer what its published schema promises.

The schema names the identifier (`primaryIdentifier`), which is what `Ref` gives, and the attributes. One of each type
is made in the strict cloud, and what it answers is held against both. Whatever is different is listed here, with its
reason.
"""

from collections.abc import Iterator, Mapping

import pytest
from aws_examples import EXAMPLES

from tenuto.compositions.checks.schema import AwsSchemas, TypeSchema
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import Partition
from tenuto.model.observation import ObservedItem
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.clock import VirtualClock
from tenuto_testing.cloud import BOUNDLESS, Cloud, InProcessSession
from tenuto_testing.cloud.served import SERVED
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_bench import Bench, ProviderCase

REGION = "us-east-1"
PUBLISHED = sorted(SERVED.keys() - {CLOUD_NODE})
"""The types whose schemas AWS publishes."""
NOT_THE_IDENTIFIER: Mapping[str, str] = {
    "AWS::EC2::EIP": "PublicIp",
    # The documentation of the type says so, although its identifier has both: Ref is the address alone.
}
"""Types of which `Ref` is this attribute instead of the identifier."""
BY_DECLARATION = {"AWS::EC2::SecurityGroup": "GroupName where no VpcId is declared (tests of group references)"}
"""Types of which `Ref` also depends on what is declared: the compiler writes down which one is meant."""
UNANSWERED: Mapping[str, str] = {
    "AWS::EC2::VPC VpcEncryptionControl": "the property is refused",
    "AWS::S3::Bucket MetadataConfiguration": "the property is refused",
    "AWS::S3::Bucket MetadataTableConfiguration": "the property is refused",
}
"""Attributes that the schema has and that nobody answers, and why."""
AT_TIMES: Mapping[str, str] = {
    "AWS::DynamoDB::Table StreamArn": "of a table with a stream",
    "AWS::EC2::NatGateway AutoProvisionZones": "of a regional gateway",
    "AWS::EC2::NatGateway AutoScalingIps": "of a regional gateway",
    "AWS::EC2::NatGateway RouteTableId": "of a regional gateway",
    "AWS::EC2::Subnet BlockPublicAccessStates": "where the account blocks public access",
    "AWS::EC2::VPC Ipv6CidrBlocks": "of a VPC with a block of IPv6",
}
"""Attributes that not every thing of the type has."""
BESIDE: Mapping[str, str] = {
    "AWS::EC2::Instance AvailabilityZone": "declared or chosen, and documented",
    "AWS::EC2::SecurityGroup GroupName": "what Ref stands for where no VpcId is declared",
    "AWS::EC2::SecurityGroup VpcId": "declared or chosen, and documented",
    "AWS::EC2::Subnet AvailabilityZone": "declared or chosen, and documented",
    "AWS::EC2::Subnet AvailabilityZoneId": "declared or chosen, and documented",
    "AWS::EC2::Subnet CidrBlock": "declared or chosen, and documented",
    "AWS::EC2::Subnet OutpostArn": "declared, and documented",
    "AWS::EC2::Subnet VpcId": "declared, and documented",
    "AWS::EC2::VPC CidrBlock": "declared or chosen, and documented",
    "AWS::SNS::Topic TopicName": "declared or generated, and documented",
    "AWS::SQS::Queue QueueName": "declared or generated, and documented",
    "AWS::SSM::Parameter Type": "declared, and documented",
    "AWS::SSM::Parameter Value": "declared, and documented",
}
"""Attributes that the schema does not call read-only: CloudFormation answers with properties, too."""

Made = Mapping[str, tuple[ObservedItem, ...]]


@pytest.fixture(scope="module")
def made() -> Iterator[Made]:
    """What stands for the examples of each type."""
    clock, ops = VirtualClock(), RecordedOps()
    case = ProviderCase(
        provider=AwsProvider(session=InProcessSession(Cloud(clock, quotas=BOUNDLESS)), ops=ops, clock=clock, workers=1),
        partition=Partition(account="default", region=REGION),
        examples=EXAMPLES,
        ids=SeededIds("identifiers"),
        ops=ops,
        wait=clock.advance,
    )
    with Bench(case) as bench:
        items: dict[str, tuple[ObservedItem, ...]] = {}
        for example, request in zip(EXAMPLES, bench.make_all(), strict=True):
            items[example.type] = (*items.get(example.type, ()), bench.settled(request))
        yield items


def schema_of(name: str) -> TypeSchema:
    schema = AwsSchemas(REGION).find(name)
    assert schema is not None
    return schema


@pytest.mark.parametrize("name", PUBLISHED)
def test_ref_is_the_identifier_of_the_schema(made: Made, name: str) -> None:
    identifier = schema_of(name).primary_identifier
    for item in made[name]:
        shown = {**item.properties, **item.attributes}
        wanted = shown[NOT_THE_IDENTIFIER[name]] if name in NOT_THE_IDENTIFIER else _joined(shown, identifier)
        assert item.attributes.get("Ref", item.physical_id) == wanted


def _joined(shown: Mapping[str, object], names: tuple[str, ...]) -> str:
    """An identifier of several properties is written with bars between them."""
    return "|".join(str(shown[name]) for name in names)


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_attribute_of_the_schema_is_promised_and_answered(made: Made, name: str) -> None:
    promised = SERVED[name].facts.attributes
    wanted = {
        attribute
        for attribute in schema_of(name).attributes
        if not any(attribute.startswith(f"{one}.") for one in schema_of(name).attributes)
        and f"{name} {attribute.partition('.')[0]}" not in UNANSWERED
    }
    leaves = {one.partition(".")[0] for one in promised if "." in one}
    assert wanted - promised - leaves == set()
    answered = {attribute for item in made[name] for attribute in item.attributes}
    assert {one for one in wanted - leaves - answered if f"{name} {one}" not in AT_TIMES} == set()


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_is_promised_is_an_attribute_or_a_property_that_is_listed(name: str) -> None:
    schema = schema_of(name)
    for attribute in SERVED[name].facts.attributes - schema.attributes:
        is_leaf = attribute.partition(".")[0] in schema.attributes
        assert is_leaf or (f"{name} {attribute}" in BESIDE and attribute in schema.properties), attribute


def test_no_exception_is_listed_for_what_is_gone() -> None:
    listed = [*NOT_THE_IDENTIFIER, *BY_DECLARATION, *(one.split(" ")[0] for one in (*UNANSWERED, *AT_TIMES, *BESIDE))]
    assert set(listed) <= SERVED.keys()
    for one in (*UNANSWERED, *AT_TIMES, *BESIDE):
        name, attribute = one.split(" ")
        assert attribute in schema_of(name).properties
