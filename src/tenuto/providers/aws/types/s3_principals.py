"""Principals of bucket policies. S3 shows an identity of CloudFront by its ARN, however it was declared.

Theory of operation. Many templates, and every one of the CDK with such an identity, let it read a bucket as
`CanonicalUser`, by its `S3CanonicalUserId`. S3 keeps the ARN of the identity instead. CloudFront alone tells which id
an ARN stands for, and that never changes. So a policy with such an ARN is shown in both spellings, and a declaration is
compared with the one that it uses. An identity that CloudFront does not tell of stays an ARN.
"""

import json
import re
from collections.abc import Mapping

from tenuto.model.ids import Json
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.whereabouts import told_of_each

CANONICAL = "CanonicalUser"
_IDENTITY = re.compile(r"arn:[\w-]+:iam::cloudfront:user/CloudFront Origin Access Identity \w+")
_ROLES = ("Principal", "NotPrincipal")


def by_canonical_ids(client: AccountClient, document: Json) -> Json:
    """The policy with the canonical ids of the identities of CloudFront in it; None where none is known."""
    arns = sorted(set(_IDENTITY.findall(json.dumps(document))))
    if not arns:
        return None

    def canonical_id(arn: str) -> str:
        identity = client.ask("cloudfront", "GetCloudFrontOriginAccessIdentity", Id=arn.rpartition(" ")[2])
        return str(identity["CloudFrontOriginAccessIdentity"]["S3CanonicalUserId"])

    known = told_of_each(client, arns, canonical_id)
    return _spelled(document, known) if known else None


def _spelled(value: Json, known: Mapping[str, str]) -> Json:
    if isinstance(value, Mapping):
        return {
            name: _principals(one, known) if name in _ROLES else _spelled(one, known) for name, one in value.items()
        }
    return [_spelled(one, known) for one in value] if isinstance(value, list) else value


def _principals(principal: Json, known: Mapping[str, str]) -> Json:
    if not isinstance(principal, Mapping) or "AWS" not in principal:
        return principal
    told = principal["AWS"] if isinstance(principal["AWS"], list) else [principal["AWS"]]
    ids = [known[one] for one in told if one in known]
    others = [one for one in told if one not in known]
    rest = {name: one for name, one in principal.items() if name != "AWS"}
    return {**rest, **({"AWS": others} if others else {}), **({CANONICAL: ids} if ids else {})}
