"""Topics that archive their messages: SNS deletes none of them before the archive is ended."""

from billing import gives_back
from block_examples import THING, BenchOf

from tenuto.model.ids import TypeName
from tenuto.model.outcome import Refused
from tenuto_testing.provider_conformance import Example

ARCHIVE = {"ArchivePolicy": {"MessageRetentionPeriod": 3}}
PROPERTIES = {"FifoTopic": True, "FifoThroughputScope": "MessageGroup", **ARCHIVE}


def test_a_topic_that_archives_is_deleted_after_its_archive_is_ended_by_a_declaration(bench_of: BenchOf) -> None:
    name = TypeName("AWS::SNS::Topic")
    with bench_of((Example(name=THING, type=name, properties=PROPERTIES),)) as bench:
        [made] = bench.make_all()
        assert bench.differing(made, bench.ready(made)) == ()
        [refused] = bench.provider.delete(bench.partition, [made])
        assert isinstance(refused, Refused)
        assert "Set its ArchivePolicy to {}" in refused.hint
        # Taken out, it stays: the archive holds messages, and only a person says that they may go.
        assert "ArchivePolicy" not in bench.types[name].defaults
        bench.requests[THING], _ = gives_back(bench, made, {"ArchivePolicy": {}})
