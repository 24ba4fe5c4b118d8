"""Facts of types without a block: every published schema gives them, and says what is refused."""

import json

import pytest

from tenuto.compositions.checks.schema import HOME_REGION, AwsSchemas
from tenuto.core.planning.equality.retelling import is_as_sent
from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Fid, Json, JsonMap, LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.outcome import Request
from tenuto.model.resource import Comparison, ResourceType, Watch
from tenuto.providers.aws.types import cloud_control
from tenuto.providers.aws.types.catalogue import BLOCKS, CATALOGUE, FACTS, kinds_of
from tenuto.providers.aws.types.cloud_control_facts import facts_of, tagging_of
from tenuto.providers.aws.types.cloud_control_model import (
    SENT,
    changed,
    client_token,
    desired_state,
    fixed_members,
    identifier_of,
    patch_of,
    properties_of,
    sent,
)
from tenuto.providers.aws.types.cloud_control_settled import SETTLED_MEMBERS_OF, SETTLED_OF

SCHEMAS = AwsSchemas(HOME_REGION)
FUNCTION = TypeName("AWS::Lambda::Function")
"""Its schema has members of every kind; the facts here are those that Cloud Control would have."""
CANARY = TypeName("AWS::Synthetics::Canary")


def request(properties: JsonMap, *, observed: JsonMap | None = None, attributes: JsonMap | None = None) -> Request:
    return Request(
        object_id=ObjectId("one"),
        fid=Fid("f"),
        process_name="web",
        logical_id=LogicalId("Fn"),
        type=FUNCTION,
        token="one",
        properties=properties,
        physical_id=PhysicalId("fn"),
        observed=observed,
        attributes=attributes or {},
    )


def function_facts() -> ResourceType:
    schema = SCHEMAS.find(FUNCTION)
    assert schema is not None
    return facts_of(schema)


def test_every_type_with_the_handlers_has_facts_that_contradict_nothing() -> None:
    names = cloud_control.names()
    assert len(names) > 1_500
    for name in names:
        schema = SCHEMAS.find(name)
        assert schema is not None
        facts = facts_of(schema)
        assert facts.name == facts.source == name
        assert facts.watch is Watch.SINGLE
        assert {path.partition(".")[0] for path in facts.create_only | facts.write_only} <= schema.properties
        assert not any("*" in path for path in facts.create_only | facts.write_only)
        tagging = tagging_of(schema)
        assert tagging is None or tagging.property in schema.properties
        assert not facts.named_by or facts.named_by in schema.properties


def test_a_type_with_a_block_keeps_it_and_others_are_found_and_not_listed() -> None:
    queue = TypeName("AWS::SQS::Queue")
    assert CATALOGUE[queue] is BLOCKS[queue]
    assert not FACTS[queue].through
    assert CANARY in FACTS
    assert FACTS[CANARY].through == "Cloud Control"
    assert CANARY not in set(FACTS)
    assert [kind.facts.name for kind in kinds_of(CANARY)] == [CANARY]


@pytest.mark.parametrize("name", ["AWS::Glue::DevEndpoint", "AWS::No::Such", "Simulated::Network"])
def test_a_type_without_handlers_or_without_a_schema_is_not_managed(name: str) -> None:
    assert TypeName(name) not in CATALOGUE


def test_members_that_are_never_shown_are_hidden_and_lists_without_order_are_sets() -> None:
    facts = function_facts()
    assert "Code.ZipFile" in facts.hidden
    assert facts.hides_some_of(["Code"])
    assert not facts.hides_some_of(["Handler"])
    assert facts.compare_as["Tags"] is Comparison.SET
    assert facts.named_by == "FunctionName"
    assert not FACTS[TypeName("AWS::AppSync::ApiKey")].named_by


def test_tags_have_the_shape_of_their_type() -> None:
    api, function = TypeName("AWS::ApiGatewayV2::Api"), request({"Tags": [{"Key": "a", "Value": "b"}]})
    for name, given in ((api, {"Tags": {"a": "b"}}), (FUNCTION, {"Tags": [{"Key": "a", "Value": "b"}]})):
        schema = SCHEMAS.find(name)
        assert schema is not None
        tags = desired_state(request(given), tagging_of(schema))["Tags"]
        keys = set(tags) if isinstance(tags, dict) else {tag["Key"] for tag in tags}
        assert keys == {"a", "tenuto:object", "tenuto:process", "tenuto:resource"}
    assert desired_state(function, None) == function.properties


@pytest.mark.parametrize("name", ["AWS::MediaConvert::Queue", "AWS::MWAA::Environment", "AWS::MediaLive::Input"])
def test_tags_that_may_be_declared_as_their_text_are_a_mapping(name: str) -> None:
    schema = SCHEMAS.find(name)
    assert schema is not None
    tagging = tagging_of(schema)
    assert tagging is not None
    assert tagging.is_mapping
    assert facts_of(schema).when_absent == {"Tags": {}}


def test_what_aws_settles_itself_cannot_be_declared() -> None:
    schema = SCHEMAS.find(FUNCTION)
    assert schema is not None
    model = {"Arn": "arn", "FunctionName": "fn", "SnapStartResponse": {"ApplyOn": "None"}}
    assert properties_of(model, schema) == {"FunctionName": "fn"}
    assert identifier_of(request({"FunctionName": "fn"}), schema) == "fn"
    assert identifier_of(request({}), schema) == ""


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("AWS::EKS::Cluster", "Version"),
        ("AWS::EKS::Nodegroup", "Version"),
        ("AWS::MSK::Cluster", "KafkaVersion"),
        ("AWS::MemoryDB::Cluster", "EngineVersion"),
    ],
)
def test_a_version_that_the_service_raised_is_not_asked_back(name: str, path: str) -> None:
    schema = SCHEMAS.find(name)
    assert schema is not None
    rules = facts_of(schema).compare_as
    assert means_same("1.29", "1.31", rules, path)
    assert not means_same("1.32", "1.31", rules, path)


OPTION, OTHER_OPTION = "rest.action.multi.allow_explicit_index", "override_main_response_version"
FEATURE = {"Name": "EKS_RUNTIME_MONITORING", "Status": "ENABLED"}
ADDON = {"Name": "EKS_ADDON_MANAGEMENT", "Status": "ENABLED"}


@pytest.mark.parametrize(
    ("name", "path", "sent", "shown", "other"),
    [
        (
            f"AWS::{service}::Domain",
            "AdvancedOptions",
            {OPTION: "true"},
            {OPTION: "true", OTHER_OPTION: "false"},
            {OPTION: "false", OTHER_OPTION: "false"},
        )
        for service in ("OpenSearchService", "Elasticsearch")
    ]
    + [
        (
            "AWS::GuardDuty::Detector",
            "Features",
            [{**FEATURE, "AdditionalConfiguration": [ADDON]}],
            [{"Name": "S3_DATA_EVENTS", "Status": "DISABLED"}, {**FEATURE, "AdditionalConfiguration": [{}, ADDON]}],
            [{**FEATURE, "AdditionalConfiguration": [{**ADDON, "Status": "DISABLED"}]}],
        )
    ],
)
def test_settings_that_a_service_adds_are_no_difference(
    name: str, path: str, sent: Json, shown: Json, other: Json
) -> None:
    facts = CATALOGUE[TypeName(name)].facts
    assert is_as_sent(sent, shown, facts, path)
    assert not is_as_sent(sent, other, facts, path)


def test_a_property_is_due_when_it_was_never_sent_so_or_cannot_be_what_was_sent() -> None:
    facts = function_facts()
    wish: JsonMap = {"Code": {"ZipFile": "x"}, "Handler": "a.b", "Architectures": ["one", "two"]}
    shown: JsonMap = {"Code": {}, "Handler": "A.B", "Architectures": ["two", "one"], "Tags": []}
    known = {SENT: sent(request(wish))}
    assert changed(request(wish, observed=shown, attributes=known), facts) == []
    other: JsonMap = {**wish, "Code": {"ZipFile": "y"}, "Architectures": ["two", "three"]}
    assert changed(request(other, observed=shown, attributes=known), facts) == ["Architectures", "Code"]
    sorted_anew: JsonMap = {**wish, "Architectures": ["two", "one"]}
    assert changed(
        request(sorted_anew, observed={**shown, "Architectures": ["one", "two"]}, attributes=known), facts
    ) == ["Architectures"]
    drifted = {**shown, "Handler": "evil", "Tags": [{"Key": "new", "Value": ""}]}
    assert changed(request(wish, observed=drifted, attributes=known), facts) == ["Handler", "Tags"]


def test_nothing_hidden_is_sent_to_what_was_adopted() -> None:
    wish: JsonMap = {"Code": {"ZipFile": "x"}, "Handler": "a.b"}
    assert changed(request(wish, observed={"Code": {}, "Handler": "a.b"}), function_facts()) == []


def test_a_client_token_is_the_same_for_one_act_and_another_one_after_a_failure() -> None:
    one = request({})
    assert client_token(one, "create", 0) == client_token(one, "create", 0)
    assert len({client_token(one, verb, tries) for verb in ("create", "update") for tries in (0, 1)}) == 4


def test_a_list_of_which_no_member_shows_anything_is_hidden_as_a_whole() -> None:
    schema = SCHEMAS.find("AWS::ElasticBeanstalk::Environment")
    assert schema is not None
    assert "OptionSettings" in facts_of(schema).write_only


def test_only_values_that_a_service_takes_are_given_back_as_defaults() -> None:
    told = {}
    for name in ("AWS::GlobalAccelerator::Accelerator", "AWS::IVS::Channel", "AWS::Connect::EvaluationForm"):
        schema = SCHEMAS.find(name)
        assert schema is not None
        told[name.split("::")[1]] = facts_of(schema).defaults
    assert told["GlobalAccelerator"] == {"Enabled": True, "FlowLogsEnabled": False, "IpAddressType": "IPV4"}
    assert "Name" not in told["IVS"]
    assert told["Connect"] == {}


def test_a_patch_says_nothing_of_members_that_no_update_changes() -> None:
    schema = SCHEMAS.find("AWS::MSK::Cluster")
    assert schema is not None
    wish: JsonMap = {"BrokerNodeGroupInfo": {"ClientSubnets": ["a"], "InstanceType": "kafka.m5.xlarge"}}
    shown = {"ClientSubnets": ["a"], "InstanceType": "kafka.m5.large", "BrokerAZDistribution": "DEFAULT"}
    asked = request(wish, observed={"BrokerNodeGroupInfo": shown})
    assert json.loads(patch_of(asked, ["BrokerNodeGroupInfo"], None, fixed=fixed_members(schema))) == [
        {"op": "add", "path": "/BrokerNodeGroupInfo/InstanceType", "value": "kafka.m5.xlarge"}
    ]


def test_a_global_table_keeps_its_keys_and_the_types_of_their_attributes() -> None:
    schema = SCHEMAS.find(TypeName("AWS::DynamoDB::GlobalTable"))
    assert schema is not None
    facts = facts_of(schema)
    assert {"KeySchema", "LocalSecondaryIndexes", "TableName"} <= facts.create_only
    assert facts.settled_members["AttributeDefinitions"].named_in == (
        "KeySchema.AttributeName",
        "LocalSecondaryIndexes.KeySchema.AttributeName",
        "GlobalSecondaryIndexes.KeySchema.AttributeName",
    )


def test_the_facts_about_settled_values_are_about_types_and_properties_that_exist() -> None:
    for name in (*SETTLED_OF, *SETTLED_MEMBERS_OF):
        schema = SCHEMAS.find(name)
        assert schema is not None
        told = SETTLED_OF.get(name, frozenset()) | SETTLED_MEMBERS_OF.get(name, {}).keys()
        assert told <= schema.properties
