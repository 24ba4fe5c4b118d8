"""Things of types without a block that carry our marks and that the database does not know: found by the doctor alone.

No sweep lists such a type, since each thing in the list would cost a call. A person who asks pays for it.
"""

import json
from typing import Any

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.errors import NotThereError
from tenuto.model.ids import Partition, PhysicalId, TypeName
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud import Cloud, Failure, Fault
from tenuto_testing.strict_world import StrictWorld

HERE = Partition(account="default", region="us-east-1")
GROUP = "AWS::Athena::WorkGroup"
TEMPLATE = f"Resources:\n  Team: {{Type: '{GROUP}', Properties: {{Name: team}}}}\n"


@pytest.fixture
def world() -> StrictWorld:
    """A world in which one workgroup of ours stands, one of another user, and one that an earlier life of ours made."""
    world = StrictWorld(Cloud)
    compiled = compile_text(TEMPLATE, file="web.yaml", parameters={}, region=HERE.region)
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias="web")
    assert world.settle()
    marks = {"tenuto:process": world.fid("web"), "tenuto:resource": "More", "tenuto:object": "ghost"}
    for name, tags in (("theirs", {"team": "red"}), ("ghost", marks)):
        make(world, {"Name": name, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]})
    return world


def make(world: StrictWorld, properties: dict[str, Any]) -> None:
    client: Any = world.stranger().create_client("cloudcontrol", HERE.region)
    client.create_resource(TypeName=GROUP, DesiredState=json.dumps(properties))
    world.advance(20)


def lists(world: StrictWorld) -> int:
    return len([one for one in world.aws.log if one.action == "ListResources"])


def test_the_doctor_finds_what_carries_our_marks_and_nothing_else(world: StrictWorld) -> None:
    listing = world.system.unknown_things.listed("web", place=HERE)
    assert [(one.type, one.physical_id, one.owner.logical_id) for one, _ in listing.things] == [
        (GROUP, "ghost", "More")
    ]
    assert not [why for why in listing.unseen if "Athena" in why]


def test_no_sweep_of_its_own_lists_a_type_whose_things_are_read_one_by_one(world: StrictWorld) -> None:
    world.advance(3 * 3600)
    assert lists(world) == 0
    world.system.unknown_things.listed("web", place=HERE)
    once = lists(world)
    assert once > 0
    world.advance(3 * 3600)
    assert lists(world) == once
    assert [one.physical_id for one in world.system.marks.things()] == ["ghost"]


def test_what_was_found_is_deleted_on_command_and_the_others_stay(world: StrictWorld) -> None:
    world.system.unknown_things.listed("web", place=HERE)
    # The list took longer than the lease in this world of one thread; somebody reads it meanwhile, and decides.
    world.advance(30)
    world.system.unknown_things.delete("web", PhysicalId("ghost"))
    world.advance(60)
    assert sorted(world.standing()[GROUP]) == ["team", "theirs"]
    assert world.system.unknown_things.listed("web", place=HERE).things == ()
    with pytest.raises(NotThereError):
        world.system.unknown_things.delete("web", PhysicalId("theirs"))


def test_a_list_that_is_denied_is_told_and_the_type_is_swept_as_before(world: StrictWorld) -> None:
    world.aws.faults.script(Fault(Failure.DENIED, "ListResources", count=1))
    listing = world.system.unknown_things.listed("web", place=HERE)
    assert [why for why in listing.unseen if GROUP in why]
    world.advance(120)
    assert world.system.queries.plan("web").planning.is_converged


def test_a_list_that_needs_a_parent_is_not_asked_for(world: StrictWorld) -> None:
    assert CATALOGUE[TypeName(GROUP)].source.can_show_all
    assert not CATALOGUE[TypeName("AWS::ApiGateway::Stage")].source.can_show_all
    assert not CATALOGUE[TypeName("AWS::ApiGateway::DocumentationPart")].source.can_show_all
