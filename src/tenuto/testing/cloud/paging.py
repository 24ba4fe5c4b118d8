"""Honest pages: at most what was asked for, and a token that goes on after the last one shown."""

import base64
import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tenuto.testing.cloud.wire.messages import Refusal

_T = TypeVar("_T")
Key = Callable[[_T], Any]


def cut(items: Sequence[_T], key: Callable[[_T], Any], size: int, token: str | None) -> tuple[list[_T], str | None]:
    """The page after the token's, and the token of the next one; `items` must be in the order of their keys.

    Raises Refusal (InvalidNextToken) for a token that this never gave.
    """
    start = bisect_right(items, _opened(token), key=key) if token else 0
    page = list(items[start : start + size])
    is_last = start + size >= len(items)
    return page, None if is_last or not page else _sealed(key(page[-1]))


def _sealed(key: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode()


def _opened(token: str) -> Any:
    try:
        return json.loads(base64.urlsafe_b64decode(token))
    except ValueError as error:
        raise Refusal("InvalidNextToken", f"The token '{token}' is invalid") from error
