"""Expressions that turn out to have no value only when what they refer to is there."""

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.model.command import ProcessState
from tenuto.service.intake.composition import Submission
from tenuto_testing.world import World

LATE = """
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}
  Other:
    Type: Simulated::Network
    Properties: {CidrBlock: 10.1.0.0/16, Label: !Select [ITEM, !Split ["-", !Ref Net]]}
"""
EXPORTING = """
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}
Outputs:
  Bad: {Value: !Select [9, !Split ["-", !Ref Net]], Export: {Name: bad}}
  Good: {Value: !Ref Net, Export: {Name: good}}
"""
IMPORTING = """
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.9.0.0/16, Label: !ImportValue NAME}}
"""


def _submission(text: str) -> Submission:
    compiled = compile_text(text, file="web.yaml", parameters={}, region="sim-1")
    return Submission(document=to_document(compiled.composition), secrets={})


def test_a_value_that_can_never_be_suspends_the_process_with_the_reason_and_a_corrected_one_goes_on() -> None:
    world = World()
    world.system.commands.run(_submission(LATE.replace("ITEM", "9")), alias="web")
    assert world.settle()
    process = world.system.queries.process("web").process
    assert process.state is ProcessState.SUSPENDED
    assert "Fn::Select asks for item 9" in process.last_message
    assert "Correct the composition, then 'update'" in process.last_message
    assert [thing.properties["CidrBlock"] for thing in world.cloud.things()] == ["10.0.0.0/16"]
    world.system.commands.update("web", _submission(LATE.replace("ITEM", "0")))
    world.system.commands.resume("web")
    assert world.settle()
    assert [thing.properties.get("Label") for thing in world.cloud.things()] == [None, "net"]


def test_such_a_process_can_be_killed() -> None:
    world = World()
    world.system.commands.run(_submission(LATE.replace("ITEM", "9")), alias="web")
    assert world.settle()
    world.system.commands.kill("web")
    assert world.settle()
    assert world.cloud.things() == ()


def test_an_export_without_a_value_troubles_only_who_imports_it() -> None:
    world = World()
    world.system.commands.run(_submission(EXPORTING), alias="exporter")
    assert world.settle()
    world.system.commands.run(_submission(IMPORTING.replace("NAME", "good")), alias="importer")
    assert world.settle()
    process = world.system.queries.process("importer").process
    assert (process.state, process.last_message) == (ProcessState.RUNNING, "")
    assert len(world.cloud.things()) == 2
