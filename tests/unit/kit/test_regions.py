"""Regions that there are, and those that there are not."""

import pytest

from tenuto.kit.regions import LISTED, Regions, aws_partition, aws_partitions, names_aws


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-2", "cn-north-1", "us-gov-west-1", "eusc-de-east-1"])
def test_a_region_of_any_partition_is_one(region: str) -> None:
    assert LISTED.missing(region) == ""


@pytest.mark.parametrize(
    ("region", "said"),
    [
        ("us-esat-1", "There is no region us-esat-1. Did you mean us-east-1? A region that is newer"),
        ("us_east_1", "Did you mean us-east-1?"),
        ("eu-west-9", "TENUTO_MORE_REGIONS"),
        ("mars", "There is no region mars."),
        ("aws-global", "There is no region aws-global."),
    ],
)
def test_another_region_is_refused_with_the_one_that_was_meant(region: str, said: str) -> None:
    assert LISTED.missing(region).startswith(said) or said in LISTED.missing(region)


def test_what_can_be_no_region_is_not_taken_for_a_new_one() -> None:
    assert "TENUTO_MORE_REGIONS" not in LISTED.missing("mars")


def test_a_new_region_can_be_named() -> None:
    regions = Regions.parse("eu-west-9, sa-north-1\n eu-west-9")
    assert (regions.missing("eu-west-9"), str(regions)) == ("", "eu-west-9, sa-north-1")
    assert "Did you mean sa-north-1?" in regions.missing("sa-nroth-1")
    with pytest.raises(ValueError, match="is no region"):
        Regions.parse("EU/west")


def test_each_region_is_in_its_partition() -> None:
    found = [LISTED.partition(one) for one in ("us-east-1", "cn-north-1", "us-gov-east-1", "eu-west-9")]
    assert found == ["aws", "aws-cn", "aws-us-gov", ""]


@pytest.mark.parametrize(
    ("region", "name", "suffix"),
    [
        ("eu-west-1", "aws", "amazonaws.com"),
        ("cn-north-1", "aws-cn", "amazonaws.com.cn"),
        ("us-gov-east-1", "aws-us-gov", "amazonaws.com"),
        ("eusc-de-east-1", "aws-eusc", "amazonaws.eu"),
        ("us-iso-west-1", "aws-iso", "c2s.ic.gov"),
        ("eusc-de-north-7", "aws-eusc", "amazonaws.eu"),
        ("eu-west-9", "aws", "amazonaws.com"),
        ("a-zone-of-our-own", "aws", "amazonaws.com"),
    ],
)
def test_the_partition_of_a_region_names_its_things_and_its_addresses(region: str, name: str, suffix: str) -> None:
    found = aws_partition(region)
    assert (found.name, found.suffix) == (name, suffix)
    assert found.suffix in found.addresses


def test_the_home_of_a_partition_is_a_region_of_it() -> None:
    assert all(LISTED.partition(one.home) == one.name for one in aws_partitions())


def test_types_of_other_providers_have_regions_of_their_own() -> None:
    assert names_aws(["Simulated::Network", "AWS::EC2::VPC"])
    assert not names_aws(["Simulated::Network"])
