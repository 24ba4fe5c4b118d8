"""Many small processes in one account: what one command to one of them costs, and what all of them cost at rest.

Processes of five resources (a VPC, two subnets, a group with a rule, a queue) on the strict cloud without quotas, in
virtual time. What a command costs may depend on its process, and must not depend on how many others there are.
"""

from collections.abc import Callable
from typing import Any

from benchmarks.measuring import cost_of, peak_mb
from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.service.intake.composition import Submission
from tenuto.service.views.process_view import process_detail_document, process_document
from tenuto.service.views.progress_view import progress_document
from tenuto_testing.cloud import BOUNDLESS, Cloud
from tenuto_testing.strict_world import REGION, StrictWorld

_TEMPLATE = """
Resources:
  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Left: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Net, CidrBlock: 10.0.1.0/24}}
  Right: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Net, CidrBlock: 10.0.2.0/24}}
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: front
      VpcId: !Ref Net
      SecurityGroupIngress: [{IpProtocol: tcp, FromPort: 443, ToPort: 443, CidrIp: 10.0.0.0/8}]
  Queue: {Type: AWS::SQS::Queue}
"""
_AT_ONCE = 100
"""Processes that are started before all of them are waited for."""


def crowd(size: int) -> list[dict[str, Any]]:
    """`size` processes, and what one of them costs beside the others."""
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    submission = _submission()
    commands, queries = world.system.commands, world.system.queries

    def create() -> None:
        for number in range(size):
            commands.run(submission, alias=f"p{number}")
            if number % _AT_ONCE == _AT_ONCE - 1:
                world.settle()
        world.settle()

    def one_more() -> None:
        commands.run(submission, alias="one-more")
        while queries.process("one-more").process.converged_at is None:
            world.advance(0.5)

    def listed() -> list[Any]:
        seen = queries.processes()
        late = queries.unconverged(seen)
        return [process_document(one, late.get(one.fid)) for one in seen]

    rows = [_row("create all", size, world, create)]
    world.advance(120.0)
    rows += [
        _row("plan of one", size, world, lambda: queries.plan("p0")),
        _row("one more until converged", size, world, one_more),
        _row("a period of all at rest", size, world, lambda: world.advance(30.0)),
        _row("progress of one", size, world, lambda: progress_document(queries.progress("p0", 100))),
        _row("one in detail", size, world, lambda: process_detail_document(queries.process("p0"))),
        _row("list of all", size, world, listed),
    ]
    return [row | {"peak MB": peak_mb()} for row in rows]


def _row(step: str, size: int, world: StrictWorld, work: Callable[[], object]) -> dict[str, Any]:
    began = world.clock.now()
    world.aws.log.clear()
    cost = cost_of(work)
    return {
        "step": step,
        "resources": 5 * size,
        "cpu s": cost.cpu_s,
        "virtual s": world.clock.now() - began,
        "calls": len(world.aws.log),
    }


def _submission() -> Submission:
    compiled = compile_text(_TEMPLATE, file="crowd.yaml", parameters={}, region=REGION)
    return Submission(document=to_document(compiled.composition), secrets={})
