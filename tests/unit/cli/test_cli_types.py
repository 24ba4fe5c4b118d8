"""What can be managed, asked for with and without a Conductor."""

import re
from pathlib import Path

import pytest
from terminal import Shell

from tenuto.cli.render.types import render_type
from tenuto.model.ids import TypeName
from tenuto.providers.aws.types.catalogue import FACTS
from tenuto.service.views.catalogue_view import types_document

LAMBDA = """
Resources:
  Work:
    Type: AWS::Lambda::Function
    Properties: {Role: "arn:aws:iam::123456789012:role/r", Handler: a.b, Runtime: python3.12, Code: {ZipFile: x}}
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      StreamSpecification:
        Tags: [{Key: team, Value: shop}]
        StreamViewType: KEYS_ONLY
"""


def test_the_list_of_types_fits_a_screen_and_can_be_narrowed(tenuto: Shell) -> None:
    everything = tenuto("types").out.splitlines()
    assert max(map(len, everything)) <= 100
    assert everything[-1] == "3 types. 'tenuto types Cloud.Node' shows one of them."
    some = tenuto("types", "NET", "--json").document["types"]
    assert [one["name"] for one in some] == ["Simulated::Network", "Simulated::Subnet"]


def test_one_type_is_shown_with_all_that_is_known_of_it(tenuto: Shell) -> None:
    told = tenuto("types", "simulated::subnet").out
    assert told.startswith("Simulated::Subnet (provider simulated")
    assert "\nRef gives         its physical id" in told
    assert tenuto("types", "Simulated::Subnet", "--json").document["name"] == "Simulated::Subnet"


def test_both_spellings_of_the_type_of_nodes_are_one_type(tenuto: Shell) -> None:
    assert tenuto("types", "Cloud::Node", "--json").document == tenuto("types", "Cloud.Node", "--json").document
    assert tenuto("types", "Cloud::Node").out.startswith("Cloud.Node")


def test_the_lifecycle_of_one_type_is_drawn(tenuto: Shell) -> None:
    drawn = tenuto("types", "Simulated::Network", "--diagram").out
    assert drawn.startswith("## resource\n")
    assert "  Deallocation --> Terminated" in drawn
    assert tenuto("types", "Simulated::Subnet", "--diagram", "--json").document["lifecycle"] == "resource"
    assert "give its whole name" in tenuto("types", "Subnet", "--diagram").err


def shown(name: str, properties: list[str]) -> str:
    """A type of AWS as the command renders it."""
    [document] = types_document({TypeName(name): FACTS[TypeName(name)]})["types"]
    return render_type({**document, "properties": properties})


def test_a_type_says_what_replaces_it_what_is_refused_and_what_refers_to_it() -> None:
    named = ["BillingMode", "KeySchema", "TableClass"]
    told = " ".join(shown("AWS::DynamoDB::Table", named).split())
    assert told.startswith("AWS::DynamoDB::Table (provider aws, bears data)")
    assert "Ref gives TableName (where none is declared, the name that Tenuto makes)" in told
    assert "Fn::GetAtt gives Arn, StreamArn" in told
    assert "Required KeySchema" in told
    assert "Replaced by KeySchema, LocalSecondaryIndexes, TableName" in told
    assert "Changed in place BillingMode, TableClass Given back TableClass: to its default, when" in told
    assert "Refused ImportSourceSpecification: An import makes a table by another call" in told
    assert "`tenuto import`. StreamSpecification.Tags: No emulator serves" in told
    assert "Ref gives a value of its own" in " ".join(shown("AWS::Cognito::UserPoolClient", []).split())
    assert "Ref gives PublicIp" in " ".join(shown("AWS::EC2::EIP", []).split())
    assert "Replaced by a change of any property" in " ".join(shown("AWS::EC2::VolumeAttachment", []).split())


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("lambda", "No managed type has 'lambda' in its name. 'tenuto types' lists all 3."),
        ("AWS::Lambda::Function", "does not manage AWS::Lambda::Function. It manages no type of AWS::Lambda."),
        ("Simulated::Subnets", "does not manage Simulated::Subnets. Of Simulated it manages Simulated::Subnet and"),
    ],
)
def test_a_type_that_is_not_managed_is_said_to_be_none(tenuto: Shell, word: str, told: str) -> None:
    ended = tenuto("types", word)
    assert ended.code == 4
    assert told in ended.err
    assert "The Conductor that was asked has types of machines, simulated." in ended.err
    alone = tenuto("types", word, environ=tenuto.environ(TENUTO_URL="http://127.0.0.1:1"))
    assert "that was asked" not in alone.err


def test_compile_refuses_without_a_conductor_what_could_not_be_run(tenuto: Shell, tmp_path: Path) -> None:
    path = tmp_path / "web.yaml"
    # No provider manages it: its schema has no handler to read it.
    unread = "AWS::AppMesh::Mesh\n    Properties: {MeshName: m}"
    path.write_text(re.sub(r"AWS::Lambda::Function\n.*", unread, LAMBDA))
    nobody = tenuto.environ(TENUTO_URL="http://127.0.0.1:1")
    ended = tenuto("compile", str(path), environ=nobody)
    assert ended.code == 3
    assert "error[T704]" in ended.err
    assert "It manages no type of AWS::AppMesh." in ended.err
    assert "1 of the 2 types of this composition is not managed" in ended.err
    assert "error[T710]" in ended.err
    assert "web.yaml:13:9" in ended.err
    loose = tenuto("compile", str(path), "--any-types", environ=nobody)
    assert loose.code == 0
    assert set(loose.document["resources"]) == {"Work", "Orders"}


@pytest.mark.parametrize("words", [("run", "-y"), ("run", "--dry-run"), ("apply", "-a", "web", "-y")])
def test_a_conductor_says_the_same(tenuto: Shell, tmp_path: Path, words: tuple[str, ...]) -> None:
    path = tmp_path / "web.yaml"
    path.write_text(LAMBDA)
    ended = tenuto(words[0], str(path), *words[1:])
    assert ended.code == 3
    assert "The providers of this Conductor bring no type of AWS" in ended.err
    assert "AWS::Lambda::Function" in ended.err
    assert "tenuto conductor --provider" in ended.err


@pytest.mark.parametrize("url", ["", "http://127.0.0.1:9"])
def test_the_types_that_come_with_tenuto_are_shown_without_a_conductor(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tenuto = Shell(url, tmp_path, capsys)
    shown = tenuto("types", "dynamodb")
    assert shown.code == 0
    assert "AWS::DynamoDB::Table" in shown.out
    assert shown.err == "No Conductor was asked: these are the types of the installed providers.\n"
    assert tenuto("types", "AWS::SQS::Queue", "--json").document["name"] == "AWS::SQS::Queue"
    through = tenuto("types", "AWS::Synthetics::Group", "--json").document
    assert (through["name"], through["through"]) == ("AWS::Synthetics::Group", "Cloud Control")
    missing = tenuto("types", "AWS::SQS::Nothing")
    assert (missing.code, missing.err.splitlines()[-1]) == (
        4,
        "tenuto: Tenuto does not manage AWS::SQS::Nothing. "
        "Of AWS::SQS it manages AWS::SQS::Queue, AWS::SQS::QueuePolicy and AWS::SQS::QueueInlinePolicy.",
    )
