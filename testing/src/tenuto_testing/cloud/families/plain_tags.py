"""Tags of the services beside EC2 and IAM: one set of them for each thing, and no tag specifications.

The rules are the same everywhere; the codes of refusal are not.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data

_MOST = 50
_LONGEST_KEY = 128
_LONGEST_VALUE = 256
_TEXT = re.compile(r"[\w\s.:/=+\-@]*")


@dataclass(frozen=True, slots=True)
class TagCodes:
    """How a service refuses tags: those that are none, and those that are too many."""

    invalid: str
    too_many: str


def of_map(tags: Mapping[str, str] | None) -> list[Data]:
    """Tags that came as a mapping, as the list that everything here keeps."""
    return [{"Key": key, "Value": value} for key, value in (tags or {}).items()]


def as_map(tags: Sequence[Data]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in tags}


def tagged(present: Sequence[Data], given: Iterable[Data], codes: TagCodes) -> list[Data]:
    """Present tags with others added or overwritten. Raises Refusal."""
    found = as_map(present)
    seen: set[str] = set()
    for tag in given:
        key, value = tag["Key"], tag.get("Value") or ""
        if key in seen:
            raise Refusal(codes.invalid, f"The tag key {key} is given twice.")
        if not key or key.casefold().startswith("aws:"):
            raise Refusal(codes.invalid, f"The tag key '{key}' is empty or reserved: aws: is for internal use.")
        if len(key) > _LONGEST_KEY or len(value) > _LONGEST_VALUE:
            raise Refusal(codes.invalid, f"The tag {key} is longer than {_LONGEST_KEY} and {_LONGEST_VALUE}.")
        if not _TEXT.fullmatch(key) or not _TEXT.fullmatch(value):
            raise Refusal(codes.invalid, f"The tag {key} has characters that tags cannot have.")
        seen.add(key)
        found[key] = value
    if len(found) > _MOST:
        raise Refusal(codes.too_many, f"The number of tags exceeds the limit of {_MOST}.")
    return of_map(dict(sorted(found.items())))


def untagged(present: Sequence[Data], keys: Iterable[str]) -> list[Data]:
    gone = frozenset(keys)
    return [tag for tag in present if tag["Key"] not in gone]
