"""A bucket that an identity of CloudFront reads, by its canonical id or by its ARN, is as declared from then on, on a
real Conductor; another identity in its place is not."""

import json

import pytest
from live import Live

TEMPLATE = """
Resources:
  Site: {Type: AWS::S3::Bucket, Properties: {BucketName: a-site}}
  Reader: &identity
    Type: AWS::CloudFront::CloudFrontOriginAccessIdentity
    Properties: {CloudFrontOriginAccessIdentityConfig: {Comment: one}}
  Other: *identity
  Policy:
    Type: AWS::S3::BucketPolicy
    Properties:
      Bucket: !Ref Site
      PolicyDocument:
        Version: "2012-10-17"
        Statement:
          - Sid: read
            Effect: Allow
            Action: s3:GetObject
            Principal: {CanonicalUser: !GetAtt Reader.S3CanonicalUserId}
            Resource: !Sub "${Site.Arn}/*"
"""
BY_ARN = TEMPLATE.replace(
    "{CanonicalUser: !GetAtt Reader.S3CanonicalUserId}",
    '{AWS: !Sub "arn:aws:iam::cloudfront:user/CloudFront Origin Access Identity ${Reader}"}',
)
ANOTHER = TEMPLATE.replace("!GetAtt Reader.S3", "!GetAtt Other.S3")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def puts(live: Live) -> int:
    return sum(one["operation"] == "PutBucketPolicy" for one in live.changes("site"))


def principal(live: Live) -> str:
    text = live.aws("s3").get_bucket_policy(Bucket="a-site")["Policy"]
    return str(json.loads(text)["Statement"][0]["Principal"]["AWS"])


def test_an_identity_is_known_by_its_canonical_id_and_by_its_arn(live: Live) -> None:
    live.apply("site", TEMPLATE, wait_s=180)
    assert principal(live).endswith(f"Origin Access Identity {live.id('site', 'Reader')}")
    live.two_jobs_later("site")
    assert puts(live) == 1

    live.apply("site", BY_ARN, wait_s=180)
    live.two_jobs_later("site")
    assert puts(live) == 1

    live.apply("site", ANOTHER, wait_s=180)
    assert principal(live).endswith(f"Origin Access Identity {live.id('site', 'Other')}")
    live.two_jobs_later("site")
    assert puts(live) == 2

    # Another hand lets another identity in: that is seen, and set right.
    text = live.aws("s3").get_bucket_policy(Bucket="a-site")["Policy"]
    changed = text.replace(live.id("site", "Other"), live.id("site", "Reader"))
    live.aws("s3").put_bucket_policy(Bucket="a-site", Policy=changed)
    live.two_jobs_later("site")
    assert puts(live) == 3
    assert principal(live).endswith(f"Origin Access Identity {live.id('site', 'Other')}")
    live.tenuto("kill", "site", "--wait=180", check=True)
