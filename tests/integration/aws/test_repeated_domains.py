"""A certificate whose further domains name its first one, too, is as declared: ACM shows it among them in any case."""

from dataclasses import replace

import pytest
from block_examples import BenchOf

from tenuto.model.ids import LogicalId, TypeName
from tenuto_testing.provider_conformance import Example

THING = LogicalId("Thing")
NAME = TypeName("AWS::CertificateManager::Certificate")
DOMAIN = "example.com"


@pytest.mark.parametrize(
    ("declared", "other"),
    [
        ([DOMAIN, "www.example.com"], ["www.example.com", "api.example.com"]),
        ([DOMAIN], [DOMAIN, "www.example.com"]),
        (["www.example.com"], [DOMAIN]),
    ],
)
def test_the_first_domain_may_be_among_the_further_ones(
    declared: list[str], other: list[str], bench_of: BenchOf
) -> None:
    properties = {"DomainName": DOMAIN, "SubjectAlternativeNames": declared, "ValidationMethod": "DNS"}
    example = Example(name=THING, type=NAME, properties=properties, drift={}, copies=False)
    with bench_of((example,)) as bench:
        (made,) = bench.make_all()
        shown = bench.ready(made)
        assert bench.differing(made, shown) == ()
        wanted = replace(made, properties={**properties, "SubjectAlternativeNames": other})
        assert bench.differing(wanted, shown) == ("SubjectAlternativeNames",)
