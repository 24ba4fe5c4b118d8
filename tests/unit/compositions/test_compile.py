"""Compilation as a whole: what is folded, what stays open, and what travels apart."""

import json
from pathlib import Path

import pytest

from tenuto.compositions.cloudformation.reading.reader import LARGEST_FILE_BYTES
from tenuto.compositions.compile import Compiled, compile_file, compile_text
from tenuto.compositions.documents.document import canonical_json, to_document
from tenuto.errors import CompileError
from tenuto.model.composition import DeletionPolicy, Parameter
from tenuto.model.ids import Json

pytestmark = pytest.mark.usefixtures("types_without_schemas")

EXCEPT_ON_CREATE = DeletionPolicy.RETAIN_EXCEPT_ON_CREATE

TEMPLATES = Path(__file__).parents[2] / "templates"
GOLDEN = Path(__file__).parent / "golden"


def compiled(text: str, region: str = "eu-west-1", account: str | None = None, **parameters: str) -> Compiled:
    return compile_text(text, file="web.yaml", parameters=parameters, region=region, account_id=account)


def properties(text: str, name: str = "Thing", **parameters: str) -> Json:
    found = {one.logical_id: one.properties for one in compiled(text, **parameters).composition.resources}
    return found[name]


def thing(*lines: str) -> str:
    """A resource of an open type, so that any property may hold anything."""
    body = "".join(f"      {line}\n" for line in lines)
    return f"Resources:\n  Thing:\n    Type: Simulated::Thing\n    Properties:\n{body}"


@pytest.mark.parametrize("name", ["vpc_with_managed_nat_and_private_subnet.yaml", "rain_modules_vpc.yml"])
def test_a_public_template_compiles_to_its_golden_document(name: str) -> None:
    found = compile_file(TEMPLATES / name, parameters={}, region="us-east-1")

    document = dict(to_document(found.composition))
    del document["positions"]
    golden = json.loads((GOLDEN / f"{Path(name).stem}.json").read_text(encoding="utf-8"))
    assert document == golden
    assert found.diagnostics == ()
    assert found.secrets == {}


def test_yaml_and_json_of_one_template_have_one_digest() -> None:
    yaml = (
        "Parameters:\n  Zone: {Type: Number, Default: 1}\n"
        + thing("Name: !Sub '${AWS::StackName}-x'", "Count: 5", "Size: 1.50", "On: true", "Id: !GetAtt Other.Id")
        + "  Other:\n    Type: Simulated::Thing\n"
    )
    template = {
        "Resources": {
            "Other": {"Type": "Simulated::Thing"},
            "Thing": {
                "Properties": {
                    "On": True,
                    "Id": {"Fn::GetAtt": ["Other", "Id"]},
                    "Count": 5,
                    "Size": "1.50",
                    "Name": {"Fn::Join": ["", [{"Ref": "AWS::StackName"}, "-x"]]},
                },
                "Type": "Simulated::Thing",
            },
        },
        "Parameters": {"Zone": {"Type": "Number", "Default": 1}},
    }
    tabbed = json.dumps(template, indent="\t")
    assert compiled(yaml).composition.digest == compiled(tabbed).composition.digest
    assert compiled(yaml).composition.digest == compiled(json.dumps(template)).composition.digest


def test_a_digest_covers_meaning_and_not_places() -> None:
    here = compiled(thing("Name: a")).composition
    moved = compiled("# a comment\n\n" + thing("Name: a")).composition
    other = compiled(thing("Name: b")).composition
    assert here.digest == moved.digest
    assert here.resources[0].position != moved.resources[0].position
    assert here.digest != other.digest


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("V: !Ref AWS::Region", "eu-west-1"),
        ("V: !Ref AWS::Partition", "aws"),
        ("V: !Ref AWS::URLSuffix", "amazonaws.com"),
        ("V: !Ref AWS::NotificationARNs", []),
        ("V: !Ref AWS::AccountId", {"Ref": "AWS::AccountId"}),
        ("V: !Ref AWS::StackName", {"Ref": "AWS::StackName"}),
        ("V: !Sub '${AWS::Region}-${AWS::StackId}'", {"Fn::Join": ["", ["eu-west-1-", {"Ref": "AWS::StackId"}]]}),
        ("V: !Sub 'literal ${!NAME}'", "literal ${NAME}"),
        ("V: !Sub ['${A}${Name}', {A: x}]", "xweb"),
        ("V: !Sub '${ Name }'", "web"),
        ("V: !Join ['-', !Ref List]", "a-b"),
        ("V: !Select [1, !Ref List]", "b"),
        ("V: !Select ['0', !Split ['/', x/y]]", "x"),
        ("V: {Keep: 1, Gone: !Ref Nothing}", {"Keep": 1}),
        ("V: [a, !Ref Nothing]", ["a"]),
        ("V: !Sub 'a${Nothing}b'", "ab"),
        ("V: !If [IsNothing, it is, is not]", "it is"),
        ("V: !Base64 hello", "aGVsbG8="),
        ("V: !Cidr [10.0.0.0/16, 2, 8]", ["10.0.0.0/24", "10.0.1.0/24"]),
        ("V: !GetAZs", {"Fn::GetAZs": "eu-west-1"}),
        ("V: {'Fn::GetAZs': null}", {"Fn::GetAZs": "eu-west-1"}),
        ("V: {'Fn::GetAZs': !Ref 'AWS::Region'}", {"Fn::GetAZs": "eu-west-1"}),
        ("V: !ImportValue {'Fn::Sub': '${Name}-net'}", {"Fn::ImportValue": "web-net"}),
        ("V: !FindInMap [Sizes, !Ref AWS::Region, small]", "t3.small"),
        ("V: !FindInMap [Sizes, other, small, {DefaultValue: t3.nano}]", "t3.nano"),
        ("V: !FindInMap [Sizes, eu-west-1, all]", ["t3.small", "t3.large"]),
        ("V: !If [IsWeb, yes it is, no]", "yes it is"),
        ("V: [!If [IsWeb, !Ref 'AWS::NoValue', a], b]", ["b"]),
        ("V: {Keep: 1, Gone: !Ref 'AWS::NoValue'}", {"Keep": 1}),
        ("V: !GetAtt Other.Endpoint.Address", {"Fn::GetAtt": ["Other", "Endpoint.Address"]}),
        ("V: {'Fn::GetAtt': [Other, !Ref Name]}", {"Fn::GetAtt": ["Other", "web"]}),
        ("V: 012345678901", "012345678901"),
        ("V: 5.10", "5.10"),
        ("V: 2012-10-17", "2012-10-17"),
        ("V: no", "no"),
        ("V: '{{resolve:ssm:/ami}}'", {"Ref": "resolve:ssm:/ami"}),
        (
            "V: 'Password={{resolve:secretsmanager:db:SecretString:password}}'",
            {"Fn::Join": ["", ["Password=", {"Ref": "resolve:secretsmanager:db:SecretString:password"}]]},
        ),
        ("V: '{{resolve:ssm-secure:key:2}}'", {"Ref": "resolve:ssm-secure:key:2"}),
        (
            "V: !Sub '{{resolve:secretsmanager:${Other}:SecretString:password}}'",
            {
                "Tenuto::Secret": {
                    "Fn::Join": ["", ["resolve:secretsmanager:", {"Ref": "Other"}, ":SecretString:password"]]
                }
            },
        ),
        (
            "V: !Join ['', ['db://', '{{resolve:secretsmanager:', !Ref Other, '}}@', '{{resolve:ssm:/host}}']]",
            {
                "Fn::Join": [
                    "",
                    [
                        "db://",
                        {"Tenuto::Secret": {"Fn::Join": ["", ["resolve:secretsmanager:", {"Ref": "Other"}]]}},
                        "@",
                        {"Ref": "resolve:ssm:/host"},
                    ],
                ]
            },
        ),
        (
            "V: !Sub 'a {{resolve:ssm:/ami:3}} ${Other}'",
            {"Fn::Join": ["", ["a ", {"Ref": "resolve:ssm:/ami:3"}, " ", {"Ref": "Other"}]]},
        ),
    ],
)
def test_what_is_known_is_folded_and_the_rest_stays_open(line: str, expected: Json) -> None:
    text = (
        "Parameters:\n  Name: {Type: String, Default: web}\n  List: {Type: CommaDelimitedList, Default: 'a, b'}\n"
        "  Nothing: {Type: String, Default: 'AWS::NoValue'}\n"
        "Mappings:\n  Sizes: {eu-west-1: {small: t3.small, all: [t3.small, t3.large]}}\n"
        "Conditions:\n  IsWeb: !And [!Equals [!Ref Name, web], !Not [!Equals [a, b]]]\n"
        "  IsNothing: !Equals [!Ref Nothing, 'AWS::NoValue']\n" + thing(line) + "  Other:\n    Type: Simulated::Thing\n"
    )
    assert properties(text)["V"] == expected


def test_values_get_the_types_of_the_schema() -> None:
    found = properties(
        "Resources:\n  Thing:\n    Type: AWS::EC2::SecurityGroupIngress\n    Properties:\n"
        "      IpProtocol: -1\n      FromPort: '80'\n      ToPort: 80\n      CidrIp: 10.0.0.0/8\n"
    )
    assert found == {"IpProtocol": "-1", "FromPort": 80, "ToPort": 80, "CidrIp": "10.0.0.0/8"}


def test_a_secret_travels_apart_and_leaves_only_a_fingerprint() -> None:
    text = "Parameters:\n  Password: {Type: String, NoEcho: true}\n" + thing("V: !Sub 'p=${Password}'")
    one = compiled(text, Password="hunter2")
    again = compiled(text, Password="hunter2")
    other = compiled(text, Password="hunter3")

    assert one.secrets == {"Password": "hunter2"}
    assert one.composition.values == {}
    assert "hunter2" not in canonical_json(to_document(one.composition))
    assert one.composition.resources[0].properties == {"V": {"Fn::Join": ["", ["p=", {"Ref": "Password"}]]}}
    assert one.composition.parameters["Password"].fingerprint
    assert one.composition.digest == again.composition.digest
    assert one.composition.digest != other.composition.digest


def test_a_bad_secret_is_never_quoted() -> None:
    text = "Parameters:\n  Password: {Type: String, NoEcho: true, MinLength: 9}\n" + thing("V: 1")
    with pytest.raises(CompileError) as caught:
        compiled(text, Password="hunter2")
    assert "hunter2" not in repr(caught.value.diagnostics)


def test_a_looked_up_parameter_stays_a_reference_with_its_key() -> None:
    text = (
        "Parameters:\n  Ami: {Type: 'AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>', Default: /ami}\n"
        "  Zones: {Type: 'AWS::SSM::Parameter::Value<List<String>>', Default: /zones}\n"
        + thing("Ami: !Ref Ami", "Zones: !Ref Zones")
    )
    found = compiled(text).composition
    assert found.parameters == {
        "Ami": Parameter(name="Ami", lookup="/ami"),
        "Zones": Parameter(name="Zones", lookup="/zones"),
    }
    assert found.resources[0].properties == {"Ami": {"Ref": "Ami"}, "Zones": {"Fn::Split": [",", {"Ref": "Zones"}]}}


def test_a_condition_may_ask_for_the_account_when_it_is_given() -> None:
    text = "Conditions:\n  IsOurs: !Equals [!Ref AWS::AccountId, '111122223333']\n" + thing(
        "V: !If [IsOurs, ours, theirs]"
    )
    found = compiled(text, account="111122223333").composition
    assert found.resources[0].properties == {"V": "ours"}
    with pytest.raises(CompileError) as caught:
        compiled(text)
    assert [one.code for one in caught.value.diagnostics] == ["T403"]
    assert "--account" in caught.value.diagnostics[0].hint


def test_a_condition_that_is_never_used_may_ask_for_what_is_not_known() -> None:
    text = "Conditions:\n  Unused: !Equals [!Ref AWS::StackName, prod]\n" + thing("V: 1")
    assert compiled(text).diagnostics == ()


def test_a_branch_that_is_not_taken_is_checked_for_names_and_not_for_values() -> None:
    text = "Conditions:\n  Never: !Equals [a, b]\n" + thing("V: !If [Never, !Select [9, [a]], b]")
    assert properties(text) == {"V": "b"}
    with pytest.raises(CompileError) as caught:
        compiled(text.replace("!Select [9, [a]]", "!Ref Nothing"))
    assert [one.code for one in caught.value.diagnostics] == ["T303"]


def test_a_resource_that_is_left_out_takes_its_dependencies_and_outputs_along() -> None:
    text = (
        "Conditions:\n  Never: !Equals [a, b]\n"
        + thing("V: 1").replace("    Properties", "    DependsOn: [Other, More]\n    Properties")
        + "  Other: {Type: Simulated::Thing, Condition: Never}\n  More: {Type: Simulated::Thing}\n"
        + "Outputs:\n  Other: {Condition: Never, Value: !Ref Other}\n  More: {Value: !Ref More}\n"
    )
    found = compiled(text).composition
    assert [one.logical_id for one in found.resources] == ["More", "Thing"]
    assert found.resources[1].depends_on == ("More",)
    assert [one.name for one in found.outputs] == ["More"]


def test_dependencies_are_what_is_named_and_what_is_referred_to() -> None:
    text = thing("A: !Ref C", "B: !Sub '${D.Id}'").replace(
        "    Properties", "    DependsOn: B\n    Properties"
    ) + "".join(f"  {name}: {{Type: Simulated::Thing}}\n" for name in "BCD")
    found = {one.logical_id: one.depends_on for one in compiled(text).composition.resources}
    assert found == {"B": (), "C": (), "D": (), "Thing": ("B", "C", "D")}


@pytest.mark.parametrize(
    ("type_name", "line", "deletion", "replacement"),
    [
        ("AWS::SNS::Topic", "", DeletionPolicy.DELETE, DeletionPolicy.DELETE),
        ("AWS::SNS::Topic", "DeletionPolicy: Retain", DeletionPolicy.RETAIN, DeletionPolicy.DELETE),
        ("AWS::SNS::Topic", "DeletionPolicy: RetainExceptOnCreate", EXCEPT_ON_CREATE, DeletionPolicy.DELETE),
        ("AWS::SNS::Topic", "UpdateReplacePolicy: Retain", DeletionPolicy.DELETE, DeletionPolicy.RETAIN),
        ("AWS::RDS::DBInstance", "", DeletionPolicy.SNAPSHOT, DeletionPolicy.DELETE),
        ("AWS::RDS::DBInstance", "DeletionPolicy: Delete", DeletionPolicy.DELETE, DeletionPolicy.DELETE),
    ],
)
def test_policies_are_those_of_cloudformation(
    type_name: str, line: str, deletion: DeletionPolicy, replacement: DeletionPolicy
) -> None:
    found = compiled(f"Resources:\n  Thing:\n    Type: {type_name}\n    {line}\n").composition.resources[0]
    assert (found.deletion_policy, found.replace_policy) == (deletion, replacement)


def test_the_name_is_the_name_of_the_file_without_its_ending() -> None:
    assert compiled(thing("V: 1")).composition.name == "web"


def test_a_text_may_begin_with_a_line_of_fewer_spaces() -> None:
    assert properties(thing("Text: |-", "   ", "     a")) == {"Text": "\na"}


def test_merge_keys_bring_in_what_is_not_there() -> None:
    text = "Metadata:\n  Base: &base {A: 1, B: 2}\n" + thing("V: {<<: *base, B: 3}")
    assert properties(text) == {"V": {"B": 3, "A": 1}}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\xff\xfe", "T005"),
        (b"a" * (LARGEST_FILE_BYTES + 1), "T002"),
        (b"\xe9" * (LARGEST_FILE_BYTES + 1), "T002"),
        (b"", "T006"),
    ],
    ids=["no text", "large", "large and no text", "empty"],
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    with pytest.raises(CompileError) as caught:
        compile_file(path, parameters={}, region="eu-west-1")
    assert [one.code for one in caught.value.diagnostics] == [code]


def test_a_file_that_is_not_there_is_an_error_like_any_other(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        compile_file(tmp_path / "none.yaml", parameters={}, region="eu-west-1")
    assert [one.code for one in caught.value.diagnostics] == ["T001"]


def test_text_that_cannot_be_stored_is_refused() -> None:
    text = "Parameters:\n  Name: {Type: String}\n" + thing("V: !Ref Name")
    with pytest.raises(CompileError) as caught:
        compiled(text, Name="\udcff")
    assert [one.code for one in caught.value.diagnostics] == ["T005"]
    with pytest.raises(CompileError) as caught:
        compiled('{"Description": "\\ud800", "Resources": {}}')
    assert [one.code for one in caught.value.diagnostics] == ["T004"]


def test_a_message_counts_the_errors_and_not_the_warnings() -> None:
    text = "Hooks: {}\n" + thing("V: !Ref Nothing")
    with pytest.raises(CompileError, match=r"has 1 error$") as caught:
        compiled(text)
    assert [one.code for one in caught.value.diagnostics] == ["T803", "T303"]


def test_a_long_chain_of_conditions_is_followed_to_its_end() -> None:
    chain = "".join(f"  C{number}: !Not [!Condition C{number + 1}]\n" for number in range(3000))
    text = f"Conditions:\n{chain}  C3000: !Equals [a, a]\n" + thing("V: !If [C0, even, odd]")
    assert properties(text) == {"V": "even"}


def test_many_circles_are_an_error_and_not_a_wait() -> None:
    circles = "".join(
        f"  A{number}: {{Type: Simulated::Thing, DependsOn: B{number}}}\n"
        f"  B{number}: {{Type: Simulated::Thing, DependsOn: A{number}}}\n"
        for number in range(100)
    )
    with pytest.raises(CompileError) as caught:
        compiled(f"Resources:\n{circles}")
    assert {one.code for one in caught.value.diagnostics} == {"T516"}
    conditions = "".join(f"  A{n}: !Not [!Condition B{n}]\n  B{n}: !Not [!Condition A{n}]\n" for n in range(100))
    uses = [f"V{number}: !If [A{number}, a, b]" for number in range(100)]
    with pytest.raises(CompileError) as caught:
        compiled(f"Conditions:\n{conditions}" + thing(*uses))
    assert {one.code for one in caught.value.diagnostics} == {"T402"}


def test_a_boolean_of_any_spelling_is_one_text() -> None:
    text = """
Parameters:
  A: {Type: String, Default: True, AllowedValues: [true, FALSE]}
Conditions:
  IsA: !Equals [!Ref A, 'true']
  IsToo: !Equals [true, TRUE]
  Both: !And [{Condition: IsA}, {Condition: IsToo}]
Resources:
  T: {Type: AWS::SNS::Topic, Condition: Both, Properties: {DisplayName: !Sub 'is ${A}'}}
"""
    [topic] = compile_text(text, file="t.yaml", parameters={}, region="us-east-1").composition.resources
    assert topic.properties["DisplayName"] == "is true"


def test_the_words_of_yaml_1_1_are_flags() -> None:
    text = "Parameters:\n  P: {Type: String, NoEcho: yes}\n" + thing("V: !Ref P")
    compiled = compile_text(text, file="t.yaml", parameters={"P": "hidden"}, region="us-east-1")
    assert "hidden" not in str(compiled.composition)
