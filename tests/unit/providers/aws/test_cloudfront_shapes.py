"""The configuration of a distribution: counted lists for CloudFront, plain ones for compositions, changes laid over."""

from typing import Any

import botocore.session
import pytest
from botocore.model import Shape

from tenuto.providers.aws.types.cloudfront_shapes import declared, sent

BEHAVIOUR = {"TargetOriginId": "a", "ViewerProtocolPolicy": "allow-all"}
ORIGIN = {"Id": "a", "DomainName": "a.example.com"}


@pytest.fixture(scope="module")
def shape() -> Shape:
    model = botocore.session.get_session().get_service_model("cloudfront")
    found: Shape = model.operation_model("UpdateDistribution").input_shape.members["DistributionConfig"]
    return found


def test_lists_are_counted_and_methods_stand_in_one_another(shape: Shape) -> None:
    wished = {
        "Enabled": "true",
        "Aliases": ["a.example.com"],
        "Origins": [{**ORIGIN, "OriginCustomHeaders": [{"HeaderName": "X", "HeaderValue": "1"}]}],
        "DefaultCacheBehavior": {
            **BEHAVIOUR,
            "AllowedMethods": ["GET", "HEAD", "OPTIONS"],
            "CachedMethods": ["GET", "HEAD"],
            "TrustedSigners": ["self"],
            "DefaultTTL": "60",
        },
        "Restrictions": {"GeoRestriction": {"RestrictionType": "whitelist", "Locations": ["CH"]}},
        "Logging": {"Bucket": "logs.s3.amazonaws.com"},
    }
    found = sent(shape, wished, {})
    assert found["Enabled"] is True
    assert found["Aliases"] == {"Quantity": 1, "Items": ["a.example.com"]}
    assert found["Origins"]["Items"][0]["CustomHeaders"]["Quantity"] == 1
    behaviour = found["DefaultCacheBehavior"]
    assert behaviour["AllowedMethods"]["CachedMethods"] == {"Quantity": 2, "Items": ["GET", "HEAD"]}
    assert behaviour["TrustedSigners"] == {"Quantity": 1, "Items": ["self"], "Enabled": True}
    assert behaviour["DefaultTTL"] == 60
    geo = {"RestrictionType": "whitelist", "Quantity": 1, "Items": ["CH"]}
    assert found["Restrictions"]["GeoRestriction"] == geo
    assert found["Logging"]["Enabled"] is True


def test_what_was_sent_is_shown_as_it_was_declared(shape: Shape) -> None:
    wished: dict[str, Any] = {
        "Enabled": True,
        "Comment": "front",
        "IPV6Enabled": True,
        "Origins": [ORIGIN],
        "DefaultCacheBehavior": {**BEHAVIOUR, "AllowedMethods": ["GET", "HEAD"], "CachedMethods": ["GET"]},
        "OriginGroups": {
            "Quantity": 1,
            "Items": [
                {
                    "Id": "g",
                    "FailoverCriteria": {"StatusCodes": {"Quantity": 1, "Items": [500]}},
                    "Members": {"Quantity": 2, "Items": [{"OriginId": "a"}, {"OriginId": "b"}]},
                }
            ],
        },
        "ViewerCertificate": {"AcmCertificateArn": "arn", "SslSupportMethod": "sni-only"},
    }
    assert declared(sent(shape, wished, {}), "DistributionConfig") == wished


def test_a_change_leaves_what_nobody_declared_and_takes_out_what_is_replaced(shape: Shape) -> None:
    present = sent(
        shape,
        {
            "Enabled": True,
            "WebACLId": "acl",
            "Origins": [{**ORIGIN, "OriginPath": "/old", "S3OriginConfig": {}}, {**ORIGIN, "Id": "b"}],
            "DefaultCacheBehavior": {**BEHAVIOUR, "Compress": True, "ForwardedValues": {"QueryString": True}},
            "ViewerCertificate": {"CloudFrontDefaultCertificate": True},
        },
        {},
    )
    wished = {
        "Enabled": True,
        "Origins": [{**ORIGIN, "CustomOriginConfig": {"OriginProtocolPolicy": "https-only"}}],
        "DefaultCacheBehavior": {**BEHAVIOUR, "CachePolicyId": "policy"},
        "ViewerCertificate": {"AcmCertificateArn": "arn", "SslSupportMethod": "sni-only"},
    }
    found = sent(shape, wished, present)
    assert found["WebACLId"] == "acl"
    [origin] = found["Origins"]["Items"]
    assert origin["OriginPath"] == "/old"
    assert "S3OriginConfig" not in origin
    assert origin["CustomOriginConfig"]["HTTPSPort"] == 443
    behaviour = found["DefaultCacheBehavior"]
    assert behaviour["Compress"] is True
    assert behaviour.keys().isdisjoint({"ForwardedValues", "MinTTL"})
    assert found["ViewerCertificate"] == {"ACMCertificateArn": "arn", "SSLSupportMethod": "sni-only"}
