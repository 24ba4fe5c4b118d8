"""An answer that lacks a member, or everything in one, is told as an incomplete one, whichever member it is: it is no
bug of Tenuto."""

from collections.abc import Iterator
from typing import Any

import botocore.session
import pytest
from block_examples import EXAMPLES, THING, BenchOf
from botocore.model import ListShape, MapShape, OperationModel, Shape, StructureShape

from tenuto.errors import TransientError
from tenuto.model.ids import TypeName
from tenuto.providers.aws.client import client
from tenuto.providers.aws.client.answers import codes
from tenuto_testing.provider_bench import Bench

TYPES = (
    "AWS::Backup::BackupSelection",
    "AWS::CloudFront::Function",
    "AWS::CloudTrail::Trail",
    "AWS::CloudWatch::Alarm",
    "AWS::CodeCommit::Repository",
    "AWS::CodePipeline::Pipeline",
    "AWS::EC2::DHCPOptions",
    "AWS::ECS::Cluster",
    "AWS::ElastiCache::ReplicationGroup",
    "AWS::IAM::OIDCProvider",
    "AWS::Lambda::Permission",
    "AWS::Logs::LogStream",
    "AWS::RDS::OptionGroup",
    "AWS::WAFv2::RegexPatternSet",
)
"""Types of every wire protocol whose readers once failed with an error of Python."""
_EACH = "[]"

Path = tuple[str, ...]


class Wire:
    """The wire between the client and the emulator: it notes each member of the answers, or takes one out or empties it
    where it is a list."""

    def __init__(self) -> None:
        self.seen: set[Path] = set()
        self.is_noting = False
        self.without: Path = ()
        self.is_emptied = False

    def passed(self, parsed: Any, model: OperationModel, **_: object) -> None:
        if model.output_shape is None or "Error" in parsed:
            return
        if self.is_noting:
            self.seen.update((model.name, *path) for path in _members(parsed, model.output_shape))
        elif self.without[:1] == (model.name,):
            _cut(parsed, self.without[1:], is_emptied=self.is_emptied)


def _members(value: Any, shape: Shape) -> Iterator[Path]:
    """The paths of all members that the shape does not promise."""
    if isinstance(shape, StructureShape) and isinstance(value, dict):
        for name in value.keys() & shape.members.keys():
            if name not in shape.required_members:
                yield (name,)
            yield from ((name, *rest) for rest in _members(value[name], shape.members[name]))
    elif isinstance(shape, ListShape):
        yield from ((_EACH, *rest) for one in value for rest in _members(one, shape.member))
    elif isinstance(shape, MapShape):
        yield from ((name, *rest) for name, one in value.items() for rest in _members(one, shape.value))


def _cut(value: Any, path: Path, *, is_emptied: bool) -> None:
    name, *rest = path
    if name == _EACH:
        for one in value:
            _cut(one, tuple(rest), is_emptied=is_emptied)
    elif rest and name in value:
        _cut(value[name], tuple(rest), is_emptied=is_emptied)
    elif not rest and not is_emptied:
        value.pop(name, None)
    elif not rest and isinstance(value.get(name), list):
        value[name] = []


@pytest.fixture
def wire(session: botocore.session.Session, monkeypatch: pytest.MonkeyPatch) -> Wire:
    """Between a session and the emulator, before the provider makes its clients of the session."""
    monkeypatch.setattr(client, "READ_TRIES", 1)
    wire = Wire()
    session.register("after-call.*.*", wire.passed)
    return wire


def _look(bench: Bench) -> None:
    """Look at the thing. That an answer is incomplete may be told, and any other error is raised."""
    request = bench.requests[THING]
    try:
        bench.sweep(request.type, [request])
    except TransientError as error:
        if error.code != codes.DAMAGED:
            raise


@pytest.mark.parametrize("name", TYPES)
def test_a_sweep_tells_an_answer_that_lacks_a_member(name: TypeName, wire: Wire, bench_of: BenchOf) -> None:
    example = EXAMPLES[name]
    with bench_of((*example.needs, example.thing)) as bench:
        bench.make_all()
        wire.is_noting = True
        _look(bench)
        wire.is_noting = False
        assert wire.seen
        for path in sorted(wire.seen):
            for wire.is_emptied in (False, True):
                wire.without = path
                _look(bench)
        wire.without = ()
