"""A dry run is kept to: in a world that stood still, the command does exactly what its dry run said."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.model.command import ProcessState
from tenuto.model.ids import JsonMap
from tenuto.model.plan import Plan
from tenuto.service.commands.plan_view import operations_document
from tenuto.service.intake.composition import Submission
from tenuto_testing.world import World


@st.composite
def templates(draw: st.DrawFn) -> JsonMap:
    """A network, perhaps, and perhaps something in it; always a bucket, so that there is something to run."""
    net = {
        "CidrBlock": draw(st.sampled_from(["10.0.0.0/16", "10.1.0.0/16"])),
        "Label": draw(st.sampled_from(["one", "two"])),
        "Tags": draw(st.sampled_from([[], [{"Key": "a", "Value": "b"}]])),
    }
    ignore = draw(st.sampled_from([[], ["Tags"], ["*"]]))
    resources: dict[str, object] = {
        "Logs": {"Type": "Simulated::Bucket", "Properties": {"Name": draw(st.sampled_from(["logs", "more"]))}}
    }
    if draw(st.booleans()):
        resources["Net"] = {
            "Type": "Simulated::Network",
            "Properties": net,
            "Metadata": {"Tenuto": {"ignore": ignore}},
        }
        if draw(st.booleans()):
            block = net["CidrBlock"].replace("0.0/16", draw(st.sampled_from(["1.0/24", "2.0/24"])))
            resources["Sub"] = {
                "Type": "Simulated::Subnet",
                "Properties": {"NetworkId": {"Ref": "Net"}, "CidrBlock": block},
            }
    return {"Resources": resources}


def submission(template: JsonMap) -> Submission:
    compiled = compile_text(json.dumps(template), file="web.json", parameters={}, region="sim-1")
    return Submission(document=to_document(compiled.composition), secrets={})


def running(template: JsonMap, data: st.DataObject) -> World:
    """A settled process, in which somebody may have changed or removed something since."""
    world = World()
    world.system.commands.run(submission(template), alias="web")
    assert world.settle()
    for thing in world.cloud.things():
        fate = data.draw(st.sampled_from(["keep", "keep", "tag", "label", "vanish"]), label=thing.physical_id)
        if fate == "vanish":
            world.cloud.vanish(thing.physical_id)
        elif fate == "tag":
            world.cloud.tamper(thing.physical_id, "Tags", [{"Key": "x", "Value": "y"}])
        elif fate == "label" and thing.type == "Simulated::Network":
            world.cloud.tamper(thing.physical_id, "Label", "strange")
    return world


def said(plan: Plan) -> list[JsonMap]:
    found: list[JsonMap] = operations_document(plan, frozenset())["operations"]
    return found


def done(world: World, command: str) -> list[JsonMap]:
    """The operations of the first job that served the command and had something to do."""
    world.advance(20)
    history = world.system.queries.history("web").history
    jobs = [job for job in history.jobs if job.command == command and job.kind == "command"]
    plans = [world.store.plan(job.plan_id) for job in sorted(jobs, key=lambda job: job.started_at) if job.plan_id]
    return next((said(plan) for plan in plans if plan is not None and plan.operations), [])


@settings(max_examples=12, deadline=None)
@given(templates(), templates(), st.data())
def test_an_update_does_what_its_dry_run_said(old: JsonMap, new: JsonMap, data: st.DataObject) -> None:
    world = running(old, data)
    expected = said(world.system.commands.dry_runs.update("web", submission(new)).planning.plan)
    world.system.commands.update("web", submission(new))
    assert done(world, "update") == expected


@settings(max_examples=12, deadline=None)
@given(templates(), templates(), st.data())
def test_a_plan_file_is_executed_exactly_and_then_there_is_nothing_left(
    old: JsonMap, new: JsonMap, data: st.DataObject
) -> None:
    world = running(old, data)
    view = world.system.commands.dry_runs.update("web", submission(new))
    assert view.file is not None
    world.system.commands.execute("web", json.loads(json.dumps(view.file)))
    assert done(world, "update") == said(view.planning.plan) == view.file["operations"]
    assert world.settle()
    assert world.system.queries.plan("web").planning.plan.is_empty


@settings(max_examples=10, deadline=None)
@given(templates(), st.data(), st.sampled_from(["kill", "resume"]))
def test_a_kill_and_a_resume_do_what_their_dry_runs_said(template: JsonMap, data: st.DataObject, command: str) -> None:
    world = running(template, data)
    commands = world.system.commands
    if command == "resume":
        commands.suspend("web")
    view = commands.dry_runs.kill("web") if command == "kill" else commands.dry_runs.resume("web")
    assert view.file is not None
    commands.execute("web", view.file)
    assert done(world, command) == said(view.planning.plan)
    assert world.settle()
    gone = world.system.queries.history("web").process.state is ProcessState.GONE
    assert gone == (command == "kill")
