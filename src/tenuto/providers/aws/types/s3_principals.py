"""Principals of bucket policies. S3 shows an identity of CloudFront by its ARN, however it was declared.

Theory of operation. Many templates, and every one of the CDK with such an identity, let it read a bucket as
`CanonicalUser`, by its `S3CanonicalUserId`. S3 keeps the ARN of the identity instead. CloudFront alone tells which id
an ARN stands for, and that never changes. So a policy with such an ARN is shown in both spellings, and a declaration is
compared with the one that it uses. An identity that CloudFront does not tell of stays an ARN.
"""

import json
import re
from collections.abc import Mapping, Sequence

from tenuto.errors import ProviderError
from tenuto.model.ids import Instant, Json
from tenuto.providers.aws.client.client import AccountClient

CANONICAL = "CanonicalUser"
_IDENTITY = re.compile(r"arn:[\w-]+:iam::cloudfront:user/CloudFront Origin Access Identity (?P<id>\w+)")
_ROLES = ("Principal", "NotPrincipal")
_LONG_AGO = Instant(0.0)


def by_canonical_ids(client: AccountClient, document: Json) -> Json:
    """The policy with the canonical ids of the identities of CloudFront in it; None where none is known."""
    arns = sorted({found[0] for found in _IDENTITY.finditer(json.dumps(document))})
    if not arns:
        return None

    def read(asked: Sequence[str]) -> Mapping[str, str]:
        found = zip(asked, client.each(lambda arn: _canonical_id(client, arn), asked), strict=True)
        return {arn: one for arn, one in found if one is not None}

    known = client.pointers.of(arns, _LONG_AGO, read)
    return _spelled(document, known) if known else None


def _canonical_id(client: AccountClient, arn: str) -> str | None:
    match = _IDENTITY.fullmatch(arn)
    assert match is not None
    try:
        answer = client.ask("cloudfront", "GetCloudFrontOriginAccessIdentity", Id=match["id"])
        return str(answer["CloudFrontOriginAccessIdentity"]["S3CanonicalUserId"])
    except (ProviderError, LookupError):
        return None


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
