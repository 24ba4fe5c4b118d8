"""Placement groups of EC2."""

from typing import Any
from uuid import uuid4

from moto.core.responses import ActionResult, EmptyResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.core import TaggedEC2Resource
from moto.ec2.responses import EC2Response
from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, EC2_RESOURCE_TO_PREFIX, generic_filter

_WORD = "placement-group"


class _Group(TaggedEC2Resource):
    """A group; its tags are kept by its id."""

    def __init__(self, backend: Any, sent: dict[str, Any]) -> None:
        self.ec2_backend = backend
        self.id = self.group_id = f"pg-{uuid4().hex[:17]}"
        self.group_name = sent["GroupName"]
        self.group_arn = f"arn:aws:ec2:us-east-1:123456789012:{_WORD}/{self.group_name}"
        self.state = "available"
        self.strategy = sent.get("Strategy", "cluster")
        self.partition_count = sent.get("PartitionCount")
        self.spread_level = sent.get("SpreadLevel")


def _groups(self: Any) -> dict[str, _Group]:
    found: dict[str, _Group] = vars(self.ec2_backend).setdefault("tenuto_placement_groups", {})
    return found


def _known(self: Any, name: str) -> _Group:
    if name not in _groups(self):
        raise EC2ClientError("InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")
    return _groups(self)[name]


def _create(self: Any) -> ActionResult:
    names = ("GroupName", "Strategy", "PartitionCount", "SpreadLevel")
    group = _Group(self.ec2_backend, {name: self._get_param(name) for name in names if self._get_param(name)})
    if group.group_name in _groups(self):
        message = f"The placement group '{group.group_name}' already exists."
        raise EC2ClientError("InvalidPlacementGroup.Duplicate", message)
    _groups(self)[group.group_name] = group
    group.add_tags(self._parse_tag_specification().get(_WORD, {}))
    return ActionResult({"PlacementGroup": group})


def _describe(self: Any) -> ActionResult:
    names = self._get_param("GroupNames", [])
    found = [_known(self, name) for name in names] or list(_groups(self).values())
    return ActionResult({"PlacementGroups": generic_filter(self._filters_from_querystring(), found)})


def _delete(self: Any) -> EmptyResult:
    del _groups(self)[_known(self, self._get_param("GroupName")).group_name]
    return EmptyResult()


def add() -> None:
    """Add the calls."""
    EC2_PREFIX_TO_RESOURCE["pg"], EC2_RESOURCE_TO_PREFIX[_WORD] = _WORD, "pg"
    for name, call in (("create", _create), ("delete", _delete)):
        setattr(EC2Response, f"{name}_placement_group", call)
    setattr(EC2Response, "describe_placement_groups", _describe)  # noqa: B010
