"""A rule of a load balancer that exists is described with its listener, so that it can be made again."""

from block_examples import EXAMPLES, BenchOf

from tenuto.compositions.existing import Thing, template_of
from tenuto.model.ids import Partition, TypeName
from tenuto.providers.aws.types.elbv2 import LISTENER, LISTENER_RULE


def test_a_rule_shows_its_listener(bench_of: BenchOf, partition: Partition) -> None:
    example = EXAMPLES[TypeName("AWS::ElasticLoadBalancingV2::ListenerRule")]
    with bench_of((*example.needs, example.thing)) as bench:
        made = {one.type: one for one in bench.make_all()}
        things = [
            Thing(facts=kind.facts, item=bench.ready(made[kind.facts.name])) for kind in (LISTENER, LISTENER_RULE)
        ]
        resources = template_of(things, region=partition.region)["Resources"]
    assert resources["Thing"]["Properties"]["ListenerArn"] == {"Ref": "Li"}
