"""What CloudFormation refuses of a template, the compiler refuses as well, and names the same thing.

The templates of the validated tests are not recorded, only what came of them. Each is written here as small as it can
be; the recorded outcome says that the real CloudFormation refused it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from validated_outcomes import FOLDER, template_errors, texts_of

from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="TENUTO_RECORDINGS names no folder of recorded outcomes")

TOPIC = "Resources: {Topic: {Type: AWS::SNS::Topic}}"
MAPPING = """
Mappings: {Suffix: {A: {Topic: one}}}
Parameters: {Place: {Type: String, Default: %s}}
Resources: {Topic: {Type: AWS::SNS::Topic, Properties: {TopicName: !FindInMap [Suffix, !Ref Place, %s]}}}
"""
CONDITIONAL = """
Conditions: {Never: !Equals [a, b]}
Resources:
  MyTopic: {Type: AWS::SNS::Topic, Condition: Never}
%s
"""
PARAMETER = "Resources: {P: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: %s}}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A template, and words of what CloudFormation and the compiler say of it."""

    template: str
    theirs: str
    ours: str
    parameters: Mapping[str, str] = field(default_factory=dict)


def case(template: str, theirs: str, ours: str, **parameters: str) -> Case:
    return Case(template=template, theirs=theirs, ours=ours, parameters=parameters)


CASES = {
    "test_invalid_logical_resource_id": case(
        "Resources: {my-bad-resource-id: {Type: AWS::SNS::Topic}}", "my-bad-resource-id", "my-bad-resource-id"
    ),
    "test_using_pseudoparameters_in_places[resource]": case(
        "Resources: {AWS::NoValue: {Type: AWS::SNS::Topic}}", "AWS::NoValue is non alphanumeric", "AWS::NoValue"
    ),
    "test_using_pseudoparameters_in_places[parameter]": case(
        f"Parameters: {{AWS::NoValue: {{Type: String}}}}\n{TOPIC}", "AWS::NoValue is non alphanumeric", "AWS::NoValue"
    ),
    "test_create_stack_invalid_yaml_template_should_fail": case(
        "Resources:\n  A: [\n B", "YAML not well-formed", "cannot be read"
    ),
    "test_validate_invalid_json_template_should_fail": case(
        '{"this is invalid JSON"}', "JSON not well-formed", "cannot be read"
    ),
    "test_missing_resources_block": case(
        "Parameters: {A: {Type: String}}", "At least one Resources member", "Resources"
    ),
    "test_get_template_summary_no_resources": case("Resources: {}", "At least one Resources member", "Resources"),
    "test_invalid_output_structure[none-value]": case(
        f"{TOPIC}\nOutputs: {{MyOutput: {{Value: null}}}}", "MyOutput/Value", "null"
    ),
    "test_invalid_output_structure[missing-def]": case(
        f"{TOPIC}\nOutputs: {{MyOutput: {{Value: }}}}", "MyOutput/Value", "null"
    ),
    "test_invalid_output_structure[multiple-nones]": case(
        f"{TOPIC}\nOutputs: {{MyOutput: null}}", "Every Outputs member", "MyOutput"
    ),
    "test_resources_blocks[invalid-key]": case(
        "Resources: {A: {Type: AWS::SNS::Topic, Invalid: 1}}", "'Invalid'", "Invalid"
    ),
    "test_resources_blocks[missing-type]": case("Resources: {A: {Properties: {}}}", "must contain a Type", "Type"),
    "test_no_type": case("Resources: {Foo: {Properties: {}}}", "must contain a Type", "Type"),
    "test_invalid_getatt_fails": case(
        PARAMETER % "a" + "\nOutputs: {InvalidOutput: {Value: !GetAtt P.Invalid}}", "{Invalid}", "Invalid"
    ),
    "test_dependent_ref": case(
        CONDITIONAL % "  P: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !Ref MyTopic}}",
        "[MyTopic]",
        "MyTopic",
    ),
    "test_dependent_get_att": case(
        CONDITIONAL % "  P: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !GetAtt MyTopic.TopicName}}",
        "[MyTopic]",
        "MyTopic",
    ),
    "test_output_reference_to_skipped_resource": case(
        CONDITIONAL % "  Topic: {Type: AWS::SNS::Topic}\nOutputs: {One: {Value: !Ref MyTopic}}", "[MyTopic]", "MyTopic"
    ),
    "test_validate_equals_args_len": case(
        f"Conditions: {{One: !Equals [a]}}\n{TOPIC}", "list of 2 string parameters", "Fn::Equals"
    ),
    "test_missing_condition": case(
        PARAMETER % "!If [MissingCondition, a, b]", "MissingCondition in Fn::If", "MissingCondition"
    ),
    "test_mapping_with_nonexisting_key": case(MAPPING % ("C", "Topic"), "Unable to get mapping", "Suffix"),
    "test_async_mapping_error_first_level_v2": case(MAPPING % ("C", "Topic"), "Unable to get mapping", "Suffix"),
    "test_async_mapping_error_second_level_v2": case(MAPPING % ("A", "NotValid"), "Unable to get mapping", "NotValid"),
    "test_mapping_with_invalid_refs": case(
        f"Parameters: {{P: {{Type: String, Default: a}}}}\nMappings: {{M: {{A: {{B: !Ref P}}}}}}\n{TOPIC}",
        "Every Mappings attribute",
        "M",
    ),
    "test_mapping_maximum_nesting_depth": case(
        f"Mappings: {{M: {{A: {{B: {{C: d}}}}}}}}\n{TOPIC}", "Every Mappings attribute", "M"
    ),
    "test_mapping_minimum_nesting_depth": case(f"Mappings: {{M: {{A: b}}}}\n{TOPIC}", "must be a map", "M"),
    "test_depends_on_with_missing_reference": case(
        "Resources: {Topic: {Type: AWS::SNS::Topic, DependsOn: NonExistingResource}}",
        "[NonExistingResource]",
        "NonExistingResource",
    ),
    "test_useful_error_when_invalid_ref": case(
        f"{TOPIC}\nOutputs: {{One: {{Value: !Ref InvalidRef}}}}", "[InvalidRef]", "InvalidRef"
    ),
    "test_invalid_structure[getatt_validation.yml]": case(
        f"{TOPIC}\nOutputs: {{One: {{Value: {{'Fn::GetAtt': [Topic]}}}}}}", "every Fn::GetAtt object", "Fn::GetAtt"
    ),
    "test_invalid_structure[getatt_validation2.yml]": case(
        f"{TOPIC}\nOutputs: {{One: {{Value: {{'Fn::GetAtt': [Topic, '']}}}}}}",
        "every Fn::GetAtt object",
        "Unknown attribute",
    ),
    "test_invalid_select_index_type[non-integer-index]": case(
        PARAMETER % "!Select [one, [a, b]]", "an integer index", "Fn::Select"
    ),
    "test_invalid_select_index_type[non-list-list]": case(PARAMETER % "!Select [0, a]", "and a list", "Fn::Select"),
    "test_invalid_select_index_type[index-out-of-range]": case(
        PARAMETER % "!Select [5, [a, b]]", "an integer index", "Fn::Select"
    ),
    "test_validate_split_arguments_len": case(PARAMETER % "!Select [0, !Split [a]]", "every Fn::Split", "Fn::Split"),
    "test_invalid_parameter_type": case(
        f"Parameters: {{Value: {{Type: Number}}}}\n{TOPIC}", "'Value' must be a number", "Value", Value="a"
    ),
    "test_resolve_ssm_missing_parameter": case(
        f"Parameters: {{InputValue: {{Type: String}}}}\n{TOPIC}", "InputValue should either have", "InputValue"
    ),
    "test_invalid_stack_deploy": case(
        "Resources: {P: {Type: AWS::SSM::Parameter, Properties: {Value: a}}}", "{/Type} is required", "Type"
    ),
    "test_error_pass_macro_as_reference": case(
        "Parameters: {N: {Type: String, Default: AWS::Include}}\n"
        "Resources: {T: {Type: AWS::SNS::Topic, Properties: {'Fn::Transform': {Name: !Ref N}}}}",
        "Name of transform definition must be a string",
        "Fn::Transform",
    ),
}
NOT_TEMPLATES: Mapping[str, str] = {
    "test_failed_state[return_invalid_template.py]": "a macro of the account returned it, and Tenuto runs no macros",
    "test_fn_split_with_get_att": "a change set cannot show a value that is not known yet; the template is in order",
}
"""The validated tests in which something else than a template was refused, and what."""


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_template_that_cloudformation_refuses_is_refused_for_the_same_thing(name: str) -> None:
    one = CASES[name]
    assert one.theirs in texts_of(name)
    file = "refused.json" if one.template.startswith("{") else "refused.yaml"
    with pytest.raises(CompileError) as refused:
        compile_text(one.template, file=file, parameters=dict(one.parameters), region="us-east-1")
    told = "\n".join(f"{found.subject} {found.summary} {found.detail}" for found in refused.value.diagnostics)
    assert re.search(rf"\b{re.escape(one.ours)}\b", told), told


def test_no_refused_template_is_left_out() -> None:
    assert template_errors().keys() - CASES.keys() == NOT_TEMPLATES.keys(), template_errors()
