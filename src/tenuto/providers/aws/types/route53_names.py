"""The names of Route 53: host names with or without their last dot, and ids with or without the path before them."""

import re

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.naming import Naming
from tenuto.providers.aws.client.client import AccountClient

HOST = Naming(thing="host name", qualified=r"(?P<where>)(?P<name>.*?)\.?", is_folded=True)
"""Host names are compared in any case, with or without the last dot."""
_ESCAPED = re.compile(r"\\([0-7]{3})")
_MOST_ALIKE = 2
"""Zones of one name that are asked for: with a second one, the name alone says nothing."""


def shown_name(name: Json) -> str:
    """A name as people declare it: Route 53 shows a star, and other signs, by the number of the letter."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), str(name))


def plain_name(name: Json) -> str:
    """A name in the one form by which names are paired."""
    return shown_name(name).rstrip(".").lower()


def plain_id(one: Json) -> str:
    """An id without the path that Route 53 puts before it."""
    return str(one).rpartition("/")[2]


def zone_of(client: AccountClient, properties: JsonMap) -> str:
    """The id of the zone that properties declare, by its id or by its name.

    Raises PermanentError when there is no zone of the name, or several: which one is meant, only a person knows.
    """
    if properties.get("HostedZoneId"):
        return plain_id(properties["HostedZoneId"])
    name = properties.get("HostedZoneName")
    if not name:
        raise PermanentError("Declare HostedZoneId or HostedZoneName.", code="MissingProperty")
    answer = client.ask("route53", "ListHostedZonesByName", DNSName=plain_name(name), MaxItems=str(_MOST_ALIKE))
    found = [one for one in answer.get("HostedZones") or () if plain_name(one["Name"]) == plain_name(name)]
    if not found:
        raise PermanentError(f"Route 53 has no hosted zone {name}.", code="ResourceNotFound")
    if len(found) > 1:
        ids = ", ".join(plain_id(one["Id"]) for one in found)
        raise PermanentError(
            f"Several hosted zones have the name {name}: {ids}. Declare HostedZoneId in place of HostedZoneName.",
            code="InvalidParameter",
        )
    return plain_id(found[0]["Id"])
