"""Snapshots of the disks of simulated machines, and files that come to a guest from an artifact (behaviours 64, 71)."""

import base64
from typing import Any

import pytest
from images import digest, disk, qcow2_of
from local_world import LocalWorld, a

from tenuto.errors import NotAllowedError, UserError
from tenuto.model.event import EventType
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.image import GIB
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_claims import ObjectQuery
from tenuto.ports.store_reads import EventQuery
from tenuto.service.artifacts import Artifacts
from tenuto.service.limits import Limits
from tenuto.service.sharing import Sharing
from tenuto_testing.mortality import Blow

ZONE = "us-east-1"
URL = "http://images.test/base.img"
BASE = a("Base", "Artifact", Name="base", Kind="image", Source={"Url": URL})
DISKS = [{"Base": {"Ref": "Base"}, "SizeGiB": 3}, {"SizeGiB": 2}]


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    made.sources.contents = {URL: qcow2_of(GIB)}
    made.run(BASE, a("Web", "Instance", "Base", Vcpus=1, MemoryMiB=512, Disks=DISKS))
    return made


def asked(world: LocalWorld, *commands: JsonMap, **fields: object) -> ObjectId:
    found = {"Instance": world.the("Web").object_id, "Commands": list(commands), **fields}
    return world.system.objects.create("AgentOperation", fields=found, region=ZONE).item.object_id


def ended(world: LocalWorld, object_id: ObjectId) -> ManagedObject:
    world.advance(10)
    return world.system.objects.find(object_id)


def taken(world: LocalWorld, name: str = "golden", **more: Any) -> list[JsonMap]:
    """The disks of a snapshot that was taken."""
    done = ended(world, asked(world, {"Snapshot": name, **more}))
    assert done.state == "complete", done.message
    found: list[JsonMap] = done.attributes["Results"][0]["Disks"]
    return found


def put(world: LocalWorld, path: str, content: bytes) -> None:
    words = {"Put": path, "Content": base64.b64encode(content).decode()}
    assert ended(world, asked(world, words)).state == "complete"


def artifacts(world: LocalWorld) -> dict[str, ManagedObject]:
    query = ObjectQuery(types=("Tenuto::Artifact",), live=True)
    return {one.logical_id: one for one in world.store.object_page(query)}


def service(world: LocalWorld) -> Artifacts:
    stock = world.system.stock
    assert stock is not None
    return Artifacts(stock, Limits(world.store), Sharing(world.store, stock.keeping))


def test_behaviour_64_a_snapshot_holds_the_right_disks_and_a_machine_boots_from_it(world: LocalWorld) -> None:
    put(world, "/etc/motd", b"of the first")
    [kept] = taken(world)
    assert (kept["Disk"], kept["Artifact"], kept["Version"]) == (0, "golden", 1)
    assert kept["VirtualSizeBytes"] == 3 * GIB
    assert world.files.path(str(kept["Sha512"])).stat().st_size == kept["SizeBytes"]
    made = artifacts(world)["golden"]
    assert (made.state, made.attributes["VirtualSizeGiB"], made.attributes["Format"]) == ("created", 3, "qcow2")

    world.run(a("Copy", "Instance", Vcpus=1, MemoryMiB=512, Disks=[{"Base": "golden"}]), alias="copy")
    copy = world.the("Copy", "copy")
    assert copy.state == "created"
    fields = {"Instance": copy.object_id, "Commands": [{"Get": "/etc/motd"}]}
    read = world.system.objects.create("AgentOperation", fields=fields, region=ZONE).item.object_id
    [result] = ended(world, read).attributes["Results"]
    assert base64.b64decode(result["Content"]) == b"of the first"


def test_behaviour_64_all_disks_are_one_artifact_each_and_those_that_are_named_alone(world: LocalWorld) -> None:
    found = taken(world, Disks="all")
    assert [(one["Disk"], one["Artifact"], one["VirtualSizeBytes"] // GIB) for one in found] == [
        (0, "golden-disk0", 3),
        (1, "golden-disk1", 2),
    ]
    [second] = taken(world, "data", Disks=[1])
    assert second["VirtualSizeBytes"] == 2 * GIB
    assert sorted(artifacts(world)) == ["data", "golden-disk0", "golden-disk1"]


def test_behaviour_64_a_later_snapshot_is_the_next_version_and_an_equal_one_is_none(world: LocalWorld) -> None:
    assert taken(world)[0]["Version"] == 1
    assert taken(world)[0]["Version"] == 1
    put(world, "/etc/motd", b"changed")
    assert taken(world)[0]["Version"] == 2


def test_behaviour_64_a_label_keeps_a_snapshot_and_a_machine_boots_from_the_label(world: LocalWorld) -> None:
    [kept] = taken(world)
    account = world.the("Web").partition.account
    service(world).label(account, "stable", "golden", sees=lambda _: True)
    world.system.objects.delete(artifacts(world)["golden"].object_id)
    world.advance(3 * 3600)
    assert world.files.stamp(str(kept["Sha512"])) is not None
    world.run(a("Copy", "Instance", Vcpus=1, MemoryMiB=512, Disks=[{"Base": "stable"}]), alias="copy")
    assert world.the("Copy", "copy").state == "created"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ({"Snapshot": "golden", "Disks": [2]}, "the instance Web has no disk 2: its disks are 0 to 1"),
        ({"Snapshot": "base"}, "declared by a process"),
    ],
)
def test_behaviour_64_a_snapshot_that_cannot_be_is_said_and_makes_nothing(
    world: LocalWorld, command: JsonMap, why: str
) -> None:
    failed = ended(world, asked(world, command))
    assert (failed.state, why in failed.message) == ("error", True), failed.message
    assert not artifacts(world)
    assert not world.files.parts()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ({"Snapshot": "golden", "Disks": []}, "a list of numbers"),
        ({"Snapshot": "golden", "Disks": [True]}, "a list of numbers"),
        ({"Snapshot": "golden", "Disks": [16]}, "a list of numbers"),
        ({"Snapshot": "../x"}, "no name"),
        ({"Put": "/x", "Blob": "../x"}, "no name"),
    ],
)
def test_what_is_no_snapshot_and_no_file_is_refused_before_there_is_an_operation(
    world: LocalWorld, command: JsonMap, why: str
) -> None:
    with pytest.raises(UserError, match=why):
        asked(world, command)
    with pytest.raises(UserError, match="one Snapshot at most"):
        asked(world, {"Snapshot": "one"}, {"Snapshot": "two"})


def test_a_machine_that_is_paused_has_a_snapshot_and_one_that_is_off_has_none(world: LocalWorld) -> None:
    def power(state: str) -> None:
        world.update(BASE, a("Web", "Instance", "Base", Vcpus=1, MemoryMiB=512, Disks=DISKS, PowerState=state))

    power("paused")
    assert taken(world)[0]["Version"] == 1
    power("off")
    with pytest.raises(NotAllowedError, match="its machine is off"):
        asked(world, {"Snapshot": "golden"})


def test_a_machine_without_disks_has_no_snapshot(world: LocalWorld) -> None:
    world.update(BASE, a("Web", "Instance", Vcpus=1, MemoryMiB=512, Name="other"))
    assert "has no disks" in ended(world, asked(world, {"Snapshot": "golden"})).message


def test_a_snapshot_beyond_the_limit_of_its_namespace_is_said_and_leaves_no_bytes(world: LocalWorld) -> None:
    world.system.objects.create("Namespace", "red", fields={"Limits": {"blob_bytes": 200_000}}, region=ZONE)
    disks = [{"Base": world.the("Base").attributes["BlobId"]}]
    world.run(BASE, a("Web", "Instance", "Base", Vcpus=1, MemoryMiB=512, Disks=DISKS), alias="reds", account="red")
    fields = {"Instance": world.the("Web", "reds").object_id, "Commands": [{"Snapshot": "golden"}]}
    failed = ended(
        world, world.system.objects.create("AgentOperation", fields=fields, account="red", region=ZONE).item.object_id
    )
    assert "may have 200,000 bytes" in failed.message, (failed.message, disks)
    assert not artifacts(world)
    world.system.objects.delete(failed.object_id)
    world.advance(10)
    assert not world.files.parts()


def test_what_was_sent_and_is_something_else_becomes_no_version(world: LocalWorld) -> None:
    world.hosts.set_host(ZONE, str(world.the("Web").attributes["Host"]), is_up=False)
    operation = asked(world, {"Snapshot": "golden"})
    world.advance(5)
    world.hosts.set_host(ZONE, str(world.the("Web").attributes["Host"]), is_up=True)
    spoiled = ObjectId(f"{operation}-0-0")
    send = world.contents.send
    world.contents.send = lambda name, content: send(name, content[:-1] + b"?")  # type: ignore[method-assign]
    failed = ended(world, operation)
    assert "was changed on its way" in failed.message
    assert not artifacts(world)
    world.system.objects.delete(operation)
    world.advance(10)
    assert world.files.part(spoiled) is None


def test_the_event_of_a_snapshot_names_the_machine(world: LocalWorld) -> None:
    taken(world)
    events = world.store.events(EventQuery(types=(EventType.COMMAND_GIVEN,)))
    [told] = [one for one in events if one.data.get("command") == "instance snapshot"]
    assert (told.subject, told.data["source"]) == ("golden", world.the("Web").object_id)


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("count", range(1, 13))
def test_a_snapshot_is_one_version_whenever_the_conductor_dies(world: LocalWorld, count: int, is_after: bool) -> None:
    operation = asked(world, {"Snapshot": "golden"})
    world.fate.arm(Blow(operation="commit", is_after=is_after, count=count))
    world.advance(60)
    assert world.system.objects.find(operation).state == "complete"
    made = artifacts(world)["golden"]
    assert [one["Index"] for one in made.attributes["Versions"]] == [1]
    assert not world.files.parts()


# Files that are put into a guest


def test_behaviour_71_a_file_is_sent_once_it_is_on_the_host(world: LocalWorld) -> None:
    world.sources.contents["http://images.test/tools"] = b"tools" * 1000
    world.run(
        a("Tools", "Artifact", Name="tools", Kind="other", Source={"Url": "http://images.test/tools"}), alias="tools"
    )
    host = str(world.the("Web").attributes["Host"])
    world.hosts.set_host(ZONE, host, is_up=False)
    operation = asked(world, {"Put": "/opt/tools", "Blob": "tools", "Mode": "0600"}, {"Get": "/opt/tools"})
    world.advance(10)
    waiting = world.system.objects.find(operation)
    assert waiting.state == "preflight"
    assert "does not answer" in waiting.phases["local.operation.stage"].message
    world.hosts.set_host(ZONE, host, is_up=True)
    done = ended(world, operation)
    assert done.state == "complete"
    assert done.attributes["Results"][0] == {"SizeBytes": 5000}
    assert base64.b64decode(done.attributes["Results"][1]["Content"]) == b"tools" * 1000


def test_behaviour_71_a_missing_file_blocks_nothing(world: LocalWorld) -> None:
    missing = asked(world, {"Put": "/x", "Blob": "nothing"})
    after = asked(world, {"Exec": ["hostname"]})
    failed = ended(world, missing)
    assert failed.state == "error"
    assert "no artifact with a version, and no blob, nothing" in failed.message
    assert world.system.objects.find(after).state == "complete"


def test_behaviour_71_a_file_that_never_comes_expires_and_lets_the_next_one_go(world: LocalWorld) -> None:
    world.sources.contents["http://images.test/tools"] = b"tools"
    world.run(
        a("Tools", "Artifact", Name="tools", Kind="other", Source={"Url": "http://images.test/tools"}), alias="tools"
    )
    host = str(world.the("Web").attributes["Host"])
    world.hosts.set_host(ZONE, host, is_up=False)
    late = asked(world, {"Put": "/x", "Blob": "tools"}, DeadlineSeconds=30)
    after = asked(world, {"Exec": ["hostname"]})
    world.advance(60)
    assert "expired before its file was on the host" in world.system.objects.find(late).message
    world.hosts.set_host(ZONE, host, is_up=True)
    world.advance(10)
    assert world.system.objects.find(after).state == "complete"


def test_a_file_of_another_namespace_is_not_there(world: LocalWorld) -> None:
    world.system.objects.create("Namespace", "red", region=ZONE)
    world.sources.contents["http://images.test/red"] = disk("of red")
    world.run(
        a("Tools", "Artifact", Name="tools", Kind="other", Source={"Url": "http://images.test/red"}),
        alias="tools",
        account="red",
    )
    blob = world.the("Tools", "tools").attributes["BlobId"]
    for word in ("tools", str(blob), digest(disk("of red"))):
        failed = ended(world, asked(world, {"Put": "/x", "Blob": word}))
        assert failed.state == "error", word
