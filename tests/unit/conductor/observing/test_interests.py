"""The details that a sweep must show, and the things of which a plan needs more than that."""

from dataclasses import replace

from tenuto.conductor.observing.sightings import asked_anew, interests
from tenuto.model.composition import Composition, Declaration
from tenuto.model.ids import Instant, JsonMap, LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.observation import Interest
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto_testing.store_samples import an_object

NET, NODE = TypeName("T::Net"), TypeName("T::Node")
TYPES = {
    NET: ResourceType(name=NET, provider="p", source="all", costly=frozenset({"Dns", "Tags"}), when_absent={"Tags": []})
}
NOW = Instant(100.0)


def net(name: str = "net", **desired: object) -> ManagedObject:
    return replace(
        an_object(name, fid=None), type=NET, logical_id=LogicalId(name), desired=desired, touched_at=Instant(7.0)
    )


def declaring(name: str, properties: JsonMap, type_name: TypeName = NET) -> Composition:
    declaration = Declaration(logical_id=LogicalId(name), type=type_name, properties=properties)
    return Composition(name="c", digest="d", region="here", resources=(declaration,))


def test_what_is_declared_and_what_absence_means_something_of_is_read_after_our_last_change() -> None:
    tracked = {NET: {PhysicalId("n-1"): net(Dns=True), PhysicalId("n-2"): net()}}
    found = interests(tracked, {}, TYPES, NOW, None)
    assert found == {
        NET: {
            PhysicalId("n-1"): Interest(names=frozenset({"Dns", "Tags"}), since=Instant(7.0)),
            PhysicalId("n-2"): Interest(names=frozenset({"Tags"}), since=Instant(7.0)),
        }
    }


def test_what_is_wanted_in_full_is_read_after_the_wish_and_after_our_last_change() -> None:
    """A wish is older than the repair that follows it, and would let the repair be taken for undone."""
    changed = {NET: {PhysicalId("n-1"): net(Dns=True)}}
    wishes = {(NET, PhysicalId("n-1")): Instant(5.0), (NET, PhysicalId("n-9")): Instant(6.0)}
    found = interests(changed, wishes, TYPES, NOW, None)
    assert found[NET] == {
        PhysicalId("n-1"): Interest(names=TYPES[NET].costly, since=Instant(7.0)),
        PhysicalId("n-9"): Interest(names=TYPES[NET].costly, since=Instant(6.0)),
    }
    younger = interests(changed, {(NET, PhysicalId("n-1")): Instant(8.0)}, TYPES, NOW, None)
    assert younger[NET][PhysicalId("n-1")].since == Instant(8.0)


def test_what_is_wanted_in_full_and_compared_with_nothing_may_be_missing() -> None:
    """As a call that an emulator does not serve. Of a thing that no process has, everything is of use."""
    wishes = {(NET, PhysicalId(one)): Instant(8.0) for one in ("n-1", "n-2", "n-9")}
    tracked = {NET: {PhysicalId("n-1"): net(Dns=True), PhysicalId("n-2"): net()}}
    found = interests(tracked, wishes, TYPES, NOW, None)[NET]
    assert {one: what.spared for one, what in found.items()} == {"n-1": set(), "n-2": {"Dns"}, "n-9": set()}


def test_what_is_wanted_in_full_shows_the_declared_members_too() -> None:
    types = {NET: replace(TYPES[NET], asked_members={"Dns": ""})}
    found = interests({NET: {PhysicalId("n-1"): net(Dns={"a": 1})}}, {(NET, PhysicalId("n-1")): NOW}, types, NOW, None)
    assert found[NET][PhysicalId("n-1")].names == {"Dns", "Dns.a", "Tags"}


def test_what_is_declared_for_the_first_time_is_asked_anew_and_only_that() -> None:
    assert asked_anew(declaring("net", {"Dns": True}), [net()], TYPES) == {ObjectId("net")}
    assert asked_anew(declaring("net", {"Dns": False}), [net(Dns=True)], TYPES) == frozenset()
    assert asked_anew(declaring("net", {"Cidr": "10.0.0.0/8"}), [net()], TYPES) == frozenset()
    assert asked_anew(declaring("other", {"Dns": True}), [net()], TYPES) == frozenset()


def test_types_that_no_provider_has_are_nobodys_interest() -> None:
    node = replace(net(), type=NODE)
    assert asked_anew(declaring("net", {"Dns": True}, NODE), [node], TYPES) == frozenset()
    assert asked_anew(declaring("net", {"Dns": True}), [node], TYPES) == frozenset()
