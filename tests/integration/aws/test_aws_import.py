"""One resource of every AWS type is released, described, adopted again without a change, and killed at last.

Behaviours 53 to 59 of the process model, where the provider matters.
"""

import json

import botocore.session
import pytest
from aws_examples import EXAMPLES

from tenuto.bootstrap.system import System, build
from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.compositions.yaml_writer import to_yaml
from tenuto.errors import ManagedElsewhereError, MismatchError, NotThereError
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.command import ProcessState
from tenuto.model.ids import Instant, JsonMap, Partition
from tenuto.model.verb import Verb
from tenuto.providers.aws.provider import AwsProvider
from tenuto.service.intake.composition import Submission
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ids import SeededIds

TURNS = 2000
PERIOD_S = 30.0


class Land:
    """A Conductor of virtual time in front of the emulator."""

    def __init__(self, session: botocore.session.Session, region: str, ids: SeededIds) -> None:
        self.clock = VirtualClock()
        self.region = region
        self.store = MemoryStore()
        self.system: System = build(
            store=self.store,
            providers=lambda ops, clock: [AwsProvider(session=session, ops=ops, clock=clock)],
            clock=self.clock,
            ids=ids,
            secrets=KeyedSecrets(new_keys()),
            period_s=PERIOD_S,
        )
        self.system.conductor.start()

    def compiled(self, template: str) -> Submission:
        compiled = compile_text(template, file="all.yaml", parameters={}, region=self.region)
        return Submission(document=to_document(compiled.composition), secrets=compiled.secrets)

    def until(self, *, alias: str, gone: bool = False) -> None:
        """Let time pass until the process has converged, or is gone."""
        for _ in range(TURNS):
            self.system.conductor.step()
            process = self.store.process(alias)
            assert process is not None
            if process.state is ProcessState.GONE if gone else process.converged_at is not None:
                return
            assert process.state is not ProcessState.SUSPENDED, process.last_message
            wake = self.system.conductor.next_wake()
            soonest = self.clock.now() + 0.1
            self.clock.set(Instant(max(wake if wake is not None else soonest, soonest)))
        raise AssertionError(f"{alias} did not come to rest: {self.system.queries.explain(alias)}")

    def identified(self, alias: str) -> list[str]:
        resources = self.system.queries.process(alias).resources
        return [f"{one.type} {one.current.physical_id}" for one in resources if one.current is not None]


@pytest.fixture
def land(session: botocore.session.Session, partition: Partition, ids: SeededIds) -> Land:
    return Land(session, partition.region, ids)


def everything() -> str:
    resources: dict[str, JsonMap] = {
        str(example.name): {"Type": str(example.type), "Properties": dict(example.properties)} for example in EXAMPLES
    }
    return json.dumps({"Resources": resources})


def test_everything_that_was_released_is_described_and_adopted_without_a_change(land: Land) -> None:
    commands, queries = land.system.commands, land.system.queries
    commands.run(land.compiled(everything()), alias="first")
    land.until(alias="first")
    wanted = land.identified("first")
    assert len(wanted) == len(EXAMPLES)
    with pytest.raises(ManagedElsewhereError, match="managed by process first"):
        queries.existing(wanted, region=land.region)

    before = len(queries.history("first").history.ops)
    commands.release("first")
    land.until(alias="first", gone=True)
    done = {op.operation for op in queries.history("first").history.ops[before:]}
    assert done
    untagging = ("DeleteTags", "RemoveTags", "Untag", "DeleteBucketTagging", "PutBucketTagging")
    assert [name for name in sorted(done) if not name.startswith(untagging)] == []

    text = to_yaml(queries.existing(wanted, region=land.region))
    submission = land.compiled(text)
    plan = commands.dry_runs.run(submission, alias="second", account=DEFAULT_ACCOUNT, adopts=True).planning.plan
    told = [(one.verb, one.logical_id, [change.path for change in one.changes]) for one in plan.operations]
    assert [one for one in told if one[0] is not Verb.ADOPT] == []
    assert len(plan.operations) == len(EXAMPLES)

    commands.run(submission, alias="second", adopts=True)
    land.until(alias="second")
    assert queries.plan("second").planning.plan.is_empty
    assert sorted(land.identified("second")) == sorted(wanted)

    commands.kill("second")
    land.until(alias="second", gone=True)


def test_everything_answers_what_its_type_promises_to_those_who_refer_to_it(land: Land) -> None:
    land.system.commands.run(land.compiled(everything()), alias="all")
    land.until(alias="all")
    types = land.system.conductor.types()
    unanswered = {
        f"{one.type} {name}"
        for one in land.system.queries.process("all").resources
        for name in types[one.type].attributes
        if one.current is not None and name not in one.current.attributes
    }
    not_every_one_has = {
        "AWS::DynamoDB::Table StreamArn",
        "AWS::EC2::NatGateway AutoProvisionZones",
        "AWS::EC2::NatGateway AutoScalingIps",
        "AWS::EC2::NatGateway RouteTableId",
        "AWS::EC2::Subnet BlockPublicAccessStates",
        "AWS::EC2::Subnet OutpostArn",
        "AWS::EC2::VPC Ipv6CidrBlocks",
    }
    not_of_the_emulator = {"AWS::IAM::ManagedPolicy PermissionsBoundaryUsageCount"}
    assert unanswered == not_every_one_has | not_of_the_emulator


def test_what_cannot_be_adopted_is_told_apart(land: Land) -> None:
    vpc = json.dumps({"Resources": {"Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.9.0.0/16"}}}})
    land.system.commands.run(land.compiled(vpc), alias="own")
    land.until(alias="own")
    (own,) = land.identified("own")
    existing = land.system.queries.existing
    with pytest.raises(NotThereError, match="vpc-0none"):
        existing(["AWS::EC2::VPC vpc-0none"], region=land.region)
    with pytest.raises(NotThereError, match="region eu-west-1"):
        existing([own], region="eu-west-1")
    with pytest.raises(MismatchError, match="it is AWS::EC2::VPC"):
        existing([own.replace("VPC", "Subnet")], region=land.region)
    with pytest.raises(ManagedElsewhereError):
        existing([own], region=land.region)
