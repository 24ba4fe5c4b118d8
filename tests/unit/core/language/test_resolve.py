import pytest

from tenuto.core.language.resolve import (
    Environment,
    Open,
    ResolveError,
    is_resolved,
    open_expressions,
    referenced_resources,
    resolve,
)

NOTHING = Environment()
VPC = Environment(
    references={"Vpc": "vpc-1", "AWS::AccountId": "111122223333"},
    attributes={("Vpc", "CidrBlock"): "10.0.0.0/16", ("Db", "Endpoint"): {"Address": "db.example", "Port": 5432}},
    declared={"Vpc": {"CidrBlock": "10.1.0.0/16", "Tags": {"team": "web"}, "Key": {"Ref": "Password"}}},
    zones={"eu-west-1": ("eu-west-1a", "eu-west-1b")},
    exports={"shared-net": "subnet-9"},
    region="eu-west-1",
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Ref": "Vpc"}, "vpc-1"),
        ({"Fn::GetAtt": ["Vpc", "CidrBlock"]}, "10.0.0.0/16"),
        ({"Fn::GetAtt": ["Db", "Endpoint.Port"]}, 5432),
        ({"Fn::GetAtt": ["Vpc", "Tags.team"]}, "web"),
        ({"Fn::GetAtt": ["Vpc", "Key"]}, {"Fn::GetAtt": ["Vpc", "Key"]}),
        ({"Fn::GetAZs": ""}, ["eu-west-1a", "eu-west-1b"]),
        ({"Fn::GetAZs": "eu-west-1"}, ["eu-west-1a", "eu-west-1b"]),
        ({"Fn::ImportValue": "shared-net"}, "subnet-9"),
        ({"Fn::Join": [":", ["a", True, 7, {"Ref": "Vpc"}]]}, "a:true:7:vpc-1"),
        ({"Fn::Join": ["", []]}, ""),
        ({"Fn::Join": [",", {"Fn::GetAZs": ""}]}, "eu-west-1a,eu-west-1b"),
        ({"Fn::Select": ["1", {"Fn::GetAZs": ""}]}, "eu-west-1b"),
        ({"Fn::Select": [0, ["x", {"Ref": "Unknown"}]]}, "x"),
        ({"Fn::Split": ["-", {"Ref": "Vpc"}]}, ["vpc", "1"]),
        ({"Fn::Base64": "hé"}, "aMOp"),
        ({"Fn::Cidr": [{"Fn::GetAtt": ["Vpc", "CidrBlock"]}, 2, 8]}, ["10.0.0.0/24", "10.0.1.0/24"]),
        ({"Fn::Cidr": ["2001:db8::/56", "2", "64"]}, ["2001:db8::/64", "2001:db8:0:1::/64"]),
        ({"Fn::Cidr": ["10.0.0.0/16", 1]}, ["10.0.0.0/24"]),
        ({"a": {"Ref": "AWS::NoValue"}, "b": [1, {"Ref": "AWS::NoValue"}]}, {"b": [1]}),
        ({"Ref": "AWS::NoValue"}, None),
        ({"Ref": 5}, {"Ref": 5}),
    ],
)
def test_what_the_environment_knows_is_folded(value: object, expected: object) -> None:
    assert resolve(value, VPC) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Fn::Join": ["-", ["a", "b", {"Ref": "X"}, "c"]]}, {"Fn::Join": ["-", ["a-b", {"Ref": "X"}, "c"]]}),
        (
            {"Fn::Join": ["", ["", {"Fn::Join": ["", [{"Ref": "X"}, "c"]]}, "d"]]},
            {"Fn::Join": ["", [{"Ref": "X"}, "cd"]]},
        ),
        ({"Fn::GetAZs": ""}, {"Fn::GetAZs": ""}),
        ({"Fn::Cidr": [{"Ref": "X"}, 2]}, {"Fn::Cidr": [{"Ref": "X"}, 2, 8]}),
        ({"Fn::Select": [{"Ref": "X"}, ["a"]]}, {"Fn::Select": [{"Ref": "X"}, ["a"]]}),
    ],
)
def test_what_is_not_known_stays_in_normal_form(value: object, expected: object) -> None:
    assert resolve(value, NOTHING) == expected
    assert not is_resolved(expected)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"Fn::Select": [2, ["a", "b"]]}, "item 2"),
        ({"Fn::Select": ["x", ["a"]]}, "whole number"),
        ({"Fn::Select": [0, "text"]}, "must be a list"),
        ({"Fn::Split": ["", "text"]}, "must not be empty"),
        ({"Fn::Split": [",", ["a"]]}, "must be text"),
        ({"Fn::Join": [",", "text"]}, "must be a list"),
        ({"Fn::Join": [",", [["a"]]]}, "must be text"),
        ({"Fn::Join": ","}, "a delimiter and a list"),
        ({"Fn::Base64": {"a": 1}}, "must be text"),
        ({"Fn::Cidr": ["10.0.0.0/24", 3, 7]}, "holds 2"),
        ({"Fn::Cidr": ["10.0.0.0/24", 1, 16]}, "cannot leave"),
        ({"Fn::Cidr": ["10.0.0.0/24", 0, 4]}, "1 to 256"),
        ({"Fn::Cidr": ["ten", 1, 4]}, "cannot read"),
        ({"Fn::Cidr": ["10.0.0.0/24"]}, "needs an address block"),
    ],
)
def test_what_can_never_have_a_value_is_refused_with_the_reason(value: object, words: str) -> None:
    with pytest.raises(ResolveError, match=words):
        resolve(value, NOTHING)


def test_open_expressions_name_what_is_missing_in_document_order() -> None:
    value = {
        "a": {"Fn::Join": ["", [{"Ref": "Vpc"}, {"Fn::GetAtt": ["Db", "Port"]}]]},
        "b": [{"Fn::Select": [0, {"Fn::GetAZs": "eu-west-1"}]}, {"Fn::ImportValue": {"Ref": "AWS::StackName"}}],
        "c": "Ref",
    }

    assert open_expressions(value) == (
        Open(kind="Ref", name="Vpc"),
        Open(kind="Fn::GetAtt", name="Db", attribute="Port"),
        Open(kind="Fn::GetAZs", name="eu-west-1"),
        Open(kind="Ref", name="AWS::StackName"),
    )
    assert referenced_resources(value) == ("Vpc", "Db")
