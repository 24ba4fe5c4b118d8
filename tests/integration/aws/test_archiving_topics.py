"""Topics that keep the order and archive their messages: SNS deletes none of them before the archive is given up."""

from billing import gives_back
from block_examples import THING, BenchOf

from tenuto.model.ids import TypeName
from tenuto.model.outcome import Refused
from tenuto_testing.provider_conformance import Example

ARCHIVE = {"ArchivePolicy": {"MessageRetentionPeriod": 3}}
PROPERTIES = {"FifoTopic": True, "FifoThroughputScope": "MessageGroup", **ARCHIVE}


def test_a_topic_goes_when_its_archive_is_taken_out(bench_of: BenchOf) -> None:
    name = TypeName("AWS::SNS::Topic")
    with bench_of((Example(name=THING, type=name, properties=PROPERTIES),)) as bench:
        [made] = bench.make_all()
        assert bench.differing(made, bench.ready(made)) == ()
        [refused] = bench.provider.delete(bench.partition, [made])
        assert isinstance(refused, Refused)
        assert "Set its ArchivePolicy to {}" in refused.hint
        default = {"ArchivePolicy": bench.types[name].defaults["ArchivePolicy"]}
        bench.requests[THING], _ = gives_back(bench, made, default)
