"""The simulated cloud is strict where real ones are, slow where they are, and lets strangers do what people do."""

from dataclasses import replace

import pytest

from tenuto.errors import PermanentError
from tenuto.model.ids import Fid, JsonMap, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Condition, ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.providers.simulated import types
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.cloud import Cloud
from tenuto_testing.clock import VirtualClock

HERE = Partition(account="default", region="sim-1")


def request(name: str, kind: TypeName, **properties: object) -> Request:
    return Request(
        object_id=ObjectId(f"object-{name}"),
        fid=Fid("fid"),
        process_name="web",
        logical_id=LogicalId(name),
        type=kind,
        token=f"object-{name}",
        properties=properties,
    )


class World:
    """A cloud with a network, and the few words that these tests need."""

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        self.clock = VirtualClock()
        self.cloud = Cloud(self.clock, behaviour)
        self.network = self.make(request("Net", types.NETWORK, CidrBlock="10.0.0.0/16"))

    def make(self, wanted: Request) -> str:
        outcome = self.cloud.create(HERE, wanted)
        assert isinstance(outcome, Done), outcome
        assert outcome.physical_id is not None
        return outcome.physical_id

    def subnet(self, cidr: str = "10.0.1.0/24") -> str:
        return self.make(request(f"Sub{cidr}", types.SUBNET, NetworkId=self.network, CidrBlock=cidr))

    def delete(self, physical_id: str) -> Outcome:
        wanted = replace(request("X", types.NETWORK), physical_id=PhysicalId(physical_id))
        outcome, _ = self.cloud.delete(HERE, wanted)
        return outcome

    def modify(self, wanted: Request, physical_id: str) -> tuple[Outcome, bool]:
        return self.cloud.modify(HERE, replace(wanted, physical_id=PhysicalId(physical_id)))

    def item(self, kind: TypeName, physical_id: str) -> ObservedItem | None:
        return self.cloud.items(HERE, kind).get(PhysicalId(physical_id))


def code_of(outcome: Outcome) -> str:
    return outcome.code if isinstance(outcome, Pending | Refused) else "Done"


@pytest.mark.parametrize(
    ("kind", "properties", "code"),
    [
        (types.NETWORK, {}, "MissingProperty"),
        (types.NETWORK, {"CidrBlock": "10.0.0.0/16", "Colour": "red"}, "UnknownProperty"),
        (types.NETWORK, {"CidrBlock": "300.0.0.0/16"}, "InvalidCidrBlock"),
        (types.SUBNET, {"NetworkId": "net-1", "CidrBlock": "10.0.1.0/24", "Zone": "mars"}, "UnknownZone"),
        (types.SUBNET, {"NetworkId": "net-1", "CidrBlock": "192.168.0.0/24"}, "InvalidCidrBlock"),
        (types.SUBNET, {"NetworkId": "net-99", "CidrBlock": "10.0.1.0/24"}, "UnknownReference"),
        (types.SERVER, {"SubnetId": "net-1", "Image": "debian"}, "WrongReference"),
    ],
)
def test_what_a_real_cloud_refuses_is_refused(kind: TypeName, properties: JsonMap, code: str) -> None:
    world = World()
    outcome = world.cloud.create(HERE, request("New", kind, **properties))
    assert isinstance(outcome, Refused)
    assert outcome.code == code
    assert len(world.cloud.things()) == 1


def test_overlapping_subnets_are_refused() -> None:
    world = World()
    world.subnet("10.0.0.0/20")
    outcome = world.cloud.create(HERE, request("Other", types.SUBNET, NetworkId=world.network, CidrBlock="10.0.1.0/24"))
    assert code_of(outcome) == "CidrConflict"


def test_a_name_is_exclusive_even_across_regions() -> None:
    world = World()
    world.make(request("One", types.BUCKET, Name="logs"))
    there = Partition(account="default", region="sim-2")
    assert code_of(world.cloud.create(there, request("Two", types.BUCKET, Name="logs"))) == "AlreadyExists"


def test_what_is_gone_is_waited_for_rather_than_refused() -> None:
    world = World()
    world.cloud.vanish(world.network)
    outcome = world.cloud.create(HERE, request("Sub", types.SUBNET, NetworkId=world.network, CidrBlock="10.0.1.0/24"))
    assert isinstance(outcome, Pending)
    assert outcome.code == "NotFound"


def test_a_new_thing_cannot_be_seen_or_referred_to_before_it_is_visible() -> None:
    world = World(Behaviour(visible_after_s=5.0))
    wanted = request("Sub", types.SUBNET, NetworkId=world.network, CidrBlock="10.0.1.0/24")
    assert world.item(types.NETWORK, world.network) is None
    assert code_of(world.cloud.create(HERE, wanted)) == "NotVisibleYet"
    world.clock.advance(5.0)
    assert world.item(types.NETWORK, world.network) is not None
    assert isinstance(world.cloud.create(HERE, wanted), Done)


@pytest.mark.parametrize(("honours", "count"), [(True, 1), (False, 2)])
def test_a_token_is_honoured_or_not(honours: bool, count: int) -> None:
    world = World(Behaviour(honours_tokens=honours))
    world.make(request("Net", types.NETWORK, CidrBlock="10.0.0.0/16"))
    assert len(world.cloud.items(HERE, types.NETWORK)) == count


def test_a_server_starts_slowly_and_leaves_a_tombstone() -> None:
    world = World()
    server = world.make(request("Srv", types.SERVER, SubnetId=world.subnet(), Image="debian"))
    told = []
    for step in (0.0, 20.0):
        world.clock.advance(step)
        item = world.item(types.SERVER, server)
        assert item is not None
        told.append(item.condition)
    assert told == [Condition.PENDING, Condition.READY]
    assert isinstance(world.delete(server), Pending)
    world.clock.advance(10.0)
    assert isinstance(world.delete(server), Done)
    tombstone = world.item(types.SERVER, server)
    assert tombstone is not None
    assert tombstone.condition is Condition.GONE
    world.clock.advance(120.0)
    assert world.item(types.SERVER, server) is None


def test_what_is_used_is_deleted_only_after_its_users_are_gone() -> None:
    world = World()
    subnet = world.subnet()
    server = world.make(request("Srv", types.SERVER, SubnetId=subnet, Image="debian"))
    assert code_of(world.delete(world.network)) == "DependencyViolation"
    world.delete(server)
    assert code_of(world.delete(subnet)) == "DependencyViolation"
    world.clock.advance(10.0)
    assert isinstance(world.delete(subnet), Done)
    assert isinstance(world.delete(world.network), Done)


def test_a_bucket_that_holds_something_is_not_deleted_and_says_what_to_do() -> None:
    world = World()
    bucket = world.make(request("Bkt", types.BUCKET, Name="logs"))
    world.cloud.fill(bucket, 3)
    outcome = world.delete(bucket)
    assert isinstance(outcome, Refused)
    assert "Empty the bucket" in outcome.hint
    world.cloud.fill(bucket, 0)
    assert isinstance(world.delete(bucket), Done)


def test_a_change_of_what_is_fixed_is_refused() -> None:
    world = World()
    outcome, changed = world.modify(request("Net", types.NETWORK, CidrBlock="10.1.0.0/16"), world.network)
    assert (code_of(outcome), changed) == ("CannotBeChanged", False)


def test_an_undeclared_property_is_left_alone_unless_absence_has_a_meaning() -> None:
    world = World()
    world.cloud.tamper(world.network, "Label", "theirs")
    world.cloud.tamper(world.network, "Tags", [{"Key": "a", "Value": "b"}])
    outcome, changed = world.modify(request("Net", types.NETWORK, CidrBlock="10.0.0.0/16"), world.network)
    item = world.item(types.NETWORK, world.network)
    assert isinstance(outcome, Done)
    assert changed
    assert item is not None
    assert (item.properties["Label"], item.properties["Tags"]) == ("theirs", [])


def test_a_slow_change_is_pending_and_then_done_without_a_second_change() -> None:
    world = World()
    wanted = request("Srv", types.SERVER, SubnetId=world.subnet(), Image="debian", Size="large")
    server = world.make(replace(wanted, properties={**wanted.properties, "Size": "small"}))
    world.clock.advance(20.0)
    first, changed = world.modify(wanted, server)
    assert isinstance(first, Pending)
    assert changed
    world.clock.advance(10.0)
    second, changed = world.modify(wanted, server)
    assert isinstance(second, Done)
    assert not changed


def test_a_broken_thing_stays_broken() -> None:
    world = World()
    address = world.make(request("Addr", types.ADDRESS))
    relay = world.make(request("Rel", types.RELAY, SubnetId=world.subnet(), AddressId=address))
    world.cloud.break_down(relay, "no capacity")
    world.clock.advance(600.0)
    item = world.item(types.RELAY, relay)
    assert item is not None
    assert (item.condition, item.message) == (Condition.BROKEN, "no capacity")


def test_things_of_another_account_or_region_are_not_touched() -> None:
    world = World()
    there = Partition(account="default", region="sim-2")
    wanted = replace(request("Net", types.NETWORK), physical_id=PhysicalId(world.network))
    outcome, changed = world.cloud.delete(there, wanted)
    assert isinstance(outcome, Done)
    assert not changed
    assert len(world.cloud.things()) == 1


def test_a_stranger_who_names_nothing_is_told_so() -> None:
    with pytest.raises(PermanentError, match="net-7"):
        World().cloud.vanish("net-7")
