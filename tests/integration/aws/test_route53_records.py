"""Records of Route 53: changed in one batch, held one by one, and never taken from another user."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from block_examples import EXAMPLES, THING

from tenuto.model.ids import JsonMap, LogicalId, Partition, TypeName
from tenuto.model.outcome import Done, Pending, Refused, Request
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

RECORD, GROUP, ZONE = (TypeName(f"AWS::Route53::{name}") for name in ("RecordSet", "RecordSetGroup", "HostedZone"))


@pytest.fixture
def bench(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Iterator[Bench]:
    """A bench with a zone of the name example.com."""
    zone = Example(name=LogicalId("Zone"), type=ZONE, properties={"Name": "example.com"})
    case = ProviderCase(
        provider=provider, partition=partition, examples=(zone,), ids=ids, ops=ops, wait=lambda seconds: None
    )
    with Bench(case) as found:
        found.make_all()
        yield found


def made(bench: Bench, type_name: TypeName, properties: JsonMap) -> Request:
    return bench.make(bench.request(Example(name=THING, type=type_name, properties=properties)))


def names_in(client: Any, bench: Bench) -> dict[str, str]:
    """The records of the zone, without its own, each with the first of its values."""
    zone = bench.requests[LogicalId("Zone")].physical_id
    shown = client.list_resource_record_sets(HostedZoneId=zone)["ResourceRecordSets"]
    return {one["Name"]: one["ResourceRecords"][0]["Value"] for one in shown if one["Type"] not in ("NS", "SOA")}


def put(client: Any, bench: Bench, action: str, name: str, address: str) -> None:
    record = {"Name": name, "Type": "A", "TTL": 300, "ResourceRecords": [{"Value": address}]}
    change = {"Changes": [{"Action": action, "ResourceRecordSet": record}]}
    zone = bench.requests[LogicalId("Zone")].physical_id
    client.change_resource_record_sets(HostedZoneId=zone, ChangeBatch=change)


def test_a_record_of_another_name_takes_the_place_of_the_old_one_in_one_batch(
    bench: Bench, stranger: Callable[[str], Any], ops: RecordedOps
) -> None:
    wished = {"HostedZoneName": "Example.com", "Name": "a.example.com", "Type": "A", "TTL": 60}
    request = made(bench, RECORD, {**wished, "ResourceRecords": ["192.0.2.1"]})
    before = len(ops.all)
    after = {**wished, "Name": "b.example.com.", "ResourceRecords": ["192.0.2.2"]}
    outcome = bench.until_done(bench.provider.modify, replace(request, properties=after))
    assert isinstance(outcome, Done)
    assert outcome.attributes == {"Ref": "b.example.com"}
    assert [op.operation for op in ops.all[before:]] == ["ChangeResourceRecordSets"]
    assert names_in(stranger("route53"), bench) == {"b.example.com.": "192.0.2.2"}
    bench.requests[THING] = replace(request, physical_id=outcome.physical_id)


def test_each_record_of_a_group_is_held_and_the_others_are_left_alone(
    bench: Bench, stranger: Callable[[str], Any]
) -> None:
    client = stranger("route53")
    records = [
        {"Name": f"{name}.example.com", "Type": "A", "TTL": "300", "ResourceRecords": ["192.0.2.1"]} for name in "abc"
    ]
    request = made(bench, GROUP, {"HostedZoneId": {"Ref": "Zone"}, "RecordSets": records})
    put(client, bench, "UPSERT", "a.example.com", "198.51.100.1")
    put(client, bench, "DELETE", "b.example.com", "192.0.2.1")
    put(client, bench, "CREATE", "other.example.com", "203.0.113.1")
    assert bench.differing(request, bench.ready(request)) == ("RecordSets",)
    bench.configure(request)
    held = {f"{name}.example.com.": "192.0.2.1" for name in "abc"}
    assert names_in(client, bench) == {**held, "other.example.com.": "203.0.113.1"}
    put(client, bench, "DELETE", "other.example.com", "203.0.113.1")


def test_a_record_of_another_user_is_not_overwritten(bench: Bench, stranger: Callable[[str], Any]) -> None:
    client = stranger("route53")
    put(client, bench, "CREATE", "a.example.com", "192.0.2.1")
    properties = {"HostedZoneName": "example.com", "Name": "a.example.com", "Type": "A", "TTL": "300"}
    example = Example(name=THING, type=RECORD, properties={**properties, "ResourceRecords": ["192.0.2.1"]})
    [outcome] = bench.provider.create(bench.partition, [bench.request(example)])
    assert isinstance(outcome, Refused)
    assert outcome.code == "ResourceAlreadyExists"
    put(client, bench, "DELETE", "a.example.com", "192.0.2.1")


def test_a_zone_with_a_record_of_another_user_stays_and_says_which(
    bench: Bench, stranger: Callable[[str], Any]
) -> None:
    client = stranger("route53")
    put(client, bench, "CREATE", "a.example.com", "192.0.2.1")
    zone = bench.requests[LogicalId("Zone")]
    [outcome] = bench.provider.delete(bench.partition, [zone])
    assert isinstance(outcome, Pending)
    assert outcome.is_held
    assert "a.example.com. A" in outcome.message
    put(client, bench, "DELETE", "a.example.com", "192.0.2.1")
    bench.remove(zone)
    assert client.list_hosted_zones()["HostedZones"] == []


def test_a_name_that_two_zones_have_is_refused(bench: Bench) -> None:
    other = Example(name=LogicalId("Other"), type=ZONE, properties={"Name": "example.com."})
    bench.make(bench.request(other))
    properties = EXAMPLES[GROUP].properties
    [outcome] = bench.provider.create(
        bench.partition, [bench.request(Example(name=THING, type=GROUP, properties=properties))]
    )
    assert isinstance(outcome, Refused)
    assert "Declare HostedZoneId" in outcome.message
