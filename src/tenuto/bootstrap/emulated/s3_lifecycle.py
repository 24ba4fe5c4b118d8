"""Sizes in the rules of a bucket's lifecycle: moto reads the prefix and the tags of a filter alone."""

from typing import Any

from moto.s3.models import FakeBucket
from moto.s3.responses import S3Response

_SIZES = ("ObjectSizeGreaterThan", "ObjectSizeLessThan")
_set: Any = FakeBucket.set_lifecycle
_get: Any = S3Response.get_bucket_lifecycle


def _sizes(condition: Any) -> dict[str, int]:
    return {name: int(condition[name]) for name in _SIZES if name in (condition or {})}


def _set_rules(self: Any, rules: list[dict[str, Any]]) -> None:
    _set(self, rules)
    for rule, sent in zip(self.rules, rules, strict=True):
        condition = sent.get("Filter") or {}
        rule.sizes, rule.sizes_of_all = _sizes(condition), _sizes(condition.get("And"))


def _shown(self: Any) -> Any:
    show = self.serialized

    def completed(answer: Any) -> Any:
        for shown, rule in zip(
            answer.result["Rules"], self.backend.get_bucket_lifecycle(self.bucket_name), strict=True
        ):
            condition = shown.get("Filter", {})
            condition.update(rule.sizes)
            condition.get("And", {}).update(rule.sizes_of_all)
        return show(answer)

    self.serialized = completed
    try:
        return _get(self)
    finally:
        self.serialized = show


def add() -> None:
    """Keep and show them."""
    setattr(FakeBucket, "set_lifecycle", _set_rules)  # noqa: B010
    setattr(S3Response, "get_bucket_lifecycle", _shown)  # noqa: B010
