"""EC2's rules for tags: how many, how long, which keys; and tags given in the call that creates."""

import re
from collections.abc import Iterable, Sequence

from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data

MOST_TAGS = 50
_LONGEST_KEY = 128
_LONGEST_VALUE = 256
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""An answer in XML could not carry them."""


def tags_at_birth(specifications: Sequence[Data], kind: str) -> list[Data]:
    """The tags that a new thing of this kind gets. Raises Refusal for those of another kind."""
    wanted = next((one for one in specifications if one.get("ResourceType") == kind), None)
    return merged([], wanted.get("Tags") or ()) if wanted else []


def check_specifications(specifications: Sequence[Data], kinds: Iterable[str]) -> None:
    """Each must be for something that the call makes, and none twice. Raises Refusal."""
    allowed, seen = frozenset(kinds), set()
    for one in specifications:
        kind = one.get("ResourceType")
        if not kind:
            raise Refusal("MissingParameter", "Tag specification must have a resource type")
        if kind not in allowed:
            raise Refusal(
                "InvalidParameterValue", f"'{kind}' is not a valid taggable resource type for this operation."
            )
        if kind in seen:
            raise Refusal("InvalidParameterValue", f"The tag specification for '{kind}' is given twice.")
        seen.add(kind)


def merged(present: Sequence[Data], given: Sequence[Data]) -> list[Data]:
    """Present tags with others added or overwritten, in the order of their keys. Raises Refusal."""
    keys = [tag.get("Key") for tag in given]
    if len(set(keys)) < len(keys):
        raise Refusal(
            "InvalidParameterValue", "Duplicate tag keys found. Please note that Tag keys are case sensitive."
        )
    for tag in given:
        _check(tag)
    by_key = {tag["Key"]: tag["Value"] for tag in present} | {tag["Key"]: tag.get("Value") or "" for tag in given}
    if len([key for key in by_key if not key.startswith("aws:")]) > MOST_TAGS:
        raise Refusal("TagLimitExceeded", f"The maximum number of tags per resource is {MOST_TAGS}")
    return [{"Key": key, "Value": by_key[key]} for key in sorted(by_key)]


def without(present: Sequence[Data], gone: Sequence[Data]) -> list[Data]:
    """Present tags without those of these keys; a value that is given must match too."""

    def is_gone(tag: Data) -> bool:
        return any(one.get("Key") == tag["Key"] and one.get("Value", tag["Value"]) == tag["Value"] for one in gone)

    return [tag for tag in present if not is_gone(tag)]


def _check(tag: Data) -> None:
    key, value = tag.get("Key") or "", tag.get("Value") or ""
    if not key:
        raise Refusal("InvalidParameterValue", "Tag key cannot be empty.")
    if key.casefold().startswith("aws:"):
        raise Refusal("InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use")
    if _UNSHOWN.search(key + value):
        raise Refusal("InvalidParameterValue", "Tag keys and values must not hold control characters")
    if len(key) > _LONGEST_KEY:
        raise Refusal("InvalidParameterValue", f"Tag key exceeds the maximum length of {_LONGEST_KEY} characters")
    if len(value) > _LONGEST_VALUE:
        raise Refusal("InvalidParameterValue", f"Tag value exceeds the maximum length of {_LONGEST_VALUE} characters")
