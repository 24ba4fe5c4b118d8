"""Network load balancers: the rules for private links, and prefixes for source addresses of version 6."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from billing import gives_back
from block_examples import EXAMPLES, THING, BenchOf

from tenuto.model.ids import TypeName
from tenuto_testing.provider_conformance import Bench, Example

BALANCER = TypeName("AWS::ElasticLoadBalancingV2::LoadBalancer")
LINK = "EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic"
PREFIX = "EnablePrefixForIpv6SourceNat"


@pytest.fixture
def bench(bench_of: BenchOf, request: pytest.FixtureRequest) -> Iterator[Bench]:
    example = EXAMPLES[BALANCER]
    places = ("SecurityGroups",) if "SubnetMappings" in request.param else ("SecurityGroups", "Subnets")
    usual = {name: example.properties[name] for name in ("Name", *places)}
    thing = Example(name=THING, type=BALANCER, properties={**usual, "Type": "network", **request.param})
    with bench_of((*example.needs, thing)) as made:
        made.make_all()
        yield made


def shown(bench: Bench) -> Any:
    return bench.ready(bench.requests[THING]).properties


@pytest.mark.parametrize("bench", [{LINK: "off"}], indirect=True)
def test_the_rules_for_private_links_are_as_declared_and_go_back(bench: Bench) -> None:
    assert shown(bench)[LINK] == "off"
    back, _ = gives_back(bench, bench.requests[THING], {LINK: "on"})
    assert (back.observed or {})[LINK] == "on"


@pytest.mark.parametrize("bench", [{LINK: "off"}], indirect=True)
def test_the_rules_for_private_links_go_back_where_no_group_is_declared(bench: Bench) -> None:
    asked = bench.requests[THING]
    groups = shown(bench)["SecurityGroups"]
    rest = {name: value for name, value in asked.properties.items() if name != "SecurityGroups"}
    back, _ = gives_back(bench, replace(asked, properties=rest), {LINK: "on"})
    assert (back.observed or {})["SecurityGroups"] == groups


@pytest.mark.parametrize("bench", [{"IpAddressType": "ipv4"}], indirect=True)
def test_prefixes_come_and_go_with_the_addresses_of_version_6(bench: Bench) -> None:
    one_kind = bench.requests[THING]
    both = {**one_kind.properties, "IpAddressType": "dualstack", PREFIX: "on"}
    bench.configure(replace(one_kind, properties=both))
    assert (shown(bench)["IpAddressType"], shown(bench)[PREFIX]) == ("dualstack", "on")
    fewer = {**one_kind.properties, PREFIX: "off"}
    bench.configure(replace(bench.requests[THING], properties=fewer))
    assert (shown(bench)["IpAddressType"], shown(bench)[PREFIX]) == ("ipv4", "off")


PREFIXED = [{"SubnetId": {"Ref": "One"}, "SourceNatIpv6Prefix": "auto_assigned"}]


@pytest.mark.parametrize(
    "bench", [{"IpAddressType": "dualstack", PREFIX: "on", "SubnetMappings": PREFIXED}], indirect=True
)
def test_a_prefix_that_aws_chose_is_as_declared(bench: Bench) -> None:
    request = bench.requests[THING]
    [mapping] = shown(bench)["SubnetMappings"]
    assert mapping["SourceNatIpv6Prefix"].endswith("/80")
    assert bench.differing(request, bench.ready(request)) == ()
