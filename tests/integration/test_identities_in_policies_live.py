"""A bucket that an identity of CloudFront reads, by its canonical id or by its ARN, is as declared from then on, on a
real Conductor; another identity in its place is not."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live import Live, begun_at, emulated

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


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with emulated(tmp_path) as running:
        yield running


def apply(live: Live, text: str) -> None:
    path = live.folder / "site.yaml"
    path.write_text(text)
    live.tenuto("apply", str(path), "-a", "site", "--wait=180", check=True)


def puts(live: Live) -> int:
    found: list[Any] = live.tenuto("--json", "ops", "site", check=True).document["ops"]
    return sum(one["operation"] == "PutBucketPolicy" for one in found)


def principal(live: Live) -> str:
    text = live.aws("s3").get_bucket_policy(Bucket="a-site")["Policy"]
    return str(json.loads(text)["Statement"][0]["Principal"]["AWS"])


def two_jobs_later(live: Live) -> None:
    for _ in range(2):
        live.until_converged("site", begun_at(live.status("site")))


def test_an_identity_is_known_by_its_canonical_id_and_by_its_arn(live: Live) -> None:
    apply(live, TEMPLATE)
    assert principal(live).endswith(f"Origin Access Identity {live.id('site', 'Reader')}")
    two_jobs_later(live)
    assert puts(live) == 1

    apply(live, BY_ARN)
    two_jobs_later(live)
    assert puts(live) == 1

    apply(live, ANOTHER)
    assert principal(live).endswith(f"Origin Access Identity {live.id('site', 'Other')}")
    two_jobs_later(live)
    assert puts(live) == 2

    # Another hand lets another identity in: that is seen, and set right.
    text = live.aws("s3").get_bucket_policy(Bucket="a-site")["Policy"]
    changed = text.replace(live.id("site", "Other"), live.id("site", "Reader"))
    live.aws("s3").put_bucket_policy(Bucket="a-site", Policy=changed)
    two_jobs_later(live)
    assert puts(live) == 3
    assert principal(live).endswith(f"Origin Access Identity {live.id('site', 'Other')}")
    live.tenuto("kill", "site", "--wait=180", check=True)
