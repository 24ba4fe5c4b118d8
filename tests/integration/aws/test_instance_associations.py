"""Documents of Systems Manager that an instance declares: they come, change and go with it."""

from collections.abc import Sequence
from dataclasses import replace

import botocore.session
from block_examples import BenchOf

from tenuto.model.ids import LogicalId, TypeName
from tenuto_testing.provider_conformance import Bench, Example

JOIN = {
    "DocumentName": "AWS-JoinDirectoryServiceDomain",
    "AssociationParameters": [
        {"Key": "directoryName", "Value": ["corp.example.com"]},
        {"Key": "dnsIpAddresses", "Value": ["10.0.0.2", "10.0.0.3"]},
    ],
}
OTHER = {**JOIN, "AssociationParameters": [{"Key": "directoryName", "Value": ["other.example.com"]}]}
PATCH = {"DocumentName": "AWS-RunPatchBaseline"}


def machine(*associations: object) -> Example:
    return Example(
        name=LogicalId("Machine"),
        type=TypeName("AWS::EC2::Instance"),
        properties={"ImageId": "ami-12c6146b", "InstanceType": "t3.micro", "SsmAssociations": list(associations)},
    )


def associated(session: botocore.session.Session, bench: Bench) -> Sequence[str]:
    found = session.create_client("ssm", region_name=bench.partition.region).list_associations()["Associations"]
    return sorted(one["Name"] for one in found)


def test_associations_come_change_and_go(bench_of: BenchOf, session: botocore.session.Session) -> None:
    with bench_of((machine(JOIN),)) as bench:
        bench.make_all()
        request = bench.requests[LogicalId("Machine")]
        assert bench.differing(request, bench.ready(request)) == ()
        for wanted in ([OTHER], [OTHER, PATCH], [PATCH]):
            changed = {**request.properties, "SsmAssociations": wanted}
            request = bench.configure(replace(request, properties=changed))
            assert bench.differing(request, bench.ready(request)) == ()
            assert associated(session, bench) == sorted(one["DocumentName"] for one in wanted)
        bench.remove(request)
        assert associated(session, bench) == []
