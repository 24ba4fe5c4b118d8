"""Snapshots of the disks of simulated machines, and files that come to a guest from an artifact (behaviours 64, 71)."""

import base64
from typing import Any

import pytest
from images import digest, disk, qcow2_of
from local_world import SHOP, LocalWorld, a

from tenuto.errors import NotAllowedError, NotFoundError, UserError
from tenuto.kit.qcow2 import empty_image
from tenuto.model.enrolled_host import EnrolledHost
from tenuto.model.event import EventType
from tenuto.model.ids import Instant, JsonMap, ObjectId
from tenuto.model.image import BLOB_TYPE, GIB
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_claims import ObjectQuery, live_objects
from tenuto.ports.store_reads import EventQuery
from tenuto.providers.local.hosts.blobs import HostBlobs
from tenuto.providers.local.phases.parents import MOST_LINKS
from tenuto.service.accounts.sharing import Sharing
from tenuto.service.images.artifacts import Artifacts
from tenuto.service.objects.limits import Limits
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


def read_in(world: LocalWorld, alias: str, path: str) -> bytes:
    fields = {"Instance": world.the("Copy", alias).object_id, "Commands": [{"Get": path}]}
    read = world.system.objects.create("AgentOperation", fields=fields, region=ZONE).item.object_id
    return base64.b64decode(ended(world, read).attributes["Results"][0]["Content"])


def a_copy(world: LocalWorld, base: str, alias: str) -> None:
    world.run(a("Copy", "Instance", Vcpus=1, MemoryMiB=512, Disks=[{"Base": base}]), alias=alias)


def killed(world: LocalWorld, alias: str = SHOP) -> None:
    world.system.commands.kill(alias)
    world.advance(120)


def enrolled(name: str) -> EnrolledHost:
    return EnrolledHost(zone=ZONE, name=name, enrolled_at=Instant(0.0), enrolled_by="ada")


def test_behaviour_64_a_thin_snapshot_holds_the_difference_and_keeps_what_it_stands_on(world: LocalWorld) -> None:
    put(world, "/etc/motd", b"of the first")
    [whole] = taken(world, "golden")
    [thin] = taken(world, "thin", Thin=True)
    base = world.the("Base").attributes["BlobId"]
    assert (thin["StandsOn"], thin["VirtualSizeBytes"], "StandsOn" in whole) == (base, 3 * GIB, False)
    blob = world.system.objects.find(ObjectId(str(thin["BlobId"])))
    assert blob.attributes["Parent"] == world.the("Base").attributes["Sha512"]
    a_copy(world, "thin", "copy")
    assert read_in(world, "copy", "/etc/motd") == b"of the first"

    # The host of a machine may have what its disk stands on, and no other host may.
    killed(world)
    host = str(world.the("Copy", "copy").attributes["Host"])
    blobs, sha512 = HostBlobs(world.store, world.files), str(blob.attributes["Parent"])
    assert blobs.path(enrolled(host), sha512).is_file()
    with pytest.raises(NotFoundError):
        blobs.path(enrolled("h2" if host == "h1" else "h1"), sha512)


def test_behaviour_64_a_thin_snapshot_in_the_middle_is_deleted_and_what_stands_on_it_boots(world: LocalWorld) -> None:
    put(world, "/etc/motd", b"of the first")
    [first] = taken(world, "first", Thin=True)
    a_copy(world, "first", "copy")
    fields = {
        "Instance": world.the("Copy", "copy").object_id,
        "Commands": [
            {"Put": "/etc/more", "Content": base64.b64encode(b"of the second").decode()},
            {"Snapshot": "second", "Thin": True},
        ],
    }
    made = world.system.objects.create("AgentOperation", fields=fields, region=ZONE).item.object_id
    [second] = ended(world, made).attributes["Results"][1]["Disks"]
    assert second["StandsOn"] == first["BlobId"]
    world.system.objects.delete(made)

    # Nothing but the second one is left of the chain, for days.
    killed(world, "copy")
    killed(world)
    world.system.objects.delete(artifacts(world)["first"].object_id)
    world.advance(3 * 3600)
    assert sorted(artifacts(world)) == ["second"]
    a_copy(world, "second", "again")
    assert read_in(world, "again", "/etc/motd") == b"of the first"
    assert read_in(world, "again", "/etc/more") == b"of the second"

    # And with the last one, all go.
    killed(world, "again")
    world.system.objects.delete(artifacts(world)["second"].object_id)
    world.advance(5 * 3600)
    assert world.files.stored() == ()


def test_equal_differences_from_different_bases_are_different_contents(world: LocalWorld) -> None:
    world.sources.contents["http://images.test/other.img"] = qcow2_of(GIB) + b"other"
    other = a("Base", "Artifact", Name="other", Kind="image", Source={"Url": "http://images.test/other.img"})
    world.run(other, a("Web", "Instance", "Base", Vcpus=1, MemoryMiB=512, Disks=DISKS), alias="others")
    [one] = taken(world, "one", Thin=True)
    fields = {"Instance": world.the("Web", "others").object_id, "Commands": [{"Snapshot": "two", "Thin": True}]}
    asked_for = world.system.objects.create("AgentOperation", fields=fields, region=ZONE).item.object_id
    [two] = ended(world, asked_for).attributes["Results"][0]["Disks"]
    assert one["Sha512"] != two["Sha512"]
    assert one["StandsOn"] != two["StandsOn"]


def test_a_thin_snapshot_of_an_empty_disk_is_whole_and_a_chain_has_an_end(world: LocalWorld) -> None:
    assert "StandsOn" not in taken(world, "data", Disks=[1], Thin=True)[0]
    put(world, "/etc/motd", b"0")
    taken(world, "link0", Thin=True)
    for number in range(MOST_LINKS):
        a_copy(world, f"link{number}", f"copy{number}")
        fields = {
            "Instance": world.the("Copy", f"copy{number}").object_id,
            "Commands": [
                {"Put": "/etc/motd", "Content": base64.b64encode(f"{number + 1}".encode()).decode()},
                {"Snapshot": f"link{number + 1}", "Thin": True},
            ],
        }
        last = ended(world, world.system.objects.create("AgentOperation", fields=fields, region=ZONE).item.object_id)
    assert last.state == "error"
    assert f"stands on {MOST_LINKS} thin images already" in last.message
    assert read_in(world, f"copy{MOST_LINKS - 1}", "/etc/motd") == f"{MOST_LINKS - 1}".encode()


def test_a_copy_that_claims_another_parent_becomes_no_version(world: LocalWorld) -> None:
    send = world.contents.send
    stranger = empty_image(3 * GIB, parent="ab" * 64)
    world.contents.send = lambda name, content: send(name, stranger)  # type: ignore[method-assign]
    for more in ({}, {"Thin": True}):
        operation = asked(world, {"Snapshot": "golden", **more})
        failed = ended(world, operation)
        assert failed.state == "error"
        assert "was changed on its way" in failed.message or "stands on another image" in failed.message
    assert not artifacts(world)


def test_a_thin_image_from_outside_is_refused_and_a_thin_snapshot_is_not_given_out(world: LocalWorld) -> None:
    world.sources.contents["http://images.test/thin.img"] = empty_image(GIB, parent="ab" * 64)
    source = {"Url": "http://images.test/thin.img"}
    world.run(a("Thin", "Artifact", Name="thin", Kind="other", Source=source), alias="thin")
    assert "is a thin snapshot" in world.the("Thin", "thin").message
    taken(world, "own", Thin=True)
    with pytest.raises(NotAllowedError, match="is a thin snapshot"):
        service(world).content(artifacts(world)["own"].object_id)


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
        ({"Snapshot": "golden", "Thin": "yes"}, "Thin is true or false"),
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
    needed = {one.desired["Sha512"] for one in live_objects(world.store, BLOB_TYPE)}
    assert set(world.files.stored()) == needed
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
