"""The sizes that App Runner documents in processors and gigabytes are those that it shows in units and MiB."""

import pytest

from tenuto.compositions.checks.schema import HOME_REGION, AwsSchemas
from tenuto.core.planning.equality.values import means_same
from tenuto.providers.aws.types.cloud_control_facts import facts_of
from tenuto.providers.aws.types.cloud_control_words import WORDS_OF

SCHEMAS = AwsSchemas(HOME_REGION)


@pytest.mark.parametrize(
    ("member", "declared", "shown", "is_same"),
    [
        ("Cpu", "1 vCPU", "1024", True),
        ("Cpu", "0.25 vCPU", "256", True),
        ("Cpu", "1024", "1024", True),
        ("Cpu", "2 vCPU", "1024", False),
        ("Memory", "2 GB", "2048", True),
        ("Memory", "0.5 GB", "512", True),
        ("Memory", "12 GB", "12288", True),
        ("Memory", "3 GB", "2048", False),
    ],
)
def test_a_size_means_the_same_in_either_unit(member: str, declared: str, shown: str, is_same: bool) -> None:
    schema = SCHEMAS.find("AWS::AppRunner::Service")
    assert schema is not None
    rules = facts_of(schema).compare_as
    found = means_same({member: declared}, {member: shown}, rules, "InstanceConfiguration")
    assert found is is_same


def test_the_table_names_types_of_cloud_control_with_the_documented_forms() -> None:
    for name in WORDS_OF:
        assert SCHEMAS.find(name) is not None
