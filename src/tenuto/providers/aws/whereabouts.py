"""What AWS says of a partition as a whole: account, zones, parameters of the parameter store, and aliases of keys."""

from collections.abc import Mapping, Sequence

from tenuto.errors import ProviderError
from tenuto.model.ids import Instant, Json
from tenuto.model.outcome import Context
from tenuto.providers.aws.door import Door
from tenuto.providers.aws.pages import ec2

_KEYS_PER_CALL = 10
"""The limit of GetParameters."""
_ZONES = ec2("DescribeAvailabilityZones", "AvailabilityZones", page_size=0)


def read_context(door: Door) -> Context:
    """Account and the available zones, sorted by name."""
    identity = door.read("sts", "GetCallerIdentity")
    region = door.partition.region
    filters = [
        {"Name": "state", "Values": ["available"]},
        {"Name": "zone-type", "Values": ["availability-zone"]},
        {"Name": "region-name", "Values": [region]},
    ]
    zones = sorted(
        str(zone["ZoneName"])
        for zone in door.pages(_ZONES, Filters=filters)
        if zone.get("RegionName", region) == region
    )
    return Context(account_id=str(identity["Account"]), zones={region: tuple(zones)})


def look_up(door: Door, keys: Sequence[str]) -> Mapping[str, Json]:
    """Values of parameters; a list for a StringList. Those that do not exist are missing from the answer."""
    found: dict[str, Json] = {}
    for start in range(0, len(keys), _KEYS_PER_CALL):
        names = list(keys[start : start + _KEYS_PER_CALL])
        for parameter in door.read("ssm", "GetParameters", Names=names, WithDecryption=False)["Parameters"]:
            value = parameter["Value"]
            name = parameter["Name"] + str(parameter.get("Selector") or "")
            found[name] = value.split(",") if parameter.get("Type") == "StringList" else value
    return found


def pointed_at(door: Door, names: Sequence[str], since: Instant) -> Mapping[str, str]:
    """The ARN of the key that each alias of KMS stands for, as asked after `since`; without those that are not known.

    Each is asked for by itself: who makes something with a key must be allowed to describe that key anyway, and a
    description also answers for an alias of another account. A refusal of any kind means that nothing is known.
    """

    def read(asked: Sequence[str]) -> Mapping[str, str]:
        found = zip(asked, door.each(lambda name: _key_of(door, name), asked), strict=True)
        return {name: arn for name, arn in found if arn is not None}

    return door.pointers.of(names, since, read)


def _key_of(door: Door, name: str) -> str | None:
    try:
        return str(door.ask("kms", "DescribeKey", KeyId=name)["KeyMetadata"]["Arn"])
    except (ProviderError, LookupError):
        return None
