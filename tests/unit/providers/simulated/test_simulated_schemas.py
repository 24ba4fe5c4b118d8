"""The schemas of the simulated types tell wrong names of a composition, with their lines, before it runs."""

import json

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.providers.simulated.schemas import schemas
from tenuto.providers.simulated.types import TYPES


def codes(text: str) -> list[tuple[str, int]]:
    with pytest.raises(CompileError) as refused:
        compile_text(text, file="web.yaml", parameters={}, region="us-east-1")
    return [(one.code, one.position.line if one.position else 0) for one in refused.value.diagnostics]


def test_a_wrong_name_of_a_property_an_attribute_or_a_type_has_its_line() -> None:
    text = """
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlok: 10.0.0.0/16}}
  Sub: {Type: Simulated::Subnett}
  Rule: {Type: Simulated::Rule, Properties: {GroupId: !GetAtt Net.GroupId, Port: 80}}
"""
    assert codes(text) == [("T504", 3), ("T502", 4), ("T305", 5)]


def test_a_needed_property_that_is_missing_has_its_line_before_anything_is_made() -> None:
    text = """
Resources:
  Net: {Type: Simulated::Network, Properties: {Label: main}}
  Sub: {Type: Simulated::Subnet, Properties: {CidrBlock: 10.0.1.0/24, NetworkId: !Ref Net}}
  Srv: {Type: Simulated::Server, Properties: {SubnetId: !Ref Sub, Image: !Ref AWS::NoValue}}
"""
    assert codes(text) == [("T505", 3), ("T505", 5)]


def test_every_property_and_every_attribute_of_every_type_can_be_written() -> None:
    blocks = {name.partition("::")[2]: TYPES[name] for name in schemas()}
    resources = {
        name: {"Type": block.facts.name, "Properties": dict.fromkeys(block.properties, "x")}
        for name, block in blocks.items()
    }
    outputs = {
        name + path: {"Value": {"Fn::GetAtt": [name, path]}}
        for name, block in blocks.items()
        for path in block.facts.attributes
    }
    text = json.dumps({"Resources": resources, "Outputs": outputs})
    made = compile_text(text, file="all.json", parameters={}, region="us-east-1")
    assert {one.type for one in made.composition.resources} == set(TYPES) - {CLOUD_NODE}
