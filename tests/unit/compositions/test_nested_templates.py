"""Nested templates: one composition of several files, and what is said when they do not fit together."""

from pathlib import Path
from typing import Any

import pytest

from tenuto.compositions.compile import Compiled, compile_file
from tenuto.compositions.documents.document import from_document, to_document
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

NETWORK = """
Parameters:
  Cidr: {Type: String, AllowedPattern: '10[.].*'}
  Stage: {Type: String, Default: test}
Mappings:
  Sizes: {test: {bits: 8}, prod: {bits: 12}}
Conditions:
  IsProduction: !Equals [!Ref Stage, prod]
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: !Ref Cidr}}
  Subnet:
    Type: AWS::EC2::Subnet
    Properties:
      VpcId: !Ref Vpc
      CidrBlock: !Select [0, !Cidr [!Ref Cidr, 2, !FindInMap [Sizes, !Ref Stage, bits]]]
      Tags: [{Key: of, Value: !Ref AWS::StackName}]
  Logs: {Type: AWS::Logs::LogGroup, Condition: IsProduction}
Outputs:
  VpcId: {Value: !Ref Vpc, Export: {Name: !Sub '${AWS::StackName}-vpc'}}
  SubnetId: {Value: !Ref Subnet}
  Logs: {Value: !Ref Logs, Condition: IsProduction}
"""
APP = """
Parameters:
  Vpc: {Type: AWS::EC2::VPC::Id}
  Subnets: {Type: List<AWS::EC2::Subnet::Id>}
  Password: {Type: String, NoEcho: true, MinLength: 4}
Resources:
  Group: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: app, VpcId: !Ref Vpc}}
  Stored:
    Type: AWS::SSM::Parameter
    Properties: {Type: String, Value: !Join ['/', [!Select [0, !Ref Subnets], !Ref Password]]}
Outputs:
  Group: {Value: !GetAtt Group.GroupId}
"""
MAIN = """
Parameters:
  Secret: {Type: String, NoEcho: true, Default: hunter2}
  Stage: {Type: String, Default: test}
Resources:
  App:
    Type: AWS::CloudFormation::Stack
    Properties:
      TemplateURL: parts/app.yaml
      Parameters:
        Vpc: !GetAtt Net.Outputs.VpcId
        Subnets: !Join [',', [!GetAtt Net.Outputs.SubnetId]]
        Password: !Ref Secret
  Net:
    Type: AWS::CloudFormation::Stack
    Properties:
      TemplateURL: ./parts/net.yaml
      Parameters: {Cidr: 10.0.0.0/16, Stage: !Ref Stage}
  Last: {Type: AWS::SQS::Queue, DependsOn: [App]}
Outputs:
  Group: {Value: !GetAtt App.Outputs.Group}
  Text: {Value: !Sub 'of ${App.Outputs.Group}'}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "net.yaml").write_text(NETWORK)
    (tmp_path / "parts" / "app.yaml").write_text(APP)
    (tmp_path / "main.yaml").write_text(MAIN)
    return tmp_path


def compiled(folder: Path, name: str = "main.yaml", **parameters: str) -> Compiled:
    return compile_file(folder / name, parameters=parameters, region="eu-west-1")


def document(folder: Path, name: str = "main.yaml", **parameters: str) -> Any:
    found = to_document(compiled(folder, name, **parameters).composition)
    from_document(found)  # The Conductor accepts it.
    return found


def said(folder: Path, **parameters: str) -> list[Diagnostic]:
    with pytest.raises(CompileError) as failed:
        compiled(folder, **parameters)
    return [one for one in failed.value.diagnostics if isinstance(one, Diagnostic)]


def test_every_file_becomes_a_part_of_one_composition(folder: Path) -> None:
    found = document(folder)
    assert sorted(found["resources"]) == ["App.Group", "App.Stored", "Last", "Net.Subnet", "Net.Vpc"]
    assert found["resources"]["App.Group"]["properties"]["VpcId"] == {"Ref": "Net.Vpc"}
    assert found["resources"]["App.Group"]["depends_on"] == ["Net.Vpc"]
    assert found["resources"]["Net.Subnet"]["properties"]["CidrBlock"] == "10.0.0.0/24"
    assert found["positions"]["Net.Vpc"]["file"] == str(folder / "parts" / "net.yaml")


def test_outputs_lead_to_the_real_resource(folder: Path) -> None:
    outputs = document(folder)["outputs"]
    assert outputs["Group"]["value"] == {"Fn::GetAtt": ["App.Group", "GroupId"]}
    assert outputs["Text"]["value"] == {"Fn::Join": ["", ["of ", {"Fn::GetAtt": ["App.Group", "GroupId"]}]]}


def test_an_export_of_a_nested_template_stays_one(folder: Path) -> None:
    outputs = document(folder)["outputs"]
    assert sorted(outputs) == ["Group", "Net.VpcId", "Text"]
    assert outputs["Net.VpcId"]["export"] == {"Fn::Join": ["", [{"Ref": "AWS::StackName"}, "-Net-vpc"]]}


def test_two_nested_templates_of_one_file_have_other_names_of_the_stack(folder: Path) -> None:
    two = "Resources:\n" + "".join(
        f"  N{one}: {{Type: AWS::CloudFormation::Stack, Properties: {{TemplateURL: parts/net.yaml,"
        f" Parameters: {{Cidr: 10.{one}.0.0/16}}}}}}\n"
        for one in (1, 2)
    )
    (folder / "two.yaml").write_text(two)
    resources = document(folder, "two.yaml")["resources"]
    names = [str(resources[f"N{one}.Subnet"]["properties"]["Tags"]) for one in (1, 2)]
    assert len(set(names)) == 2


def test_depends_on_a_nested_template_is_on_everything_in_it(folder: Path) -> None:
    assert document(folder)["resources"]["Last"]["depends_on"] == ["App.Group", "App.Stored"]


def test_a_nested_template_that_depends_on_another_waits_for_all_of_it(folder: Path) -> None:
    text = MAIN.replace("  Last: {Type", "  Gate: {Type: AWS::SNS::Topic}\n  Last: {Type")
    text = text.replace("      TemplateURL: ./parts", "      TemplateURL: parts").replace(
        "  Net:\n    Type", "  Net:\n    DependsOn: Gate\n    Type"
    )
    (folder / "main.yaml").write_text(text)
    resources = document(folder)["resources"]
    assert resources["Net.Vpc"]["depends_on"] == ["Gate"]
    assert resources["Net.Subnet"]["depends_on"] == ["Gate", "Net.Vpc"]


def test_a_secret_stays_one_on_its_way_down(folder: Path) -> None:
    whole = compiled(folder)
    assert whole.secrets == {"Secret": "hunter2"}
    assert "hunter2" not in str(to_document(whole.composition))


def test_a_secret_that_a_nested_template_gives_itself_has_a_name_of_its_own(folder: Path) -> None:
    (folder / "main.yaml").write_text(MAIN.replace("Password: !Ref Secret", "Password: secret-text"))
    whole = compiled(folder)
    assert whole.secrets == {"Secret": "hunter2", "App.Password": "secret-text"}
    assert "secret-text" not in str(to_document(whole.composition))


def test_conditions_and_mappings_of_a_nested_template_see_what_is_passed(folder: Path) -> None:
    found = document(folder, Stage="prod")["resources"]
    assert "Net.Logs" in found
    assert found["Net.Subnet"]["properties"]["CidrBlock"] == "10.0.0.0/20"


OPTIONAL = """
Parameters:
  Vpc: {Type: String, Default: ''}
  Subnets: {Type: CommaDelimitedList, Default: ''}
  Role: {Type: String, Default: ''}
  Address: {Type: String, Default: ''}
Conditions:
  HasVpc: !Not [!Equals [!Ref Vpc, '']]
  HasSubnets: !Not [!Equals [!Join ['', !Ref Subnets], '']]
  HasFirst: !Not [!Equals ['', !Select [0, !Ref Subnets]]]
  HasRole: !Not [!Equals [!Sub '${Role}', '']]
  HasPrefix: !Equals [!Sub 'role of ${Role}', none]
  HasAddress: !Not [!Equals [!Ref Address, '']]
Resources:
  Always: {Type: AWS::SQS::Queue}
  OfVpc: {Type: AWS::SQS::Queue, Condition: HasVpc}
  OfSubnets: {Type: AWS::SQS::Queue, Condition: HasSubnets}
  OfFirst: {Type: AWS::SQS::Queue, Condition: HasFirst}
  OfRole: {Type: AWS::SQS::Queue, Condition: HasRole}
  OfPrefix: {Type: AWS::SQS::Queue, Condition: HasPrefix}
"""
AROUND = """
Resources:
  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  A: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Net, CidrBlock: 10.0.1.0/24}}
  B: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Net, CidrBlock: 10.0.2.0/24}}
  Letters: {Type: AWS::SQS::Queue}
  Bare: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: optional.yaml}}
  Given:
    Type: AWS::CloudFormation::Stack
    Properties:
      TemplateURL: optional.yaml
      Parameters: {Vpc: !Ref Net, Subnets: !Join [',', [!Ref A, !Ref B]], Role: !GetAtt Letters.Arn}
"""


def test_a_nested_template_asks_whether_it_was_given_an_id(tmp_path: Path) -> None:
    (tmp_path / "optional.yaml").write_text(OPTIONAL)
    (tmp_path / "main.yaml").write_text(AROUND)
    found = document(tmp_path)["resources"]
    assert {name for name in found if name.startswith("Bare")} == {"Bare.Always"}
    given = {name for name in found if name.startswith("Given")}
    assert given == {"Given.Always", "Given.OfVpc", "Given.OfSubnets", "Given.OfFirst", "Given.OfRole"}


def test_a_comparison_that_only_the_process_can_make_is_refused_as_before(tmp_path: Path) -> None:
    (tmp_path / "optional.yaml").write_text(OPTIONAL + "  OfAddress: {Type: AWS::SQS::Queue, Condition: HasAddress}\n")
    text = AROUND.replace("Vpc: !Ref Net, Subnets", "Address: !GetAtt A.Ipv6CidrBlocks, Subnets")
    (tmp_path / "main.yaml").write_text(text)
    with pytest.raises(CompileError) as refused:
        compiled(tmp_path)
    assert [one.code for one in refused.value.diagnostics if one.severity == "error"] == ["T403"]


def test_a_nested_template_that_its_condition_leaves_out_is_not_even_read(folder: Path) -> None:
    text = "Conditions: {No: !Equals [a, b]}\n" + MAIN.replace(
        "  Last: {Type: AWS::SQS::Queue, DependsOn: [App]}",
        "  Gone: {Type: AWS::CloudFormation::Stack, Condition: No, Properties: {TemplateURL: nowhere.yaml}}",
    )
    (folder / "main.yaml").write_text(text)
    assert not any(name.startswith("Gone") for name in document(folder)["resources"])


def test_what_is_kept_of_a_nested_template_is_everything_in_it(folder: Path) -> None:
    (folder / "main.yaml").write_text(MAIN.replace("  Net:\n", "  Net:\n    DeletionPolicy: Retain\n"))
    found = document(folder)["resources"]
    assert {name: one["deletion_policy"] for name, one in found.items() if name.startswith("Net.")} == {
        "Net.Subnet": "Retain",
        "Net.Vpc": "Retain",
    }
    assert found["App.Group"]["deletion_policy"] == "Delete"


def test_tags_of_a_nested_template_are_on_everything_in_it(folder: Path) -> None:
    tags = "    Properties:\n      Tags: [{Key: team, Value: !GetAtt Last.QueueName}, {Key: of, Value: x}]\n      Temp"
    text = MAIN.replace("    Properties:\n      TemplateURL: ./parts", f"{tags}lateURL: ./parts")
    (folder / "main.yaml").write_text(text.replace(", DependsOn: [App]", ""))
    found = document(folder)["resources"]
    team = {"Key": "team", "Value": {"Fn::GetAtt": ["Last", "QueueName"]}}
    assert found["Net.Vpc"]["properties"]["Tags"] == [team, {"Key": "of", "Value": "x"}]
    assert [one["Key"] for one in found["Net.Subnet"]["properties"]["Tags"]] == ["of", "team"]
    assert found["Net.Vpc"]["depends_on"] == ["Last"]


@pytest.mark.parametrize(
    ("export", "imported"),
    [("!Sub '${AWS::StackName}-vpc'", "{Fn::ImportValue: !Sub '${Of}-vpc'}"), ("net", "!ImportValue net")],
)
def test_an_import_of_an_own_export_is_its_value(folder: Path, export: str, imported: str) -> None:
    (folder / "parts" / "user.yaml").write_text(
        "Parameters: {Of: {Type: String}}\n"
        "Resources: {G: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: x, VpcId: IMPORTED}}}\n".replace(
            "IMPORTED", imported
        )
    )
    user = """  User:
    Type: AWS::CloudFormation::Stack
    Properties: {TemplateURL: parts/user.yaml, Parameters: {Of: !Sub '${AWS::StackName}-Net'}}
Outputs:
"""
    (folder / "main.yaml").write_text(MAIN.replace("Outputs:\n", user))
    (folder / "parts" / "net.yaml").write_text(NETWORK.replace("!Sub '${AWS::StackName}-vpc'", export))
    group = document(folder)["resources"]["User.G"]
    assert (group["properties"]["VpcId"], group["depends_on"]) == ({"Ref": "Net.Vpc"}, ["Net.Vpc"])


def test_an_export_that_two_nested_templates_give_is_told(folder: Path) -> None:
    (folder / "parts" / "net.yaml").write_text(NETWORK.replace("!Sub '${AWS::StackName}-vpc'", "shared-vpc"))
    again = MAIN.replace(
        "  Last:",
        "  Again: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: parts/net.yaml,"
        " Parameters: {Cidr: 10.9.0.0/16}}}\n  Last:",
    )
    (folder / "main.yaml").write_text(again)
    assert [one.code for one in said(folder)] == ["T604"]


def test_a_rule_of_a_nested_template_is_checked_when_its_values_are_known(folder: Path) -> None:
    rules = """
Rules:
  Sub:
    Assertions: [{Assert: {Fn::Contains: [[a], !Ref Vpc]}, AssertDescription: a only}]
"""
    (folder / "parts" / "app.yaml").write_text(APP + rules)
    found = compiled(folder).diagnostics
    assert [(one.code, one.position.file if one.position else "") for one in found] == [
        ("T802", str(folder / "parts" / "app.yaml"))
    ]
    known = NETWORK + rules.replace("[a], !Ref Vpc", "[prod], !Ref Stage")
    (folder / "parts" / "net.yaml").write_text(known)
    (folder / "parts" / "app.yaml").write_text(APP)
    assert [one.code for one in said(folder)] == ["T410"]
    assert compiled(folder, Stage="prod").diagnostics == ()


def test_nested_templates_nest_others(folder: Path) -> None:
    (folder / "outer.yaml").write_text(
        "Resources: {All: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: main.yaml}}}\n"
        "Outputs: {G: {Value: !GetAtt All.Outputs.Group}}\n"
    )
    found = document(folder, "outer.yaml")
    assert "All.Net.Vpc" in found["resources"]
    assert found["outputs"]["G"]["value"] == {"Fn::GetAtt": ["All.App.Group", "GroupId"]}


def test_a_mistake_is_told_in_the_file_that_has_it(folder: Path) -> None:
    (folder / "parts" / "net.yaml").write_text(NETWORK.replace("VpcId: !Ref Vpc\n", "VpcId: !Ref Vcp\n"))
    (one,) = said(folder)
    assert (one.code, one.position and one.position.file) == ("T303", str(folder / "parts" / "net.yaml"))
    assert one.source_line == "      VpcId: !Ref Vcp"


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ("Net.Outputs.VpcId", "Net.Outputs.Vpc", "T305", "has no output Vpc "),
        ("Net.Outputs.VpcId", "Net.VpcId", "T305", "which returns Outputs.NAME"),
        ("Cidr: 10.0.0.0/16", "Cidr: 11.0.0.0/16", "T207", "Cidr"),
        ("Cidr: 10.0.0.0/16, ", "", "T204", "Cidr has no default"),
        ("Stage: !Ref Stage", "Sta: x", "T205", "Sta is given"),
        ("./parts/net.yaml", "./parts/nets.yaml", "T113", "does not exist"),
        ("./parts/net.yaml", "./parts", "T113", "is a folder"),
        ("./parts/net.yaml", "main.yaml", "T114", "nests itself"),
        ("./parts/net.yaml", "https://s3.amazonaws.com/b/v1/parts/net.yaml", "T113", "behind an address"),
        ("./parts/net.yaml", "!Ref AWS::StackName", "T403", "known only when"),
        ("Cidr: 10.0.0.0/16", "Cidr: !GetAtt App.Outputs.Group", "T516", "waits for its own outputs"),
    ],
)
def test_what_does_not_fit_is_told(folder: Path, old: str, new: str, code: str, words: str) -> None:
    assert old in MAIN
    (folder / "main.yaml").write_text(MAIN.replace(old, new))
    found = said(folder)
    assert [one.code for one in found] == [code]
    assert words in found[0].detail


def test_an_address_of_a_file_that_is_here_is_told_by_its_path(folder: Path) -> None:
    (folder / "main.yaml").write_text(MAIN.replace("./parts/net.yaml", "https://b.s3.amazonaws.com/v1/parts/net.yaml"))
    assert "`TemplateURL: parts/net.yaml`" in said(folder)[0].hint


def test_templates_that_multiply_are_stopped(folder: Path) -> None:
    for level in range(8):
        below = "parts/net.yaml" if level == 7 else f"m{level + 1}.yaml"
        entries = "".join(
            f"  R{one}: {{Type: AWS::CloudFormation::Stack, Properties: {{TemplateURL: {below}}}}}\n"
            for one in range(8)
        )
        (folder / f"m{level}.yaml").write_text(f"Resources:\n{entries}")
    with pytest.raises(CompileError) as failed:
        compiled(folder, "m0.yaml")
    assert "T114" in [one.code for one in failed.value.diagnostics]
