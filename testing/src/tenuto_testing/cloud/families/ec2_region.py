"""Regions and availability zones."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.filters import compile_filters
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data

_LETTERS = {"us-east-1": "abcdef", "us-west-2": "abcd"}
_CODES = {"us-east-1": "use1", "us-east-2": "use2", "us-west-1": "usw1", "us-west-2": "usw2", "eu-west-1": "euw1"}
_FILTERS = {
    "region-name": "RegionName",
    "state": "State",
    "zone-id": "ZoneId",
    "zone-name": "ZoneName",
    "zone-type": "ZoneType",
}
_REGIONS = ("us-east-1", "us-east-2", "us-west-1", "us-west-2", "eu-west-1", "eu-central-1", "ap-northeast-1")


def zones(region: str) -> list[Data]:
    """The zones of a region: six in us-east-1, three where nothing else is known."""
    code = _CODES.get(region, region.replace("-", ""))
    return [
        {
            "GroupName": region,
            "Messages": [],
            "NetworkBorderGroup": region,
            "OptInStatus": "opt-in-not-required",
            "RegionName": region,
            "State": "available",
            "ZoneId": f"{code}-az{number}",
            "ZoneName": f"{region}{letter}",
            "ZoneType": "availability-zone",
        }
        for number, letter in enumerate(_LETTERS.get(region, "abc"), 1)
    ]


def zone_of(call: Call) -> Data:
    """The zone that a request names, or the first one. Raises Refusal for one of another region."""
    known = zones(call.region)
    name, zone_id = call.want("AvailabilityZone"), call.want("AvailabilityZoneId")
    for zone in known:
        if (name or zone["ZoneName"]) == zone["ZoneName"] and (zone_id or zone["ZoneId"]) == zone["ZoneId"]:
            return zone
    names = ", ".join(zone["ZoneName"] for zone in known)
    raise Refusal(
        "InvalidParameterValue",
        f"Value ({name or zone_id}) for parameter availabilityZone is invalid. Subnets can currently only be created "
        f"in the following availability zones: {names}.",
    )


def _describe_zones(call: Call) -> Data:
    tests = compile_filters(call.want("Filters") or (), _FILTERS)
    names = call.want("ZoneNames") or ()
    unknown = sorted(set(names) - {zone["ZoneName"] for zone in zones(call.region)})
    if unknown:
        raise Refusal("InvalidParameterValue", f"Invalid availability zone: [{unknown[0]}]")
    return {
        "AvailabilityZones": [
            zone
            for zone in zones(call.region)
            if all(test(zone) for test in tests) and (not names or zone["ZoneName"] in names)
        ]
    }


def _describe_regions(call: Call) -> Data:
    names = call.want("RegionNames") or _REGIONS
    return {
        "Regions": [
            {"Endpoint": f"ec2.{name}.amazonaws.com", "OptInStatus": "opt-in-not-required", "RegionName": name}
            for name in names
        ]
    }


HANDLERS: Mapping[str, Any] = {"DescribeAvailabilityZones": _describe_zones, "DescribeRegions": _describe_regions}
