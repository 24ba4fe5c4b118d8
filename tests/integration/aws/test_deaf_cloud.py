"""Before an endpoint that answers with everything, or with another's thing, Tenuto touches nothing but its own."""

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path

import pytest
from aws_examples import EXAMPLES
from night import by_day

from tenuto.model.command import ProcessState
from tenuto.model.ids import JsonMap, Partition, PhysicalId, TypeName
from tenuto.model.observation import Interest
from tenuto.providers.aws.provider import AwsProvider
from tenuto.service.views.process_view import is_converged
from tenuto_testing.cloud import BOUNDLESS, Cloud, InProcessSession
from tenuto_testing.cloud.served import SERVED
from tenuto_testing.cloud.standing import standing
from tenuto_testing.ops import RecordedOps
from tenuto_testing.strict_world import REGION, StrictWorld

HERE = Partition(account="default", region=REGION)
NAMED = {"Key": "KeyName", "OtherRole": "RoleName", "Queue": "QueueName", "OtherTopic": "TopicName"} | {
    "Logs": "BucketName",
    "IndexedTable": "TableName",
    "Setting": "Name",
}


def template(path: Path, owner: str, *, types: str = "", is_changed: bool = False) -> Path:
    """One resource of every type, with names that belong to the owner."""
    resources: dict[str, JsonMap] = {}
    for one in EXAMPLES:
        properties = {**one.properties, **one.drift} if is_changed else dict(one.properties)
        if one.name in NAMED:
            properties[NAMED[one.name]] = f"{one.properties[NAMED[one.name]]}-{owner}"
        if one.type.startswith(types):
            resources[one.name] = {"Type": one.type, "Properties": properties}
    path.write_text(json.dumps({"Resources": resources}))
    return path


def data_of(world: StrictWorld) -> Mapping[tuple[str, str], JsonMap]:
    """Everything in the account as it is."""
    return {(thing.kind.name, thing.id): deepcopy(thing.data) for _, thing in standing(world.aws, REGION)}


@pytest.fixture
def world(tmp_path: Path) -> StrictWorld:
    """A world with a settled process `theirs`."""
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    world.run(template(tmp_path / "theirs.json", "theirs"), "theirs")
    assert world.settle()
    assert is_converged(world.system.queries.process("theirs").process)
    world.system.commands.set_property("theirs", "enforcement", "off")
    return world


def is_untouched(world: StrictWorld, theirs: Mapping[tuple[str, str], JsonMap]) -> None:
    now = data_of(world)
    assert [key for key in theirs if now.get(key) != theirs[key]] == []


def test_there_is_an_example_of_every_type() -> None:
    assert {one.type for one in EXAMPLES} == SERVED.keys()


def test_an_endpoint_that_ignores_ids_and_filters_of_ec2_changes_nothing_but_the_number_of_calls(
    world: StrictWorld, tmp_path: Path
) -> None:
    theirs = data_of(world)
    world.aws.deafness.to_filters = True
    ours = tmp_path / "ours.json"
    world.run(template(ours, "ours", types="AWS::EC2::"), "ours")
    assert world.settle()
    assert is_converged(world.system.queries.process("ours").process)
    world.update(template(ours, "ours", types="AWS::EC2::", is_changed=True), "ours")
    assert world.settle()
    world.advance(120.0)
    assert is_converged(world.system.queries.process("ours").process)
    world.system.commands.kill("ours")
    assert world.settle()
    assert {process.state for process in world.store.processes()} == {ProcessState.RUNNING}
    is_untouched(world, theirs)
    assert data_of(world).keys() == theirs.keys()


@pytest.mark.parametrize("deaf_from", by_day(1, ["run", "update", "kill"]))
def test_whatever_every_service_answers_the_things_of_others_are_left_alone(
    world: StrictWorld, tmp_path: Path, deaf_from: str
) -> None:
    theirs = data_of(world)
    ours = tmp_path / "ours.json"
    steps = ("run", "update", "kill")
    for step in steps:
        if step == deaf_from:
            world.aws.deafness.to_filters = world.aws.deafness.to_names = True
        match step:
            case "run":
                world.run(template(ours, "ours"), "ours")
            case "update":
                world.update(template(ours, "ours", is_changed=True), "ours")
            case _:
                world.system.commands.kill("ours")
        if steps.index(step) < steps.index(deaf_from):
            assert world.settle()
        else:
            world.advance(120.0)
        is_untouched(world, theirs)
    world.aws.deafness.to_filters = world.aws.deafness.to_names = False
    world.advance(900.0)
    assert world.settle()
    is_untouched(world, theirs)
    assert data_of(world).keys() == theirs.keys()


def test_a_sweep_before_a_deaf_endpoint_is_right_or_unsure_and_never_takes_ours_for_gone(world: StrictWorld) -> None:
    provider = AwsProvider(session=InProcessSession(world.aws), ops=RecordedOps(), clock=world.clock, workers=1)
    tracked: dict[TypeName, dict[PhysicalId, Interest]] = {}
    for found in world.store.objects(world.store.processes()[0].fid):
        if found.physical_id is not None:
            ids = tracked.setdefault(found.type, {})
            ids[found.physical_id] = Interest(names=SERVED[found.type].facts.costly, since=world.clock.now())
    sources: dict[str, dict[TypeName, dict[PhysicalId, Interest]]] = {}
    for name, ids in tracked.items():
        sources.setdefault(SERVED[name].source.name, {})[name] = ids
    right = {source: provider.sweep(HERE, source, ids) for source, ids in sources.items()}
    world.aws.deafness.to_filters = world.aws.deafness.to_names = True
    for source, ids in sources.items():
        shown = provider.sweep(HERE, source, ids)
        for name, wanted in ids.items():
            for one in wanted:
                item = shown[name].items.get(one)
                assert item == right[source][name].items[one] if item is not None else one in shown[name].unsure
