"""Every property that names another thing says whether AWS takes it in several spellings, or in one.

The properties are read off the published schemas, so that a new type, and a new property of an old one, must be put
into one of the two lists: the block's own (`compare_as`), or the one below.
"""

import re
from collections.abc import Iterator, Mapping

import pytest

from tenuto.compositions.checks.schema import AwsSchemas, follow
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import JsonMap
from tenuto.providers.aws.kind import AwsType
from tenuto_testing.cloud.served import SERVED

# AWS publishes no schema of a node.
CATALOGUE = {name: kind for name, kind in SERVED.items() if name != CLOUD_NODE}
KINDS = [pytest.param(kind, id=name) for name, kind in CATALOGUE.items()]
LOOKS_LIKE_A_NAME = re.compile(
    r"(?:Ids?|ID|Arns?|Names?|Roles?|Buckets?|Topic|Queue|Function|Profile|Group|Groups|Endpoint|GroupSet|Zone|EIP|Key)"
)
"""The endings of properties that may name another thing."""
ONE_SPELLING: Mapping[str, str] = {
    "ids of EC2, which takes no ARN where it takes them": """
        AllocationId CarrierGatewayId DestinationPrefixListId DestinationSecurityGroupId EgressOnlyInternetGatewayId
        GatewayId GroupId GroupSet HostId ImageId InstanceId InternetGatewayId Ipv4IpamPoolId Ipv6IpamPoolId IpamPoolId
        KernelId LocalGatewayId NatGatewayId NetworkAclId NetworkInterfaceId RamdiskId RouteTableId
        SecondaryAllocationIds SecurityGroupIds SnapshotId SourcePrefixListId SourceSecurityGroupId SubnetId
        TransitGatewayId VolumeId VpcEndpointId VpcId VpcPeeringConnectionId VpnGatewayId LaunchTemplateId
        AvailabilityZoneId""",
    "ARNs alone": """
        CoreNetworkArn HostResourceGroupArn LicenseConfigurationArn ManagedPolicyArns OutpostArn SubscriptionRoleArn
        StreamArn TopicArn deadLetterTargetArn LambdaConfigurations.Function QueueConfigurations.Queue
        TopicConfigurations.Topic ReplicationConfiguration.Role Destination.Bucket Destination.BucketArn
        MetricsConfigurations.AccessPointArn DeliveryStatusLogging.FailureFeedbackRoleArn
        DeliveryStatusLogging.SuccessFeedbackRoleArn""",
    "names alone": """
        AvailabilityZone KeyName PlacementGroupName SecurityGroups LaunchTemplateName DestinationBucketName RoleName
        ManagedPolicy:Groups ManagedPolicy:Roles InstanceProfile:Roles BucketPolicy:Bucket SourceSecurityGroupName
        SecurityGroupIngress:GroupName NetworkBorderGroup SsmAssociations.DocumentName""",
    "an address, which has one spelling": "EIP",
    "accounts by their numbers": "SourceSecurityGroupOwnerId Destination.BucketAccountId",
    "an endpoint of any kind, which SNS keeps as it is": "Subscription:Endpoint Subscription.Endpoint",
    "the name of the thing itself": """
        BucketName GroupName InstanceProfileName LogGroupName ManagedPolicyName PolicyName QueueName Parameter:Name
        TableName TopicName""",
    "names of parts of the thing itself": """
        AttributeName DeviceName DisplayName IndexName VirtualName Rules.Name Rules.Id CorsRules.Id HostName
        TagFilters.Key TagFilter.Key AssociationParameters.Key AnalyticsConfigurations.Id InventoryConfigurations.Id
        MetricsConfigurations.Id IntelligentTieringConfigurations.Id""",
}
"""Why AWS takes a property in one spelling: by its last word, its last two, or its type and its path."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_property_that_names_another_thing_has_its_rule_or_takes_one_spelling(kind: AwsType) -> None:
    single = {word for words in ONE_SPELLING.values() for word in words.split()}
    unsettled = [path for path in names_in(kind) if path not in kind.facts.namings and not _keys(kind, path) & single]
    assert unsettled == [], "declare how it is named in the block, or say in ONE_SPELLING why it has one spelling"


def test_no_entry_of_the_list_is_of_a_property_that_is_gone() -> None:
    used = {key for kind in CATALOGUE.values() for path in names_in(kind) for key in _keys(kind, path)}
    assert {word for words in ONE_SPELLING.values() for word in words.split()} - used == set()


@pytest.mark.parametrize("kind", KINDS)
def test_every_naming_and_synonym_is_of_a_property_that_there_is(kind: AwsType) -> None:
    known = set(texts_in(kind))
    top = {path.partition(".")[0] for path in known}
    assert set(kind.facts.namings) <= known
    assert {path for group in kind.facts.synonyms for path in group} <= top
    assert all(len(group) > 1 for group in kind.facts.synonyms)


@pytest.mark.parametrize("kind", KINDS)
def test_every_property_of_a_key_of_kms_takes_its_id_its_arn_and_its_alias(kind: AwsType) -> None:
    of_keys = {path for path in texts_in(kind) if re.search(r"Kms\w*Key\w*I[dD]|KMS\w*Key\w*I[dD]", path)}
    assert {path for path, naming in kind.facts.namings.items() if naming.pointer == "alias/"} == of_keys


def _keys(kind: AwsType, path: str) -> set[str]:
    """The words by which the list may call a property."""
    words = path.split(".")
    short = kind.facts.name.rpartition("::")[2]
    return {words[-1], ".".join(words[-2:]), f"{short}:{path}"}


def names_in(kind: AwsType) -> list[str]:
    """The properties of texts that may name another thing."""
    return [path for path in texts_in(kind) if re.search(rf"{LOOKS_LIKE_A_NAME.pattern}$", path)]


def texts_in(kind: AwsType) -> list[str]:
    """The paths of all texts that can be declared of a type, in its published schema."""
    schema = AwsSchemas("us-east-1").find(kind.facts.name)
    assert schema is not None
    found = dict.fromkeys(_texts(schema.document, schema.document, ""))
    hidden = (*schema.read_only, *kind.facts.refused, "Tags")
    return [path for path in found if not any(path == one or path.startswith(f"{one}.") for one in hidden)]


def _texts(node: JsonMap, document: JsonMap, path: str) -> Iterator[str]:
    rule = follow(node, document)
    for word in ("oneOf", "anyOf", "allOf"):
        for one in rule.get(word, ()):
            if isinstance(one, Mapping):
                yield from _texts(one, document, path)
    if isinstance(rule.get("properties"), Mapping):
        for name, one in rule["properties"].items():
            yield from _texts(one, document, f"{path}.{name}" if path else name)
    elif "items" in rule:
        yield from _texts(rule["items"], document, path)
    elif path and rule.get("type") == "string" and "enum" not in rule:
        yield path
