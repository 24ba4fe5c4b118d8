"""Narrowed questions: the filters that EC2 was given, and the part of an answer that they cover.

Theory of operation. A filter is a request, and nothing in an answer says that it was heard: some endpoints do not know
one, and answer with everything that there is. Were the first thing of such a list taken for the one that was asked for,
another's instance would be stopped. So each member of a list is held against the filters once more. A list that holds
anything else was not narrowed, or belongs to another question: then everything is read, and narrowed here
(`AccountClient.pages`).

A filter that is not in the table cannot be held against anything, and a list with one is believed as it comes.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tenuto.model.ids import JsonMap

_FILTERS = ("Filters", "Filter")
"""The names that EC2 gives the parameter; NAT gateways alone have the latter."""
_PATHS: Mapping[str, tuple[str, ...]] = {
    "allocation-id": ("AllocationId",),
    "association.association-id": ("Associations.NetworkAclAssociationId",),
    "association.route-table-association-id": ("Associations.RouteTableAssociationId",),
    "association.subnet-id": ("Associations.SubnetId",),
    "attachment.vpc-id": ("Attachments.VpcId",),
    "default": ("IsDefault",),
    "group-id": ("GroupId", "Groups.GroupId"),
    "group-name": ("GroupName",),
    "instance-id": ("InstanceId",),
    "internet-gateway-id": ("InternetGatewayId",),
    "ip-permission.group-id": ("IpPermissions.UserIdGroupPairs.GroupId",),
    "nat-gateway-id": ("NatGatewayId",),
    "network-acl-id": ("NetworkAclId",),
    "public-ip": ("PublicIp",),
    "resource-id": ("ResourceId",),
    "route-table-id": ("RouteTableId",),
    "security-group-rule-id": ("SecurityGroupRuleId",),
    "state": ("State",),
    "subnet-id": ("SubnetId",),
    "volume-id": ("VolumeId",),
    "vpc-id": ("VpcId",),
}
"""The place in a member of a list that shows the value that a filter tests."""
_TAG = "tag:"
_INSTANCES = "Instances"
"""Instances alone come in groups, by the call that launched them."""


class Narrowing:
    """The filters of one call."""

    def __init__(self, filters: Sequence[JsonMap]) -> None:
        self._tests = [(str(one["Name"]), frozenset(map(_text, one["Values"]))) for one in filters]

    def sifted(self, members: Sequence[JsonMap]) -> tuple[list[JsonMap], bool]:
        """The members that were asked for, and whether there are others. No member is written into: they are shared."""
        kept: list[JsonMap] = []
        is_strange = False
        for member in members:
            if isinstance(member.get(_INSTANCES), list):
                inner, is_mixed = self.sifted(member[_INSTANCES])
                is_strange |= is_mixed
                if inner:
                    kept.append(_with(member, inner) if is_mixed else member)
            elif all(_shows(member, name, values) for name, values in self._tests):
                kept.append(member)
            else:
                is_strange = True
        return kept, is_strange


def _with(group: JsonMap, instances: list[JsonMap]) -> JsonMap:
    copied: Any = copy.copy(group)
    copied[_INSTANCES] = instances
    found: JsonMap = copied
    return found


def narrowing_of(parameters: Mapping[str, Any]) -> Narrowing | None:
    """The filters of a call; None when there are none, or one that cannot be held against anything."""
    filters = [one for name in _FILTERS for one in parameters.get(name) or ()]
    is_known = all(str(one["Name"]) in _PATHS or str(one["Name"]).startswith(_TAG) for one in filters)
    return Narrowing(filters) if filters and is_known else None


def unnarrowed(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the same call for everything: without filters."""
    return {name: value for name, value in parameters.items() if name not in _FILTERS}


def _shows(member: JsonMap, name: str, values: frozenset[str]) -> bool:
    if name.startswith(_TAG):
        key = name.removeprefix(_TAG)
        return any(
            tag.get("Key") == key and _text(tag.get("Value")) in values
            for tag in member.get("Tags") or member.get("TagSet") or ()
        )
    shown = [_text(one) for path in _PATHS[name] for one in found_at(member, path.split("."))]
    # A state or a name that an endpoint does not show cannot be another one; an id is always shown.
    is_left_out = not shown and not name.endswith(("-id", "-ip"))
    return is_left_out or not values.isdisjoint(shown)


def found_at(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    """The values at a path, through every list on the way."""
    if isinstance(value, list):
        for one in value:
            yield from found_at(one, steps)
    elif not steps:
        if value is not None:
            yield value
    elif isinstance(value, Mapping):
        yield from found_at(value.get(steps[0]), steps[1:])


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
