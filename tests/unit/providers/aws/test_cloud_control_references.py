"""The table of what `Ref` gives of older types names parts and attributes that their schemas have."""

import pytest

from tenuto.providers.aws.types.cloud_control_references import REFERENCES, reference_in
from tenuto.providers.aws.types.facts import published


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_what_ref_gives_is_a_part_of_the_identifier_or_an_attribute(name: str) -> None:
    schema = published(name)
    assert REFERENCES[name] in {*schema.primary_identifier, *schema.attributes}


def test_a_part_is_known_by_the_identifier_alone_and_an_attribute_once_it_is_shown() -> None:
    stream, definition = published("AWS::Logs::LogStream"), published("AWS::Batch::JobDefinition")
    assert reference_in("group|stream", {}, stream) == {"Ref": "stream"}
    assert reference_in("a|b|c", {}, stream) == {}, "an identifier of other parts is told as it is"
    assert reference_in("jobs", {}, definition) == {}
    assert reference_in("jobs", {"JobDefinitionArn": "arn:1"}, definition) == {"Ref": "arn:1"}


def test_a_type_that_is_not_in_the_table_is_known_by_its_identifier() -> None:
    assert reference_in("data|rules", {}, published("AWS::OpenSearchServerless::AccessPolicy")) == {}
