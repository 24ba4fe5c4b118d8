"""IAM's policy documents: the checks of IAM for one, and the names, paths and tags that go with everything in IAM."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote, unquote

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.iam_kinds import ROLE
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, Thing

_MOST_TAGS = 50
_VERSIONS = ("2012-10-17", "2008-10-17")
_SERVICE = re.compile(r"[a-z0-9.-]+\.amazonaws\.com(\.cn)?")
_PRINCIPAL = re.compile(r"\*|\d{12}|arn:aws[\w-]*:(iam|sts)::\d{12}:[\w+=,.@/-]+")


def malformed(why: str) -> Refusal:
    return Refusal("MalformedPolicyDocument", why)


def checked_policy(text: str) -> str:
    """A checked policy of an identity: it names resources and no principal. Raises Refusal."""
    for statement in _statements(text):
        if "Principal" in statement:
            raise malformed("Policy document should not specify a principal.")
        if not ("Resource" in statement or "NotResource" in statement):
            raise malformed("Policy statement must contain resources.")
    return quote(text, safe="")


def checked_trust(call: Call, text: str) -> str:
    """A role's trust: who may assume it. Raises Refusal, also for a principal that IAM does not know."""
    for statement in _statements(text):
        if "Resource" in statement:
            raise malformed("Has prohibited field Resource")
        principal = statement.get("Principal")
        if not principal:
            raise malformed("Trust policy must have a principal.")
        for kind, names in principal.items() if isinstance(principal, dict) else [("AWS", principal)]:
            for name in names if isinstance(names, list) else [names]:
                _check_principal(call, kind, str(name))
    return quote(text, safe="")


def check_size(quota: str, most: int, documents: Iterable[str]) -> None:
    """So many characters at most, blanks aside, in checked documents together. Raises Refusal."""
    if sum(len("".join(unquote(one).split())) for one in documents) > most:
        raise Refusal("LimitExceeded", f"Cannot exceed quota for {quota}: {most}")


def _check_principal(call: Call, kind: str, name: str) -> None:
    if kind == "Service" and not _SERVICE.fullmatch(name):
        raise malformed(f'Invalid principal in policy: "SERVICE":"{name}"')
    if kind == "AWS" and not _PRINCIPAL.fullmatch(name):
        raise malformed(f'Invalid principal in policy: "AWS":"{name}"')
    role = re.fullmatch(rf"arn:aws:iam::{call.account}:role/(?:.*/)?([^/]+)", name)
    if kind == "AWS" and role and call.place.sight(ROLE, role[1], call.horizon()) is None:
        raise malformed(f'Invalid principal in policy: "AWS":"{name}"')


def _statements(text: str) -> list[Data]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise malformed("Syntax errors in policy.") from error
    if not isinstance(document, dict) or document.get("Version", _VERSIONS[1]) not in _VERSIONS:
        raise malformed("The policy must contain a valid version string")
    statements = document.get("Statement")
    found: list[Any] = statements if isinstance(statements, list) else [statements]
    for statement in found:
        if not isinstance(statement, dict) or statement.get("Effect") not in ("Allow", "Deny"):
            raise malformed("Syntax errors in policy.")
        if not ("Action" in statement or "NotAction" in statement):
            raise malformed("Policy statement must contain actions.")
    return found


def named(call: Call, kind: Kind, name: str, noun: str) -> Thing:
    """The thing of a name that can be known by now. Raises Refusal."""
    thing = call.place.table(kind).things.get(name)
    if thing is None or thing.made_at > call.horizon().new:
        raise Refusal("NoSuchEntity", f"The {noun} with name {name} cannot be found.")
    return thing


def check_is_new(call: Call, kind: Kind, name: str, noun: str) -> None:
    """Names differ in more than the case of their letters. Raises Refusal."""
    if any(one.casefold() == name.casefold() for one in call.place.table(kind).things):
        raise Refusal("EntityAlreadyExists", f"{noun} with name {name} already exists.")


def path_of(call: Call) -> str:
    path: str = call.want("Path", "/")
    if not (path.startswith("/") and path.endswith("/")):
        raise Refusal("ValidationError", f"The path {path} must begin and end with a slash.")
    return path


def merged_tags(present: Sequence[Data], given: Sequence[Data]) -> list[Data]:
    """Tags added or overwritten; IAM's keys do not differ by case alone. Raises Refusal."""
    keys = [tag["Key"].casefold() for tag in given]
    if len(set(keys)) < len(keys):
        raise Refusal("InvalidInput", "Duplicate tag keys found. Please note that Tag keys are case insensitive.")
    if any(key.startswith("aws:") for key in keys):
        raise Refusal("InvalidInput", "Tag keys starting with aws: are reserved.")
    kept = [tag for tag in present if tag["Key"].casefold() not in keys]
    if len(kept) + len(given) > _MOST_TAGS:
        raise Refusal("LimitExceeded", f"The number of tags has reached the maximum limit of {_MOST_TAGS}.")
    return sorted([*kept, *({"Key": tag["Key"], "Value": tag["Value"]} for tag in given)], key=lambda tag: tag["Key"])


def untagged(present: Sequence[Data], keys: Sequence[str]) -> list[Data]:
    gone = {key.casefold() for key in keys}
    return [tag for tag in present if tag["Key"].casefold() not in gone]


def listed(call: Call, members: str, items: Sequence[object], keys: Sequence[str]) -> Data:
    """A page of things in the order of their keys."""
    pairs = sorted(zip(keys, items, strict=True), key=lambda pair: pair[0])
    page, token = cut(call, pairs, lambda pair: pair[0], int(call.want("MaxItems") or 100))
    answer: Data = {members: [item for _, item in page], "IsTruncated": token is not None}
    return {**answer, "Marker": token} if token else answer
