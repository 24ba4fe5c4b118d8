"""Mappings by names of the user count as a whole, and the structures of a service do not."""

import pytest

from tenuto.core.planning.equality.retelling import is_as_sent
from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import TypeName
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto.providers.aws.types.facts import published
from tenuto.providers.aws.types.schema_places import documents, whole_maps
from tenuto.providers.aws.types.zeros import ZEROS_OF

LAMBDA, STAGE, CANARY = "AWS::Lambda::Function", "AWS::ApiGateway::Stage", "AWS::Synthetics::Canary"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        (LAMBDA, "Environment.Variables"),
        (STAGE, "Variables"),
        ("AWS::ECS::TaskDefinition", "ContainerDefinitions.DockerLabels"),
        # A type without a block.
        (CANARY, "RunConfig.EnvironmentVariables"),
    ],
)
def test_a_mapping_by_names_of_the_user_is_found_however_deep(name: str, path: str) -> None:
    assert path in whole_maps(published(name))
    assert path in CATALOGUE[TypeName(name)].facts.compare_as


def test_the_structures_of_a_service_are_none() -> None:
    assert whole_maps(published("AWS::KMS::Key")) == {}
    assert "AccessLogSetting" not in whole_maps(published(STAGE))


@pytest.mark.parametrize(
    ("name", "path"), [("AWS::SNS::Subscription", "FilterPolicy"), ("AWS::ApiGatewayV2::Model", "Schema")]
)
def test_an_object_of_no_known_members_is_a_document(name: str, path: str) -> None:
    assert path in documents(published(name))
    facts = CATALOGUE[TypeName(name)].facts
    assert not is_as_sent({"a": ["b"]}, {"a": ["b"], "c": ["d"]}, facts, path)
    assert not is_as_sent({"a": ["b"], "c": False}, {"a": ["b"]}, facts, path)
    assert is_as_sent({"a": ["b"]}, '{"a": "b"}', facts, path)


@pytest.mark.parametrize(
    ("name", "path", "may_be_absent"),
    [
        # By the schema of a block, by the pages of AWS, and by the schema of a type without a block.
        ("AWS::ElastiCache::ReplicationGroup", "SnapshotRetentionLimit", True),
        ("AWS::RDS::DBCluster", "MonitoringInterval", True),
        ("AWS::Deadline::Fleet", "MinWorkerCount", True),
        (LAMBDA, "ReservedConcurrentExecutions", False),
        ("AWS::Lambda::EventInvokeConfig", "MaximumRetryAttempts", False),
        ("AWS::ApiGateway::RestApi", "MinimumCompressionSize", False),
    ],
)
def test_a_zero_need_be_shown_unless_it_is_the_default(name: str, path: str, may_be_absent: bool) -> None:
    facts = CATALOGUE[TypeName(name)].facts
    assert is_as_sent(0, None, facts, path) == may_be_absent
    assert is_as_sent("0", None, facts, path) == may_be_absent


@pytest.mark.parametrize(("name", "path"), [(name, path) for name, paths in ZEROS_OF.items() for path in paths])
def test_each_zero_of_the_pages_is_known_to_its_type(name: str, path: str) -> None:
    assert is_as_sent(0, None, CATALOGUE[TypeName(name)].facts, path)


def test_a_document_of_which_a_block_knows_members_is_compared_by_them() -> None:
    facts = CATALOGUE[TypeName("AWS::SQS::Queue")].facts
    assert is_as_sent({"redrivePermission": "allowAll"}, None, facts, "RedriveAllowPolicy")


@pytest.mark.parametrize(("name", "top"), [(LAMBDA, "Environment"), (CANARY, "RunConfig")])
def test_a_name_that_is_taken_out_is_a_difference(name: str, top: str) -> None:
    rules = CATALOGUE[TypeName(name)].facts.compare_as
    inner = "Variables" if name == LAMBDA else "EnvironmentVariables"
    before, after = {inner: {"LEVEL": "info", "OLD": "1"}}, {inner: {"LEVEL": "info"}}
    assert not means_same(after, before, rules, top)
    assert not means_same(before, after, rules, top)
    assert means_same(before, {inner: {"OLD": 1, "LEVEL": "info"}}, rules, top)
