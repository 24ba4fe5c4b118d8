"""A simulated cloud in a file: it outlives its programs, and several of them work with one cloud."""

from pathlib import Path

import pytest

from tenuto.bootstrap.tools.simulated_cloud import change_thing, delete_thing, list_things
from tenuto.errors import PermanentError, TransientError, UserError
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhysicalId
from tenuto.model.observation import Condition, Owner
from tenuto.model.outcome import Done, Request
from tenuto.providers.simulated.kept import KeptCloud, cloud_file
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto.providers.simulated.types import NETWORK, SERVER, SUBNET
from tenuto_testing.clock import START, VirtualClock
from tenuto_testing.ops import RecordedOps

HERE = Partition(account="default", region="eu-west-1")


def request(name: str, **properties: object) -> Request:
    return Request(
        object_id=ObjectId(f"object-{name}"),
        fid=Fid("fid"),
        process_name="web",
        logical_id=LogicalId(name),
        type=NETWORK,
        token=name,
        properties=properties,
    )


class Room:
    """A folder with the file of a cloud, and programs that work with it."""

    def __init__(self, folder: Path) -> None:
        self.database = folder / "tenuto.db"
        self.file = cloud_file(self.database)
        self.clock = VirtualClock()

    def cloud(self) -> KeptCloud:
        return KeptCloud(self.file, self.clock)

    def provider(self) -> SimulatedProvider:
        return SimulatedProvider(self.cloud(), clock=self.clock, ops=RecordedOps())

    def labels(self, provider: SimulatedProvider) -> list[object]:
        items = provider.sweep(HERE, "networks", {})[NETWORK].items
        return [item.properties.get("Label") for item in items.values()]


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def test_what_was_made_is_there_for_the_next_program_with_its_owner_and_its_token(room: Room) -> None:
    wish = request("Net", CidrBlock="10.0.0.0/16", Label="main")
    (made,) = room.provider().create(HERE, [wish])
    assert isinstance(made, Done)
    after = room.provider()
    assert list(after.create(HERE, [wish])) == [made]
    (found,) = after.find(HERE, [wish])
    assert found is not None
    assert found.owner is not None
    assert (found.physical_id, found.owner.logical_id) == (made.physical_id, "Net")
    assert [one.physical_id for one in after.cloud.things()] == [made.physical_id]


@pytest.mark.parametrize("back_s", [1.0, 10.0, 2 * 3600.0])
def test_what_stands_is_seen_after_the_clock_was_set_back(room: Room, back_s: float) -> None:
    (made,) = room.provider().create(HERE, [request("Net", CidrBlock="10.0.0.0/16", Label="main")])
    assert isinstance(made, Done)
    room.clock = VirtualClock(Instant(START - back_s))
    after = room.provider()
    assert room.labels(after) == ["main"]
    (found,) = after.find(HERE, [request("Net", CidrBlock="10.0.0.0/16", Label="main")])
    assert found is not None
    assert (found.physical_id, found.condition) == (made.physical_id, Condition.READY)


@pytest.mark.parametrize(
    ("back_s", "condition"), [(0.0, Condition.PENDING), (1.0, Condition.PENDING), (7200.0, Condition.READY)]
)
def test_a_delay_is_over_when_the_clock_was_set_back_by_more_than_it_lasts(
    room: Room, back_s: float, condition: Condition
) -> None:
    cloud = room.cloud()
    with cloud.session():
        network = cloud.add(HERE, NETWORK, {"CidrBlock": "10.0.0.0/16"})
        subnet = cloud.add(HERE, SUBNET, {"NetworkId": network, "CidrBlock": "10.0.1.0/24"})
        cloud.add(HERE, SERVER, {"SubnetId": subnet, "Image": "image-1", "Size": "small"})
    room.clock = VirtualClock(Instant(START - back_s))
    after = room.cloud()
    (server,) = [one for one in after.things() if one.type.facts.name == SERVER]
    assert server.condition(room.clock.now())[0] is condition
    with after.session():
        after.mark(server.physical_id, Owner(fid=Fid("f"), logical_id=LogicalId("S"), object_id=ObjectId("o")))
    room.clock.advance(20.0)
    (server,) = [one for one in room.cloud().things() if one.type.facts.name == SERVER]
    assert server.condition(room.clock.now())[0] is Condition.READY, "and stays over"


def test_what_was_deleted_is_gone_after_the_clock_was_set_back(room: Room) -> None:
    cloud = room.cloud()
    with cloud.session():
        cloud.terminate(cloud.add(HERE, NETWORK, {"CidrBlock": "10.0.0.0/16"}))
    room.clock = VirtualClock(Instant(START - 7200.0))
    assert room.cloud().things() == ()


def test_a_change_by_another_program_is_seen_at_the_next_sweep(room: Room) -> None:
    running = room.provider()
    running.create(HERE, [request("Net", CidrBlock="10.0.0.0/16", Label="main")])
    other = room.cloud()
    with other.session():
        other.tamper("net-1", "Label", "drifted")
    assert room.labels(running) == ["drifted"]
    with other.session():
        other.vanish("net-1")
    assert room.labels(running) == []


def test_numbers_are_never_given_twice(room: Room) -> None:
    for expected in ("net-1", "net-2"):
        (made,) = room.provider().create(HERE, [request(expected, CidrBlock="10.0.0.0/16")])
        assert isinstance(made, Done)
        assert made.physical_id == expected
        with (cloud := room.cloud()).session():
            cloud.vanish(expected)


def test_the_file_is_for_its_owner_alone(room: Room) -> None:
    room.cloud()
    assert [path.stat().st_mode & 0o777 for path in room.database.parent.iterdir()] == [0o600, 0o600]


def test_a_damaged_file_is_named_and_left_as_it_is(room: Room) -> None:
    cloud = room.cloud()
    room.file.write_text('{"format": 1, "things": [{}]}')
    with (
        pytest.raises(PermanentError, match=r"tenuto\.simulated\.json of the simulated cloud is damaged"),
        cloud.session(),
    ):
        pass
    with pytest.raises(UserError, match="is damaged"):
        room.cloud()
    assert room.file.read_text() == '{"format": 1, "things": [{}]}'


def test_what_was_done_in_part_did_not_happen(room: Room) -> None:
    cloud = room.cloud()

    def fail_half_way() -> None:
        with cloud.session():
            cloud.add(HERE, NETWORK, {"CidrBlock": "10.0.0.0/16"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    with cloud.session(is_changing=False):
        assert cloud.things() == ()


def test_a_lock_that_cannot_be_made_is_worth_trying_again(room: Room, tmp_path: Path) -> None:
    cloud = room.cloud()
    room.file.with_name(f"{room.file.name}.lock").unlink()
    room.file.with_name(f"{room.file.name}.lock").mkdir()
    with pytest.raises(TransientError, match=r"cannot use its file .*it is tried again"), cloud.session():
        pass


def test_every_account_and_region_is_there_for_people(room: Room) -> None:
    provider = room.provider()
    one, other = (provider.context(Partition(account=name, region="mars-1")) for name in ("default", "prod"))
    assert one.zones["mars-1"] == ("mars-1a", "mars-1b", "mars-1c")
    assert len({one.account_id, other.account_id}) == 2
    assert all(len(found.account_id) == 12 for found in (one, other))


def test_a_person_changes_things_and_sees_what_there_is(room: Room) -> None:
    cloud = room.cloud()
    with cloud.session():
        network = cloud.add(HERE, NETWORK, {"CidrBlock": "10.0.0.0/16"})
        subnet = cloud.add(HERE, SUBNET, {"NetworkId": network, "CidrBlock": "10.0.1.0/24"})
        server = cloud.add(HERE, SERVER, {"SubnetId": subnet, "Image": "debian", "Password": "s3cret"})
    database = str(room.database)
    assert "s3cret" not in str(list_things(database))
    changed = change_thing(database, server, "Size", "large")
    assert (changed["before"], changed["after"]) == ("small", "large")
    assert change_thing(database, server, "GroupIds", '["grp-1"]')["after"] == ["grp-1"]
    assert change_thing(database, server, "Size", None)["after"] is None
    assert change_thing(database, server, "Password", "other") == {
        "id": server,
        "property": "Password",
        "before": None,
        "after": None,
    }
    assert delete_thing(database, server)["type"] == SERVER
    assert [one["id"] for one in list_things(database)["things"]] == [network, subnet]


def test_a_person_is_told_what_there_is_not(room: Room) -> None:
    with pytest.raises(UserError, match="There is no simulated cloud beside"):
        list_things(str(room.database))
    cloud = room.cloud()
    with cloud.session():
        network: PhysicalId = cloud.add(HERE, NETWORK, {"CidrBlock": "10.0.0.0/16"})
    with pytest.raises(UserError, match=r"There is no net-2 in the simulated cloud\. Did you mean net-1\?"):
        delete_thing(str(room.database), "net-2")
    with pytest.raises(UserError, match=r"Simulated::Network has no property Lable\. Did you mean Label\?"):
        change_thing(str(room.database), network, "Lable", "x")
