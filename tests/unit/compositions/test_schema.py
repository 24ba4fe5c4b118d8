"""Resource schemas: what is read from them, and what is held against a declaration."""

import subprocess
import sys
from collections.abc import Sequence

import pytest

from tenuto.compositions.checks.provided import ProvidedSchemas, default_schemas
from tenuto.compositions.checks.schema import AwsSchemas, TypeSchema
from tenuto.compositions.checks.schema_check import SchemaCheck
from tenuto.compositions.cloudformation.reading.reader import read
from tenuto.compositions.compile import compile_text
from tenuto.compositions.diagnostics.nodes import Fields, to_json
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.errors import CompileError
from tenuto.model.ids import Json, JsonMap, TypeName


def _check(document: JsonMap, declared: str) -> tuple[Json, list[str]]:
    """The typed value, and the codes of what is wrong with it."""
    problems = Problems("t.yaml", declared)
    node = read(declared, problems)
    assert isinstance(node, Fields)
    schema = TypeSchema(name=TypeName(document.get("typeName", "Test::Type")), document=document)
    value = SchemaCheck(schema, "Properties", problems).check(node, node.position)
    return value, [one.code for one in problems.diagnostics()]


def _published(name: str, region: str = "us-east-1") -> TypeSchema:
    found = AwsSchemas(region).find(name)
    assert found is not None
    return found


def test_a_schema_knows_what_forces_a_replacement_and_what_is_returned() -> None:
    vpc = _published("AWS::EC2::VPC")
    assert "CidrBlock" in vpc.create_only
    assert "VpcId" in vpc.read_only
    assert "Ipv4IpamPoolId" in vpc.write_only
    assert {"DefaultSecurityGroup", "VpcId"} <= vpc.attributes
    assert vpc.primary_identifier == ("VpcId",)
    assert {"GroupDescription"} == _published("AWS::EC2::SecurityGroup").required


def test_a_type_that_does_not_exist_has_no_schema() -> None:
    assert AwsSchemas("us-east-1").find("AWS::EC2::Vpc") is None


def test_an_unknown_region_has_the_types_of_the_home_region() -> None:
    assert _published("AWS::EC2::VPC", "moon-1") == _published("AWS::EC2::VPC")


@pytest.mark.usefixtures("types_without_schemas")
def test_a_type_of_a_provider_without_schemas_may_hold_anything() -> None:
    found = ProvidedSchemas().find("Simulated::Thing")
    assert found is not None
    assert found.has_attribute("Whatever.Is.There")
    assert default_schemas("eu-west-1").find("Simulated::Thing") == found


def test_a_type_of_a_provider_with_schemas_is_checked_against_them() -> None:
    found = default_schemas("eu-west-1").find("Tenuto::Compute::Instance")
    assert found is not None
    assert (found.required, found.has_attribute("Host")) == ({"Vcpus", "MemoryMiB"}, True)
    assert not found.has_attribute("Whatever")
    assert default_schemas("eu-west-1").find("Tenuto::Compute::Machine") is None


def test_names_count_in_any_case_where_cloudformation_takes_them_so() -> None:
    declared = "Resources:\n  L:\n    Type: AWS::EC2::FlowLog\n    Properties:\n"
    declared += (
        "      {ResourceId: vpc-1, ResourceType: VPC, LogDestinationType: s3, LogDestination: 'arn:aws:s3:::logs',"
    )
    declared += " DestinationOptions: {fileFormat: parquet, perHourPartition: no, hiveCompatiblePartitions: true}}\n"
    compiled = compile_text(declared, file="t.yaml", parameters={}, region="us-east-1").composition
    options = compiled.resources[0].properties["DestinationOptions"]
    assert options == {"FileFormat": "parquet", "PerHourPartition": False, "HiveCompatiblePartitions": True}


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("CidrBlock", True),
        ("DefaultSecurityGroup", True),
        ("VpcEncryptionControl.State", True),
        ("Cidr", False),
        ("CidrBlock.First", False),
        ("VpcEncryptionControl.Stat", False),
    ],
)
def test_an_attribute_is_anything_that_the_type_has(name: str, known: bool) -> None:
    assert _published("AWS::EC2::VPC").has_attribute(name) is known


@pytest.mark.parametrize(
    ("kind", "declared", "value"),
    [
        ("string", "5", "5"),
        ("string", "5.10", "5.10"),
        ("string", "true", "true"),
        ("string", "True", "true"),
        ("integer", "'5'", 5),
        ("integer", "5.0", 5),
        ("number", "'0.5'", 0.5),
        ("number", "'1e3'", 1000.0),
        ("boolean", "'true'", True),
        ("boolean", "'False'", False),
        ("boolean", "yes", True),
        ("boolean", "Off", False),
        ("string", "yes", "yes"),
        (["integer", "string"], "5", 5),
        (["object", "string"], "{a: 1}", {"a": 1}),
        ("object", "'{\"a\": 1}'", '{"a": 1}'),
    ],
)
def test_a_value_is_given_the_type_of_its_property(kind: Json, declared: str, value: Json) -> None:
    found, codes = _check({"properties": {"V": {"type": kind}}}, f"V: {declared}")
    assert codes == []
    assert found == {"V": value}
    assert type(found["V"]) is type(value)


@pytest.mark.parametrize(
    ("kind", "declared", "fits"),
    [
        ("AWS::EC2::TransitGatewayRoute", "DestinationCidrBlock: '2001:db8::/32'", True),
        ("AWS::EC2::TransitGatewayRoute", "DestinationCidrBlock: 2001", False),
        ("AWS::EC2::Route", "DestinationCidrBlock: '::/0'", False),
        ("AWS::EC2::SecurityGroupIngress", "CidrIp: '::/0'", False),
        ("AWS::EC2::SecurityGroupIngress", "CidrIpv6: 0.0.0.0/0", False),
        ("AWS::EC2::IPAMPoolCidr", "Cidr: '2001:db8::/32'", True),
        (
            "AWS::Route53::CidrCollection",
            "Locations: [{LocationName: a, CidrList: [10.0.0.0/8, '2001:db8::/48']}]",
            True,
        ),
        ("AWS::Route53::CidrCollection", "Locations: [{LocationName: a, CidrList: [10.0.0.0]}]", False),
    ],
)
def test_an_address_block_is_of_the_family_that_the_service_takes(kind: str, declared: str, fits: bool) -> None:
    _, codes = _check(_published(kind).document, declared)
    assert ("T519" not in codes) is fits


@pytest.mark.parametrize(
    ("rule", "declared", "expected"),
    [
        ({"type": "integer"}, "five", ["T506"]),
        ({"type": "integer"}, "true", ["T506"]),
        ({"type": "boolean"}, "1", ["T506"]),
        ({"type": "object", "properties": {"a": {}}}, "text", ["T506"]),
        ({"type": "array"}, "{a: 1}", ["T506"]),
        ({"type": "array", "minItems": 2}, "[1]", ["T510"]),
        ({"type": "array", "items": {"type": "integer"}}, "[1, x]", ["T506"]),
        ({"type": "string", "enum": ["a", "b"]}, "c", ["T507"]),
        ({"type": "string", "enumCaseInsensitive": ["monday"]}, "Monday", []),
        ({"type": "string", "pattern": "^a+$"}, "b", ["T508"]),
        ({"type": "string", "minLength": 3, "pattern": "^[a-z]{3,9}$"}, "mw", ["T510"]),
        ({"type": "string", "minLength": 3, "pattern": "^[a-z]{3,9}$"}, "''", ["T510"]),
        ({"type": "string", "minLength": 3, "pattern": "^[a-z]{3,9}$"}, "m!", ["T508", "T510"]),
        ({"type": "string", "maxLength": 3, "pattern": "^[a-z]{1,3}$"}, "long", ["T510"]),
        ({"type": "string", "maxLength": 3, "pattern": "^[a-z]{1,3}$"}, "l!ng", ["T508", "T510"]),
        ({"type": "string", "pattern": "^\\p{L}+$"}, "5", []),
        ({"type": "string", "pattern": "[[:alpha:]]"}, "5", []),
        ({"type": "integer", "maximum": 5}, "6", ["T509"]),
        ({"type": "string", "format": "ipv4-network"}, "10.0.0.0", ["T519"]),
        ({"type": "string", "format": "ipv6-network"}, "'2001:db8::/56'", []),
        ({"anyOf": [{"type": "integer"}, {"type": "object"}]}, "text", ["T513"]),
        ({"anyOf": [{"type": "integer"}, {"type": "object"}]}, "'5'", []),
        (
            {"type": "object", "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False},
            "{y: 1}",
            ["T504"],
        ),
        ({"type": "object", "patternProperties": {"^x": {"type": "integer"}}}, "{x1: a}", ["T506"]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "{any: a}", ["T506"]),
        (
            {"type": "object", "properties": {"a": {}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            "{}",
            ["T513"],
        ),
        ({"$ref": "#/definitions/Loop"}, "{Next: {Next: {Wrong: 1}}}", ["T504"]),
    ],
)
def test_what_a_schema_forbids_is_reported(rule: JsonMap, declared: str, expected: Sequence[str]) -> None:
    loop = {"type": "object", "additionalProperties": False, "properties": {"Next": {"$ref": "#/definitions/Loop"}}}
    _, codes = _check({"properties": {"V": rule}, "definitions": {"Loop": loop}}, f"V: {declared}")
    assert codes == expected


@pytest.mark.parametrize(
    ("kind", "declared"),
    [
        ("AWS::SSM::MaintenanceWindow", "Name: mw"),
        ("AWS::SSM::PatchBaseline", "Name: pb"),
        ("AWS::AppRunner::Service", "ServiceName: a"),
    ],
)
def test_a_name_that_is_too_short_has_one_fault(kind: str, declared: str) -> None:
    _, codes = _check(_published(kind).document, declared)
    assert [code for code in codes if code in ("T508", "T510")] == ["T510"]


@pytest.mark.usefixtures("types_without_schemas")
def test_an_open_expression_satisfies_every_scalar_type() -> None:
    text = (
        "Resources:\n  Other: {Type: Simulated::Thing}\n  Rule:\n    Type: AWS::EC2::SecurityGroupIngress\n"
        "    Properties:\n      IpProtocol: tcp\n      FromPort: !GetAtt Other.Port\n      ToPort: !ImportValue port\n"
        "      CidrIp: !Sub '${Other.Ip}/32'\n"
    )
    assert compile_text(text, file="t.yaml", parameters={}, region="eu-west-1").diagnostics == ()


class _OneRegion:
    """A source that knows one type, which is not here."""

    def find(self, name: str) -> TypeSchema | None:
        return None

    def names(self) -> Sequence[str]:
        return ("AWS::Far::Away",)

    def is_elsewhere(self, name: str) -> bool:
        return name == "AWS::Far::Away"


def test_a_type_of_another_region_is_not_called_unknown() -> None:
    text = "Resources:\n  Thing: {Type: AWS::Far::Away}\n"
    with pytest.raises(CompileError) as caught:
        compile_text(text, file="t.yaml", parameters={}, region="eu-west-1", schemas=_OneRegion())
    assert [one.code for one in caught.value.diagnostics] == ["T518"]


def test_one_slip_of_the_pen_is_one_problem() -> None:
    document = {"required": ["Name"], "properties": {"Name": {"type": "string"}}, "additionalProperties": False}
    assert _check(document, "Nmae: a")[1] == ["T504"]


@pytest.mark.parametrize(
    ("name", "declared", "codes"),
    [
        ("AWS::EFS::AccessPoint", "{FileSystemId: fs-01234567, AccessPointTags: [{Value: a}]}", ["T505"]),
        ("AWS::ECS::Cluster", "{Tags: [{Key: a, Value: b}, {Value: a}]}", ["T505"]),
        ("AWS::SQS::Queue", "{Tags: [{Value: a}]}", ["T505"]),
        ("AWS::Glue::Job", "{Tags: {team: web}, Role: r, Command: {}}", []),
    ],
)
def test_a_tag_needs_a_key_also_where_a_schema_does_not_say_so(name: str, declared: str, codes: list[str]) -> None:
    document = dict(_published(name).document)
    assert _check(document, declared)[1] == codes


def test_a_free_form_value_is_left_as_it_is() -> None:
    declared = "V: {a: [1, true, 0.5, text]}"
    value, codes = _check({"properties": {"V": {"type": "object"}}}, declared)
    problems = Problems("t.yaml", declared)
    node = read(declared, problems)
    assert isinstance(node, Fields)
    assert value == to_json(node)
    assert codes == []


def test_importing_the_compiler_reads_neither_yaml_nor_schemas() -> None:
    program = (
        "import sys, tenuto.compositions; print([n for n in sys.modules if n.split('.')[0] in ('ruamel', 'cfnlint')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["Cloud.Node", "Cloud::Node"])
def test_a_node_has_one_type_in_two_spellings_with_free_properties(name: str) -> None:
    found = default_schemas("eu-west-1").find(name)
    assert found is not None
    assert found.name == "Cloud.Node"
    assert found.has_attribute("InstanceId")
    assert found.has_attribute("Whatever")


def test_a_node_is_compiled_to_its_one_type_and_its_own_properties_are_checked() -> None:
    text = "Resources: {N: {Type: 'Cloud::Node', Properties: {Provider: acme, Rack: 7, KeepAlive: 'true'}}}"
    compiled = compile_text(text, file="n.yaml", parameters={}, region="eu-west-1").composition
    assert [(one.type, one.properties) for one in compiled.resources] == [
        ("Cloud.Node", {"Provider": "acme", "Rack": 7, "KeepAlive": True})
    ]
    with pytest.raises(CompileError) as wrong:
        compile_text(text.replace("acme", "[acme]"), file="n.yaml", parameters={}, region="eu-west-1")
    assert [one.subject for one in wrong.value.diagnostics] == ["Resources.N.Properties.Provider"]


def test_a_name_that_no_pattern_allows_is_told_with_the_pattern() -> None:
    text = (
        "Resources: {F: {Type: AWS::Lambda::Function, Properties: {Role: 'arn:aws:iam::123456789012:role/r', "
        "Code: {ZipFile: x}, Handler: a.b, Runtime: python3.13, Environment: {Variables: {T: x}}}}}"
    )
    with pytest.raises(CompileError) as wrong:
        compile_text(text, file="f.yaml", parameters={}, region="eu-west-1")
    (found,) = wrong.value.diagnostics
    assert "takes no name T: a name in it must match" in found.detail
    assert "has none" not in found.detail
