"""Honest pages: at most as many as were asked for, and a token that goes on after the last one shown.

A token belongs to its question: the same account, region and action with the same parameters, the size of a page aside,
within a day. Any other is refused in the service's own words, so that a program that mixes up two lists, or keeps a
token for tomorrow, learns of it here. Where AWS may be laxer (IAM's markers seem to have no end) no program should rely
on it.
"""

import base64
import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, TypeVar

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.tokens import asked_for
from tenuto_testing.cloud.wire.messages import Refusal

_T = TypeVar("_T")
_TOKENS = ("NextToken", "nextToken", "Marker", "ContinuationToken")
_SIZES = ("MaxResults", "MaxItems", "MaxBuckets", "MaxKeys", "limit")
_KEPT_S = 24 * 3600.0
"""CloudWatch Logs documents a day; the others say nothing."""
_CODES = {
    "dynamodb": "ValidationException",
    "iam": "ValidationError",
    "logs": "InvalidParameterException",
    "s3": "InvalidArgument",
    "sns": "InvalidParameter",
    "sqs": "InvalidParameterValue",
}
"""The code of the refusal of a token that does not fit; EC2 and the Systems Manager have a word for it."""


def cut(call: Call, items: Sequence[_T], key: Callable[[_T], Any], size: int) -> tuple[list[_T], str | None]:
    """The page after the call's token, and the token of the next one; `items` must be in the order of their keys.

    Raises Refusal for a token that was not given to the same question, or too long ago.
    """
    token = next((str(call.want(name)) for name in _TOKENS if call.want(name)), "")
    start = bisect_right(items, _opened(call, token), key=key) if token else 0
    page = list(items[start : start + size])
    is_last = start + size >= len(items)
    return page, None if is_last or not page else _sealed(call, key(page[-1]))


def _sealed(call: Call, key: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps([_question(call), call.now, key]).encode()).decode()


def _opened(call: Call, token: str) -> Any:
    try:
        question, given_at, key = json.loads(base64.urlsafe_b64decode(token))
        is_fitting = question == _question(call) and call.now - given_at <= _KEPT_S
    except (ValueError, TypeError):
        is_fitting = False
    if not is_fitting:
        raise Refusal(_CODES.get(call.service, "InvalidNextToken"), f"The token '{token}' is invalid or has expired.")
    return key


def _question(call: Call) -> str:
    asked = {name: value for name, value in call.parameters.items() if name not in (*_TOKENS, *_SIZES)}
    whole = (call.account, call.region, call.service, call.action, asked_for(asked))
    return sha256("\n".join(whole).encode()).hexdigest()[:16]
