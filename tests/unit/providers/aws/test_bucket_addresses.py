"""The addresses of a bucket, by region: a template hands them to name servers and distributions as they are."""

import pytest

from tenuto.providers.aws.types.s3_bucket import attributes_of


@pytest.mark.parametrize(
    ("region", "website", "regional"),
    [
        ("us-east-1", "logs.s3-website-us-east-1.amazonaws.com", "logs.s3.us-east-1.amazonaws.com"),
        ("us-gov-west-1", "logs.s3-website-us-gov-west-1.amazonaws.com", "logs.s3.us-gov-west-1.amazonaws.com"),
        ("us-gov-east-1", "logs.s3-website.us-gov-east-1.amazonaws.com", "logs.s3.us-gov-east-1.amazonaws.com"),
        ("eu-central-1", "logs.s3-website.eu-central-1.amazonaws.com", "logs.s3.eu-central-1.amazonaws.com"),
        ("cn-north-1", "logs.s3-website.cn-north-1.amazonaws.com.cn", "logs.s3.cn-north-1.amazonaws.com.cn"),
        ("eusc-de-east-1", "logs.s3-website.eusc-de-east-1.amazonaws.eu", "logs.s3.eusc-de-east-1.amazonaws.eu"),
    ],
)
def test_the_addresses_of_a_bucket_are_those_of_its_region(region: str, website: str, regional: str) -> None:
    found = attributes_of("logs", region)
    assert (found["WebsiteURL"], found["RegionalDomainName"]) == (f"http://{website}", regional)


@pytest.mark.parametrize(
    ("region", "arn"),
    [
        ("eu-west-1", "arn:aws:s3:::logs"),
        ("us-gov-east-1", "arn:aws-us-gov:s3:::logs"),
        ("eusc-de-east-1", "arn:aws-eusc:s3:::logs"),
    ],
)
def test_the_arn_of_a_bucket_is_in_the_partition_of_its_region(region: str, arn: str) -> None:
    assert attributes_of("logs", region)["Arn"] == arn
