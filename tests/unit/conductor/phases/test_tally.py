"""The tally of phases: always what a reading of everything would give, and read anew only where something changed."""

from collections import Counter
from typing import Any, cast

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.conductor.phases.tally import PhaseTally
from tenuto.conductor.stores.touched import CommitMemory, remembered
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Fid
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append
from tenuto.service.intake.composition import Submission
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.world import World

TEMPLATE = """
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}
  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.1.0/24}}
  Srv: {Type: Simulated::Server, Properties: {SubnetId: !Ref Sub, Image: debian-12}}
"""


class Watched:
    """A store that notes whose objects were read."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.read: list[Fid] = []

    def objects(self, fid: Fid) -> Any:
        self.read.append(fid)
        return self._inner.objects(fid)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def run(world: World, alias: str) -> None:
    compiled = compile_text(TEMPLATE, file="web.yaml", parameters={}, region="sim-1")
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias=alias)


def test_at_every_moment_the_tally_is_that_of_a_whole_reading() -> None:
    world = World()
    seen: set[str] = set()
    run(world, "one")
    for second in range(40):
        if second == 7:
            run(world, "two")
        if second == 30:
            world.system.commands.kill("one")
        world.advance(1.0)
        objects = [one for process in world.store.processes() for one in world.store.objects(process.fid)]
        whole = Counter((name, entry.status.value) for one in objects for name, entry in one.phases.items())
        told = world.system.queries.phases()
        assert {(one.definition.name, status): n for one in told for status, n in one.counts.items()} == whole, second
        seen |= {status for _, status in whole}
    assert {"Sleeping", "Completed"} <= seen


def test_only_what_a_commit_was_about_is_read_again() -> None:
    world = World()
    run(world, "one")
    run(world, "two")
    world.settle()
    store, memory = Watched(world.store), CommitMemory()
    tally = PhaseTally(store=cast(Store, store), plugins=PhaseWorld().plugins, touches=memory)
    first = tally.records()
    assert len(store.read) == 2
    assert tally.records() is first
    assert len(store.read) == 2
    one = world.store.processes()[0]
    told = Event(at=world.clock.now(), type=EventType.JOB_FINISHED, fid=one.fid, subject="run")
    remembered(world.store, memory).commit([Append(events=(told,))])
    tally.records()
    assert store.read[2:] == [one.fid]
