"""The key of a page: the place in an order after which it begins, as one word of a query string."""

import base64
import binascii
import json

from tenuto.errors import UserError

LONGEST = 2000
"""A longer one is none of ours."""


def page_key(*place: float | str) -> str:
    """The word for a place, which tells its parts and nothing else."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode()


def place_of(key: str, *types: type[float] | type[str]) -> tuple[float | str, ...]:
    """The place of a word: parts of these types. Raises UserError for a word that `page_key` has not made."""
    try:
        found = json.loads(base64.urlsafe_b64decode(key[:LONGEST].encode()))
        if not isinstance(found, list) or len(found) != len(types):
            raise ValueError(found)
        return tuple(kind(part) for kind, part in zip(types, found, strict=True))
    except (ValueError, TypeError, RecursionError, OverflowError, binascii.Error) as wrong:
        raise UserError("'after' is no key of a page. Begin without it.") from wrong
