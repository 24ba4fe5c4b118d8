"""Routes of transit gateways: one that drops packets says so, and becomes one to an attachment in place."""

from dataclasses import replace

from block_examples import EXAMPLES, THING, BenchOf

from tenuto.model.ids import TypeName
from tenuto.providers.aws.types.ec2_transit_gateway_tables import ROUTE

NAME = TypeName("AWS::EC2::TransitGatewayRoute")


def test_a_route_that_drops_packets_becomes_one_to_an_attachment(bench_of: BenchOf) -> None:
    example = EXAMPLES[NAME]
    dropping = {name: value for name, value in example.properties.items() if name != "TransitGatewayAttachmentId"}
    thing = replace(example.thing, properties={**dropping, "Blackhole": True})
    with bench_of((*example.needs, thing)) as bench:
        bench.make_all()
        made = bench.requests[THING]
        assert bench.ready(made).properties["Blackhole"] is True
        wanted = {**example.properties, "Blackhole": False}
        changed = replace(made, properties=bench.resolved(wanted), observed=bench.ready(made).properties)
        bench.until_done(bench.provider.modify, changed)
        assert bench.differing(changed, bench.ready(changed)) == ()
        assert changed.physical_id == made.physical_id
        bench.remove(changed)


def test_a_route_whose_attachment_is_gone_was_not_made_to_drop_packets() -> None:
    lost = {"State": "blackhole", "TransitGatewayAttachments": [{"TransitGatewayAttachmentId": "tgw-attach-1"}]}
    reader = ROUTE.source.read.__self__  # type: ignore[attr-defined]
    assert reader.showing.shown["Blackhole"](lost) is False
    assert reader.showing.shown["Blackhole"]({"State": "blackhole"}) is True
