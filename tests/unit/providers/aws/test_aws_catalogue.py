"""Every block of a type is well formed: what it says of properties agrees with the published schema."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import botocore.session
import pytest

from tenuto.compositions.checks.schema import AwsSchemas, follow
from tenuto.model.cdk_types import CDK_TYPES
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.serverless_application import APPLICATION
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.naming import INSTANCE_PROFILE, KMS_KEY
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto_testing.cloud.served import SERVED

KINDS = [pytest.param(kind, id=name) for name, kind in CATALOGUE.items()]
_OWN = {APPLICATION, CLOUD_NODE, *CDK_TYPES}
PUBLISHED = [pytest.param(kind, id=name) for name, kind in CATALOGUE.items() if name not in _OWN]
"""The types whose schemas AWS publishes."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_type_is_named_as_it_is_listed_and_can_be_deleted(kind: AwsType) -> None:
    assert CATALOGUE[kind.facts.name] is kind
    assert kind.facts.source == kind.source.name
    assert (kind.delete is None) != (kind.delete_all is None)


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_ways_of_finding_it_again_are_given(kind: AwsType) -> None:
    assert not (kind.find_filters and kind.find_name)


@pytest.mark.parametrize("kind", KINDS)
def test_a_duplicate_is_waited_for_only_where_a_sweep_can_show_it(kind: AwsType) -> None:
    """What has no mark and is seen only where it is asked for would be waited for a minute, and nothing would come."""
    assert not kind.facts.makes_two or kind.source.shows_all or kind.source.can_show_all


IN_PLACE: Mapping[str, str] = {
    "AWS::Batch::ComputeEnvironment": "Tags",
    "AWS::EC2::InstanceConnectEndpoint": "PreserveClientIp SecurityGroupIds",
    "AWS::EC2::KeyPair": "Tags",
    "AWS::EC2::PlacementGroup": "Tags",
    "AWS::EC2::TransitGatewayRoute": "Blackhole TransitGatewayAttachmentId",
    "AWS::EC2::TransitGatewayVpcAttachment": "SubnetIds",
    "AWS::Kinesis::StreamConsumer": "Tags",
    "AWS::Lambda::Version": "ProvisionedConcurrencyConfig",
}
"""The properties that a call changes, although the schema says that none does."""


@pytest.mark.parametrize("kind", PUBLISHED)
def test_what_the_schema_says_of_whole_properties_is_a_fact_of_the_type(kind: AwsType) -> None:
    """With a few exceptions: calls change what the schema says that none does, and no refused one is declared."""
    schema = AwsSchemas("us-east-1").find(kind.facts.name)
    assert schema is not None
    create_only = {name for name in schema.create_only if "." not in name} - kind.facts.refused.keys()
    assert create_only - kind.facts.create_only == {*IN_PLACE.get(kind.facts.name, "").split()}
    answered = {part for name in kind.facts.attributes for part in (name, name.partition(".")[0])}
    assert {name for name in schema.attributes if "." not in name} <= answered
    assert kind.facts.required == schema.required


@pytest.mark.parametrize("kind", PUBLISHED)
def test_what_is_said_beside_the_schema_is_a_property_of_the_type(kind: AwsType) -> None:
    """A spelling that no schema has would say nothing."""
    schema = AwsSchemas("us-east-1").find(kind.facts.name)
    assert schema is not None
    said = {path.partition(".")[0] for path in kind.facts.create_only | kind.facts.write_only}
    assert said <= schema.properties


def test_the_reference_page_lists_every_type_of_the_strict_cloud_as_it_is() -> None:
    assert rows_of("Types") == [_row(SERVED[name]) for name in sorted(SERVED)]


def test_the_reference_page_lists_every_property_that_takes_several_names_of_one_thing() -> None:
    spelled = {KMS_KEY.thing: "id, ARN, alias, ARN of an alias", INSTANCE_PROFILE.thing: "name, ARN"}
    assert rows_of("Names of one thing") == [
        f"| `{name}` `{path}` | {naming.thing} | {spelled[naming.thing]} |"
        for name in sorted(SERVED)
        for path, naming in sorted(SERVED[name].facts.namings.items())
    ]


def test_the_reference_page_lists_every_property_that_an_import_leaves_out() -> None:
    told = {
        row.split("|")[1].strip(" `"): set(re.findall(r"`([\w.]+)`", row.split("|")[2]))
        for row in rows_of("What an import leaves out")
    }
    assert told.keys() == {name for name, kind in SERVED.items() if kind.facts.unsaid}
    for name, words in told.items():
        assert words == {
            word for one in SERVED[name].facts.unsaid for word in (*one.names, *([one.beside] if one.beside else []))
        }


def test_the_reference_page_lists_every_type_that_bears_data() -> None:
    listed = re.findall(r"`(AWS::[\w:]+|Cloud\.Node)`", section("What bears data"))
    assert listed == sorted(name for name, kind in SERVED.items() if kind.facts.bears_data)


HANDED_ON = {
    "AWS::DynamoDB::Table": {
        "dynamodb CreateTable": "AttributeDefinitions GlobalSecondaryIndexes KeySchema LocalSecondaryIndexes "
        "ProvisionedThroughput SSESpecification StreamSpecification",
        "dynamodb UpdateContinuousBackups": "PointInTimeRecoverySpecification",
        "dynamodb UpdateTimeToLive": "TimeToLiveSpecification",
    },
    "AWS::EC2::Instance": {
        "ec2 RunInstances": "BlockDeviceMappings CpuOptions CreditSpecification EnclaveOptions HibernationOptions "
        "LaunchTemplate LicenseSpecifications MetadataOptions NetworkInterfaces PrivateDnsNameOptions",
    },
    "AWS::EC2::NetworkAclEntry": {"ec2 CreateNetworkAclEntry": "PortRange"},
}
"""The nested properties that go to a call much as they are declared."""
RENAMED = {"CreditSpecification.CPUCredits", "NetworkInterfaces.GroupSet", "SSESpecification.SSEEnabled"}
APART = {"GlobalSecondaryIndexes.ContributorInsightsSpecification", "StreamSpecification.ResourcePolicy"}
"""Members that have calls of their own."""


@pytest.mark.parametrize("name", HANDED_ON)
def test_every_nested_member_that_a_call_does_not_take_is_refused(name: str) -> None:
    """An update of cfn-lint or botocore that brings a member is noticed here."""
    kind, session = CATALOGUE[TypeName(name)], botocore.session.get_session()
    schema = AwsSchemas("us-east-1").find(name)
    assert schema is not None
    unknown: set[str] = set()
    for call, properties in HANDED_ON[name].items():
        service, operation = call.split()
        shape = session.get_service_model(service).operation_model(operation).input_shape
        for one in properties.split():
            unknown.update(_unknown(schema.document["properties"][one], schema.document, shape.members[one], (one,)))
    nested = {path for path in kind.facts.refused if "." in path}
    assert unknown - RENAMED - APART == nested


def _unknown(rule: JsonMap, document: JsonMap, shape: Any, path: tuple[str, ...]) -> Iterator[str]:
    """The members of a schema that a shape does not have."""
    rule = follow(rule, document)
    if shape.type_name == "list":
        yield from _unknown(rule.get("items", {}), document, shape.member, path)
    elif shape.type_name == "structure":
        for name, member in rule.get("properties", {}).items():
            if name not in shape.members:
                yield ".".join((*path, name))
            else:
                yield from _unknown(member, document, shape.members[name], (*path, name))


def test_what_a_type_refuses_is_a_property_of_it() -> None:
    """A spelling that no schema has would refuse nothing, and a refusal without advice leaves people alone."""
    for name, kind in CATALOGUE.items():
        if not kind.facts.refused:
            continue
        schema = AwsSchemas("us-east-1").find(name)
        assert schema is not None
        for path, reason in kind.facts.refused.items():
            assert reason.endswith("."), (name, path)
            node: JsonMap = schema.document
            for part in path.split("."):
                node = follow(node, schema.document)
                node = follow(node["items"], schema.document) if node.get("type") == "array" else node
                assert part in node["properties"], (name, path)
                node = node["properties"][part]


def section(title: str) -> str:
    """The text of the page below a heading."""
    page = Path(__file__).parents[4] / "docs" / "reference" / "aws.md"
    return page.read_text().partition(f"## {title}\n")[2].partition("\n## ")[0]


def rows_of(title: str) -> list[str]:
    return [line for line in section(title).splitlines() if line.startswith(("| `AWS::", "| `Cloud."))]


def _row(kind: AwsType) -> str:
    write_only = ", ".join(sorted(kind.facts.write_only)) or "–"
    unsupported = ", ".join(sorted(kind.facts.refused)) or "–"
    return f"| `{kind.facts.name}` | `{kind.facts.source}` | {write_only} | {unsupported} |"
