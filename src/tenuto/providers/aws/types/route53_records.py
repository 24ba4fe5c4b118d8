"""The records of Route 53 as they are shown and as they are changed, and the sweep of those that are tracked.

Theory of operation. A record has no id and no tags: it is known by its zone, its name, its type and its set identifier.
A list of a zone begins at any name and shows up to 300 records from there on, so a sweep asks for the first record that
is tracked, and then for the first one after it that the answers so far do not show. Names that stand together come with
one call, and a zone with thousands of other records costs no more than a small one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote, unquote

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Scope, Seen, Source, flag
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.route53_changes import SERVICE
from tenuto.providers.aws.types.route53_names import HOST, plain_id, plain_name, shown_name

RECORD = "AWS::Route53::RecordSet"
GROUP = "AWS::Route53::RecordSetGroup"
_AS_THEY_ARE = (
    "CidrRoutingConfig",
    "Failover",
    "GeoLocation",
    "GeoProximityLocation",
    "HealthCheckId",
    "MultiValueAnswer",
    "Region",
    "SetIdentifier",
    "Type",
    "Weight",
)
"""The properties of a record that a call takes as they are declared."""


class Key(NamedTuple):
    """All by which a record of a zone is known."""

    name: str
    type: str
    identifier: str

    @property
    def place(self) -> tuple[list[str], str, str]:
        """The place of the record in the list of its zone, which sorts by the labels from the last one on."""
        return self.name.split(".")[::-1], self.type, self.identifier


def key_of(record: JsonMap) -> Key:
    """The key of a record, as it is declared or as it is shown."""
    return Key(plain_name(record.get("Name")), str(record.get("Type")), str(record.get("SetIdentifier") or ""))


def rules(before: str = "") -> dict[str, Rule]:
    """The comparisons of the properties of a record, below a path."""
    return {
        f"{before}Name": HOST,
        f"{before}AliasTarget.DNSName": HOST,
        f"{before}ResourceRecords": Comparison.SET,
        f"{before}HostedZoneName": Comparison.SHOWN,
    }


def sent(declared: JsonMap) -> dict[str, Json]:
    """A record for a change, from the declared one."""
    record = {name: declared[name] for name in _AS_THEY_ARE if declared.get(name) not in (None, "")}
    record["Name"] = plain_name(declared.get("Name"))
    if declared.get("Weight") is not None:
        record["Weight"] = int(declared["Weight"])
    if "MultiValueAnswer" in record:
        record["MultiValueAnswer"] = flag(record["MultiValueAnswer"])
    if declared.get("TTL") is not None:
        record["TTL"] = int(declared["TTL"])
    if declared.get("ResourceRecords") is not None:
        record["ResourceRecords"] = [{"Value": str(one)} for one in declared["ResourceRecords"]]
    if declared.get("AliasTarget") is not None:
        alias: JsonMap = declared["AliasTarget"]
        record["AliasTarget"] = {**alias, "EvaluateTargetHealth": flag(alias.get("EvaluateTargetHealth"))}
    return record


def declared(record: JsonMap, zone: str) -> dict[str, Json]:
    """A record as it would be declared, from the one that a list shows."""
    found = {name: record[name] for name in _AS_THEY_ARE if name in record}
    found |= {"Name": shown_name(record["Name"]), "HostedZoneId": zone}
    if "TTL" in record:
        found["TTL"] = str(record["TTL"])
    if record.get("ResourceRecords"):
        found["ResourceRecords"] = [one["Value"] for one in record["ResourceRecords"]]
    if "AliasTarget" in record:
        alias: JsonMap = record["AliasTarget"]
        found["AliasTarget"] = {**alias, "HostedZoneId": plain_id(alias["HostedZoneId"])}
    return found


def id_of(zone: str, key: Key) -> str:
    """The physical id of a record, as Cloud Control has it: a name may have the sign between its parts."""
    parts = [quote(key.name, safe="*_/"), zone, key.type, *([key.identifier] if key.identifier else [])]
    return "|".join(parts)


def key_in(physical_id: str) -> tuple[str, Key]:
    """The zone and the key of a record in its physical id."""
    name, zone, kind, identifier = [*physical_id.split("|", 3), "", "", ""][:4]
    return plain_id(zone), Key(plain_name(unquote(name)), kind, identifier)


def group_id_of(zone: str, keys: Iterable[Key]) -> str:
    """The physical id of a group: its zone, and the keys of its records."""
    return "|".join([zone, *("/".join(quote(part, safe="*_") for part in key) for key in sorted(set(keys)))])


def keys_in(physical_id: str) -> tuple[str, list[Key]]:
    """The zone and the keys of a group in its physical id."""
    zone, *keys = physical_id.split("|")
    found = ([*map(unquote, one.split("/")), "", ""] for one in keys)
    return zone, [Key(name, kind, identifier) for name, kind, identifier, *_ in found]


def records_of(client: AccountClient, zone: str, keys: Iterable[Key]) -> dict[Key, JsonMap]:
    """The records of these keys as the zone shows them. Raises ProviderError; "gone" says that the zone is."""
    wanted = sorted(set(keys), key=lambda one: one.place)
    shown: dict[Key, JsonMap] = {}
    for key in wanted:
        if key not in shown:
            start = {"StartRecordName": key.name, "StartRecordType": key.type}
            answer = client.ask(SERVICE, "ListResourceRecordSets", HostedZoneId=zone, **start)
            shown |= {key_of(record): record for record in answer["ResourceRecordSets"]}
    return {key: shown[key] for key in wanted if key in shown}


def seen_record(physical_id: str, zone: str, record: JsonMap) -> Seen:
    return seen(RECORD, physical_id, declared(record, zone), attributes={"Ref": plain_name(record["Name"])})


def seen_group(physical_id: str, zone: str, records: Sequence[JsonMap]) -> Seen:
    shown = [declared(record, zone) for record in records]
    return seen(GROUP, physical_id, {"HostedZoneId": zone, "RecordSets": shown})


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    """The tracked records and groups, from one reading of each zone that has any."""
    asked = {
        name: [str(one) for one in (scope.ids(name) if scope.names is None else scope.named(name))]
        for name in (RECORD, GROUP)
    }
    alone = {one: key_in(one) for one in asked[RECORD]}
    groups = {one: keys_in(one) for one in asked[GROUP]}
    keys: dict[str, set[Key]] = {}
    for zone, key in alone.values():
        keys.setdefault(zone, set()).add(key)
    for zone, several in groups.values():
        keys.setdefault(zone, set()).update(several)
    there = client.each_there(lambda zone: records_of(client, zone, keys[zone]), keys)
    return [*_alone(alone, there), *_grouped(groups, there)]


def _alone(asked: Mapping[str, tuple[str, Key]], there: Mapping[str, Mapping[Key, JsonMap]]) -> Iterator[Seen]:
    for one, (zone, key) in asked.items():
        if key in there.get(zone, {}):
            yield seen_record(one, zone, there[zone][key])


def _grouped(asked: Mapping[str, tuple[str, list[Key]]], there: Mapping[str, Mapping[Key, JsonMap]]) -> Iterator[Seen]:
    """The groups with those of their records that there are; a group is gone when none is left."""
    for one, (zone, keys) in asked.items():
        found = [there[zone][key] for key in keys if key in there.get(zone, {})]
        if found:
            yield seen_group(one, zone, found)


SOURCE = Source(name="route53.ListResourceRecordSets", read=_read, shows_all=False)
