"""A simulated world with one process in it: `web`, commanded like by a user."""

from dataclasses import replace

from tenuto.compositions.documents.document import digest, to_document
from tenuto.model.composition import Composition, Declaration, DeletionPolicy
from tenuto.model.ids import LogicalId, Partition, PhysicalId, TypeName
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.service.intake.composition import Submission
from tenuto_testing.world import World

HOME = Partition(account="default", region="us-east-1")
ALIAS = "web"


def declare(name: str, type_name: str, needs: tuple[str, ...] = (), **properties: object) -> Declaration:
    return Declaration(
        logical_id=LogicalId(name),
        type=TypeName(f"Simulated::{type_name}"),
        properties=properties,
        depends_on=tuple(sorted(LogicalId(need) for need in needs)),
        deletion_policy=DeletionPolicy.DELETE,
    )


def composed(*resources: Declaration) -> Composition:
    composition = Composition(name="web", digest="", region=HOME.region, resources=resources)
    return replace(composition, digest=digest(composition))


def web() -> Composition:
    """A network with two subnets, a server in one of them, and a bucket of a fixed name."""
    return composed(
        declare("Net", "Network", CidrBlock="10.0.0.0/16", Label="one"),
        declare("Left", "Subnet", ("Net",), NetworkId={"Ref": "Net"}, CidrBlock="10.0.1.0/24"),
        declare("Right", "Subnet", ("Net",), NetworkId={"Ref": "Net"}, CidrBlock="10.0.2.0/24"),
        declare("Server", "Server", ("Left",), SubnetId={"Ref": "Left"}, Image="img", Size="small"),
        declare("Store", "Bucket", Name="a-name"),
    )


class WebWorld(World):
    """One process in one world."""

    stranger: PhysicalId = PhysicalId("")
    """The id of a thing that somebody else has made."""

    def run(self, composition: Composition | None = None, *, adopts: bool = False) -> None:
        self.system.commands.run(_submission(composition or web()), alias=ALIAS, adopts=adopts)

    def update(self, composition: Composition) -> None:
        self.system.commands.update(ALIAS, _submission(composition))

    def suspend(self) -> None:
        self.system.commands.suspend(ALIAS)

    def resume(self) -> None:
        self.system.commands.resume(ALIAS)

    def kill(self) -> None:
        self.system.commands.kill(ALIAS)

    def settled(self) -> Process:
        """The process when it has come to rest. Fails when it never does."""
        assert self.settle(), self.picture()
        return self.process()

    def next_job(self) -> None:
        """Let the next routine job begin and its work be done."""
        self.advance(max(0.0, self.process().next_job_at - self.clock.now()) + 29.0)

    def process(self) -> Process:
        found = self.store.process(ALIAS)
        assert found is not None
        return found

    def live(self) -> dict[str, ManagedObject]:
        """By logical id. An old incarnation that still leaves hides behind the new one."""
        found = self.store.objects(self.process().fid)
        return {one.logical_id: one for one in found if one.state not in ("Terminated", "Released")}

    def add_stranger(self) -> None:
        """Let somebody else make a bucket."""
        self.stranger = self.cloud.add(HOME, TypeName("Simulated::Bucket"), {"Name": "a-name"})

    def physical(self, name: str) -> PhysicalId:
        found = self.live()[name].physical_id
        assert found is not None
        return found

    def writes(self) -> list[tuple[str, ...]]:
        """What the calls that changed something were about."""
        return [call.subjects for call in self.calls if call.is_changing]

    def picture(self) -> str:
        process = self.process()
        objects = [f"{one.logical_id}#{one.incarnation}={one.state}" for one in self.store.objects(process.fid)]
        return f"{process.state} {process.last_message!r} {objects}"


def _submission(composition: Composition) -> Submission:
    return Submission(document=to_document(composition), secrets={})
