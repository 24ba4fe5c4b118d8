"""The local cloud on simulated hosts, by a whole Conductor: made, held, changed, failed, lost, and deleted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from images import disk
from local_world import LocalWorld, a, shop, submission
from web_world import composed

from tenuto.compositions.documents.canonical import digest
from tenuto.compositions.documents.document import to_document
from tenuto.errors import CompileError
from tenuto.kit.times import moment_of
from tenuto.model.command import ProcessState
from tenuto.model.composition import Declaration, Parameter
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json, ObjectId
from tenuto.model.verb import Verb
from tenuto.providers.local.driver import Problem, Spec
from tenuto.providers.local.drivers.simulated import KILLED
from tenuto.providers.local.rules.networks.addresses import CONGESTED_FREE_AGAIN_S, FREE_AGAIN_S
from tenuto.service.intake.composition import Submission
from tenuto_testing.mortality import Blow

ZONE = "us-east-1"
ADDRESS = "10.1.0.9"
MAC = "02:00:00:00:00:07"

URL = "http://images.test/base.img"


@pytest.fixture
def world() -> LocalWorld:
    return LocalWorld()


def with_password(resources: Sequence[Declaration]) -> Submission:
    """A composition that has the secret parameter `Password`."""
    parameters = {"Password": Parameter(name="Password", fingerprint="abc")}
    plain = replace(composed(*resources), parameters=parameters)
    document = to_document(replace(plain, digest=digest(plain)))
    return Submission(document=document, secrets={"Password": "open sesame"})


def test_a_network_an_interface_and_a_machine_are_made_and_deleted(world: LocalWorld) -> None:
    assert world.run(*shop()).state is ProcessState.RUNNING
    web, nic = world.the("Web"), world.the("Nic")
    assert [one.state for one in world.objects()] == ["created"] * 3
    assert web.attributes["Addresses"] == [nic.attributes["Address"]]
    assert web.attributes["Host"] in {"h1", "h2"}
    world.system.commands.kill("shop")
    assert (world.settled().state, world.things()) == (ProcessState.GONE, {})


def test_a_killed_machine_and_a_broken_network_are_set_right(world: LocalWorld) -> None:
    world.run(*shop())
    web, net = world.the("Web").object_id, world.the("Net").object_id
    world.hosts.stop_machine(web)
    assert world.things()[web] == KILLED
    world.hosts.break_thing(net, "the NAT rule is missing")
    world.advance(90)
    assert world.things()[web] == "on"
    [(_, things)] = world.hosts.everything().values()
    assert [seen.properties["Deviations"] for _, seen in things] == [None, None, None]
    assert {one.incarnation for one in world.objects()} == {1}


def test_a_machine_that_was_destroyed_is_made_anew(world: LocalWorld) -> None:
    world.run(*shop())
    world.hosts.destroy(world.the("Web").object_id)
    world.advance(120)
    assert (world.the("Web").incarnation, world.the("Web").state) == (2, "created")


def test_a_host_that_answers_and_cannot_do_it_is_told_apart_from_a_silent_one(world: LocalWorld) -> None:
    ensure = world.hosts.ensure
    told = "on h1 this host refused: Too many open files"

    def refusing(zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        return {one.object_id: Problem(message=told) for one in specs}

    world.run(*shop())
    web = world.the("Web")
    world.hosts.stop_machine(web.object_id)
    world.hosts.ensure = refusing  # type: ignore[method-assign]
    world.advance(60)
    codes = {(one.code, one.message) for one in world.the("Web").phases.values() if one.code}
    assert codes == {("HostFailed", f"{told}; it is asked again")}
    world.hosts.set_host(ZONE, str(web.attributes["Host"]), is_up=False)
    world.hosts.ensure = ensure  # type: ignore[method-assign]
    world.advance(60)
    assert {one.code for one in world.the("Web").phases.values() if one.code} == {"HostSilent"}
    world.hosts.set_host(ZONE, str(web.attributes["Host"]), is_up=True)
    world.advance(120)
    assert all(one.is_settled for one in world.objects())


def test_nothing_is_concluded_about_what_is_on_a_silent_host(world: LocalWorld) -> None:
    world.run(*shop())
    host = str(world.the("Web").attributes["Host"])
    before = world.things()
    world.hosts.set_host(ZONE, host, is_up=False)
    world.advance(900)
    _, explanation = world.system.queries.explain("shop")
    assert f"the host {host} does not answer" in " ".join(explanation.resources[world.the("Web").logical_id])
    world.hosts.set_host(ZONE, host, is_up=True)
    world.advance(120)
    assert world.things() == before
    assert {one.incarnation for one in world.objects()} == {1}


def test_a_change_in_place_restarts_the_machine_and_a_new_name_replaces_it(world: LocalWorld) -> None:
    world.run(*shop())
    booted = world.the("Web").attributes["BootedAt"]
    world.advance(60)
    world.update(*shop(Vcpus=2))
    world.advance(60)
    [web] = [
        seen for _, things in world.hosts.everything().values() for spec, seen in things if "Vcpus" in spec.properties
    ]
    assert (web.properties["Vcpus"], world.the("Web").incarnation) == (2, 1)
    assert web.attributes["BootedAt"] > booted
    world.update(*shop(Vcpus=2, Name="other"))
    assert (world.the("Web").incarnation, len(world.things())) == (2, 3)


@pytest.mark.parametrize(
    ("properties", "code", "words"),
    [
        ({"MemoryMiB": 64000}, "NoRoom", "14336 MiB of it are for machines"),
        ({"Interfaces": ["nothing"]}, "NoInterface", "there is no interface nothing here"),
    ],
)
def test_a_machine_that_cannot_be_made_is_in_error_until_somebody_acknowledges_it(
    world: LocalWorld, properties: dict[str, object], code: str, words: str
) -> None:
    process = world.run(*shop(**properties))
    assert (process.state, world.the("Web").state) == (ProcessState.SUSPENDED, "error")
    assert words in process.last_message
    assert f"({code})" in process.last_message
    world.system.commands.retry("shop")
    world.advance(60)
    assert (world.settled().state, world.the("Web").state) == (ProcessState.SUSPENDED, "error"), "it waits for a resume"
    world.update(*shop())
    assert world.the("Web").incarnation == 1, "an update alone acknowledges nothing"
    world.system.commands.resume("shop")
    assert world.settled().state is ProcessState.RUNNING
    assert [one.state for one in world.objects()] == ["created", "created", "deleted", "created"]


def test_a_machine_that_another_hand_changed_for_good_keeps_its_disk_until_a_person_resumes(world: LocalWorld) -> None:
    world.run(*shop(Name="web"))
    machine = world.the("Web")
    world.hosts.tamper(machine.object_id, "Name", "theirs")
    world.advance(60)
    process = world.settled()
    assert process.state is ProcessState.SUSPENDED
    assert "the plan would replace Web" in process.last_message
    assert "What is lost with that cannot be made again" in process.last_message
    assert world.things()[machine.object_id] == "on"
    world.system.commands.resume("shop")
    assert world.settled().state is ProcessState.RUNNING
    assert world.the("Web").object_id != machine.object_id


def test_behaviour_31_an_unknown_host_is_refused_with_its_line_and_nothing_is_made(world: LocalWorld) -> None:
    [net, nic, web] = shop(Host="h9")
    web = replace(web, position=Position(file="shop.yaml", line=12, column=3))
    with pytest.raises(CompileError) as refused:
        world.run(net, nic, web)
    assert "shop.yaml:12: Web asks for the host 'h9'" in str(refused.value)
    [problem] = refused.value.diagnostics
    assert (problem.code, problem.subject) == ("T714", "Resources.Web.Properties.Host")
    assert "Its hosts: h1, h2." in problem.detail
    assert (world.store.processes(), world.things()) == ((), {})


def test_behaviour_31_what_is_there_already_is_not_judged_again(world: LocalWorld) -> None:
    world.run(*shop(Host="h2"))
    world.nodes.delete("h2", zone=ZONE, is_forced=True, actor="ann")
    world.settled()
    with pytest.raises(CompileError, match="asks for the host 'h2'"):
        world.update(*shop(Host="h2", MemoryMiB=1024))
    net, nic, web = shop(Host="h2")
    process = world.update(replace(net, properties={**net.properties, "Tags": {"a": "b"}}), nic, web)
    composition = world.store.composition(process.composition_digest)
    assert composition is not None
    assert {"a": "b"} in [one.properties.get("Tags") for one in composition.resources]


def test_a_tag_that_is_no_longer_declared_goes_without_a_restart(world: LocalWorld) -> None:
    world.run(*shop(Tags={"team": "blue", "tier": "web"}))
    before = world.the("Web")
    world.advance(24 * 3600)
    world.update(*shop(Tags={"team": "blue"}))
    after = world.the("Web")
    assert (after.object_id, after.incarnation) == (before.object_id, 1)
    [(_, things)] = world.hosts.everything().values()
    assert [seen.properties["Tags"] for _, seen in things if seen.object_id == after.object_id] == [{"team": "blue"}]
    assert (world.the("Web").attributes["BootedAt"], world.things()[after.object_id]) == (
        before.attributes["BootedAt"],
        "on",
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"Vcpus": "many"},
        {"MemoryMiB": None},
        {"Affinity": ["near"]},
        {"Interfaces": 7},
        {"Interfaces": "nic"},
        {"Disks": 7},
        {"Disks": ["tiny"]},
    ],
)
def test_a_wrong_value_fails_its_own_machine_and_no_other(world: LocalWorld, wrong: dict[str, Json]) -> None:
    world.run(
        a("Odd", "Instance", **{"Vcpus": 1, "MemoryMiB": 512, **wrong}), a("Web", "Instance", Vcpus=1, MemoryMiB=512)
    )
    assert (world.the("Odd").state, world.the("Web").state) == ("error", "created")
    [(name, value)] = wrong.items()
    assert f'"{name}": {json.dumps(value)}' in world.the("Odd").message


@pytest.mark.parametrize(
    ("kind", "base", "name", "words"),
    [
        ("Instance", {"Vcpus": 1, "MemoryMiB": 512}, "Interfaces", "a list"),
        ("Instance", {"Vcpus": 1, "MemoryMiB": 512}, "Affinity", "a mapping"),
        ("Instance", {"Vcpus": 1}, "MemoryMiB", "a whole number"),
        ("Network", {"CidrBlock": "10.9.0.0/24", "Dns": True}, "DnsRecords", "a mapping"),
        ("NetworkInterface", {"Network": {"Ref": "Net"}}, "Routed", "a list"),
        ("Artifact", {"Name": "odd", "Kind": "image"}, "Source", "a mapping"),
        ("Artifact", {"Name": "odd", "Kind": "image", "Source": {"Url": URL}}, "MaxVersions", "a whole number"),
    ],
)
def test_a_value_of_another_resource_that_is_of_a_wrong_kind_fails_its_own_thing(
    world: LocalWorld, kind: str, base: dict[str, Json], name: str, words: str
) -> None:
    """A phase that met one ended with it for all things of its run."""
    world.sources.contents = {URL: disk("base")}
    good = {"Name": "good"} if kind == "Artifact" else {}
    plain = {"Source": {"Url": URL}} if kind == "Artifact" else {"MemoryMiB": 512} if kind == "Instance" else {}
    odd = {**base, name: {"Fn::GetAtt": ["Net", "Router"]}}
    world.run(*shop(), a("Odd", kind, "Net", **odd), a("Good", kind, "Net", **{**base, **plain, **good}))
    assert (world.the("Odd").state, world.the("Good").state) == ("error", "created")
    assert f'{name} must be {words}; resolved it is {{"{name}": "10.1.0.1"}}. Correct' in world.the("Odd").message


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"Vcpus": "many"}, "BadProperty"),
        ({"Interfaces": ["nothing"]}, "NoInterface"),
        ({"Disks": [{"Base": "nothing", "SizeGiB": 1}]}, "NoImage"),
        ({"UserData": {"Ref": "Password"}}, "SecretNotTaken"),
    ],
)
def test_a_wrong_update_leaves_the_machine_running_until_it_is_corrected(
    world: LocalWorld, wrong: dict[str, Json], code: str
) -> None:
    world.run(*shop())
    before = world.the("Web")
    world.system.commands.update("shop", with_password(shop(**wrong)))
    process = world.settled()
    assert (process.state, f"({code})" in process.last_message) == (ProcessState.SUSPENDED, True), process.last_message
    assert (world.the("Web").state, world.things()[before.object_id]) == ("created", "on")
    back = world.system.commands.dry_runs.update("shop", submission(tuple(shop())))
    assert [(one.logical_id, one.verb, one.changes) for one in back.planning.plan.operations] == [
        ("Web", Verb.REFRESH, ())
    ], "it was never changed"
    world.advance(86400)
    world.system.commands.resume("shop")
    assert world.settled().state is ProcessState.SUSPENDED, "the cause is there still"
    world.update(*shop(MemoryMiB=1024))
    world.system.commands.resume("shop")
    assert world.settled().state is ProcessState.RUNNING
    after = world.the("Web")
    assert (after.object_id, after.incarnation, after.message) == (before.object_id, 1, "")
    assert world.things()[before.object_id] == "on"


def test_behaviour_30_a_machine_that_fits_nowhere_holds_nothing(world: LocalWorld) -> None:
    world.run(*shop(MemoryMiB=64000))
    failed = world.the("Web")
    assert (failed.state, world.store.claims_of(failed.object_id)) == ("error", ())
    assert failed.object_id not in world.things()
    world.run(
        a("Big", "Instance", Vcpus=1, MemoryMiB=14000), a("Same", "Instance", Vcpus=1, MemoryMiB=14000), alias="b"
    )
    assert {world.the(name, "b").state for name in ("Big", "Same")} == {"created"}, "both hosts are free as before"


def test_behaviour_34_of_two_machines_for_one_free_place_one_gets_it(world: LocalWorld) -> None:
    for alias in ("first", "second"):
        machine = a("Big", "Instance", Vcpus=1, MemoryMiB=14000, Host="h1")
        world.system.commands.run(submission((machine,)), alias=alias)
    world.advance(30)
    states = {alias: world.the("Big", alias).state for alias in ("first", "second")}
    assert sorted(states.values()) == ["created", "preflight"]
    [served] = (alias for alias, state in states.items() if state == "created")
    [waits] = states.keys() - {served}
    world.system.commands.kill(served)
    world.settled(waits)
    assert world.the("Big", waits).state == "created"


def test_a_machine_waits_two_minutes_for_room_and_then_fails(world: LocalWorld) -> None:
    world.run(*shop(MemoryMiB=14000, Host="h1"))
    big = a("Big", "Instance", Vcpus=1, MemoryMiB=14000, Host="h1")
    world.system.commands.run(submission((big,)), alias="second")
    world.advance(60)
    assert (world.the("Big", "second").state, len(world.things())) == ("preflight", 3)
    [since] = [one.data["since"] for one in world.the("Big", "second").phases.values() if "since" in one.data]
    assert moment_of(str(since)) is not None, "a person reads it in an explanation"
    world.advance(120)
    assert world.the("Big", "second").state == "error"


@pytest.mark.parametrize(
    ("cidr", "words"),
    [
        ("10.1.0.0/30", "10.1.0.0/30 is not between /8 and /29"),
        ("10.1.0.300/24", "'10.1.0.300/24' is no IPv4 block such as 10.1.0.0/24"),
        ("10.1.0.9/24", "10.1.0.9/24 has host bits: its block is 10.1.0.0/24"),
        ("198.18.0.0/16", "198.18.0.0/16 meets 198.18.0.0/16, which hosts use"),
        ("127.0.0.0/24", "127.0.0.0/24 meets 127.0.0.0/8, whose addresses are the loopback of each machine"),
        ("224.0.0.0/24", "224.0.0.0/24 meets 224.0.0.0/4, whose addresses are multicast"),
    ],
)
def test_behaviour_42_a_block_that_is_none_is_refused_and_nothing_is_made(
    world: LocalWorld, cidr: str, words: str
) -> None:
    with pytest.raises(CompileError) as refused:
        world.run(a("Net", "Network", CidrBlock=cidr))
    [problem] = refused.value.diagnostics
    assert words in problem.detail
    assert problem.subject == "Resources.Net.Properties.CidrBlock"
    assert (world.store.processes(), world.things()) == ((), {})


FLOATS = "192.0.2.7"
TWICE = [
    ("Address", ADDRESS, f"the address {ADDRESS} belongs to the interface One: choose another."),
    ("MacAddress", MAC, f"the MAC address {MAC} belongs to the interface One: choose another."),
    ("Floating", FLOATS, f"the address {FLOATS} belongs to the interface One: choose another."),
    ("Routed", [FLOATS], f"the address {FLOATS} belongs to the interface One: choose another."),
]


@pytest.mark.parametrize(("name", "value", "words"), TWICE, ids=[one[0] for one in TWICE])
def test_a_value_that_two_interfaces_declare_is_refused_and_nothing_is_made(
    world: LocalWorld, name: str, value: Json, words: str
) -> None:
    one, two = (a(nic, "NetworkInterface", "Net", Network={"Ref": "Net"}, **{name: value}) for nic in ("One", "Two"))
    with pytest.raises(CompileError) as refused:
        world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"), one, two)
    assert [(one.subject, one.detail) for one in refused.value.diagnostics] == [
        (f"Resources.Two.Properties.{name}", words)
    ]
    assert (world.store.processes(), world.things()) == ((), {})


def test_equal_addresses_on_two_networks_are_no_fault(world: LocalWorld) -> None:
    nets = [a(name, "Network", CidrBlock="10.1.0.0/24") for name in ("Red", "Blue")]
    nics = [
        a(f"{name}Nic", "NetworkInterface", name, Network={"Ref": name}, Address=ADDRESS) for name in ("Red", "Blue")
    ]
    assert world.run(*nets, *nics).state is ProcessState.RUNNING


def test_an_interface_that_two_machines_declare_is_refused_and_nothing_is_made(world: LocalWorld) -> None:
    second = a("Two", "Instance", "Nic", Vcpus=1, MemoryMiB=128, Interfaces=[{"Ref": "Nic"}])
    with pytest.raises(CompileError, match="the interface Nic is in the instance Two: take it out there"):
        world.run(*shop(), second)
    assert (world.store.processes(), world.things()) == ((), {})


def test_disks_in_a_zone_whose_machines_have_none_are_refused(world: LocalWorld) -> None:
    world.hosts.name = "ns"
    with pytest.raises(CompileError, match="machines of the driver ns have no disks, but a home: leave Disks out"):
        world.run(*shop(Disks=[{"SizeGiB": 1}]))
    assert world.store.processes() == ()


class TestAddresses:
    """No two interfaces have one address, and one that was given back is reserved for a while."""

    def nic(self, name: str, **properties: str) -> object:
        return a(name, "NetworkInterface", "Net", Network={"Ref": "Net"}, **properties)

    def test_behaviour_47_addresses_are_different_and_a_full_network_has_none(self, world: LocalWorld) -> None:
        nics = [self.nic(f"N{number}") for number in range(5)]
        assert world.run(a("Net", "Network", CidrBlock="10.1.0.0/29"), *nics).state is ProcessState.RUNNING
        found = {str(world.the(f"N{number}").attributes["Address"]) for number in range(5)}
        assert found == {f"10.1.0.{last}" for last in range(2, 7)}
        process = world.update(a("Net", "Network", CidrBlock="10.1.0.0/29"), *nics, self.nic("Last"))
        assert "no address of 10.1.0.0/29 is free" in process.last_message
        assert world.the("Last").state == "error"

    @pytest.mark.parametrize(
        ("address", "words"),
        [("10.2.0.1", "10.2.0.1 is outside 10.1.0.0/24"), ("10.1.0.1", "10.1.0.1 is its router's")],
    )
    def test_behaviour_47_an_address_that_cannot_be_is_refused(
        self, world: LocalWorld, address: str, words: str
    ) -> None:
        net = a("Net", "Network", CidrBlock="10.1.0.0/24")
        assert words in world.run(net, self.nic("Nic", Address=address)).last_message

    def test_behaviour_47_an_address_that_another_has_is_refused(self, world: LocalWorld) -> None:
        net = a("Net", "Network", CidrBlock="10.1.0.0/24")
        world.run(net, self.nic("One", Address=ADDRESS))
        world.update(net, self.nic("One", Address=ADDRESS), self.nic("Two", MacAddress="02:00:00:00:00:01"))
        holder = world.the("One").object_id
        literal = a("Two", "NetworkInterface", Network=str(world.the("Net").object_id), Address=ADDRESS)
        message = world.run(literal, alias="other").last_message
        assert f"the address {ADDRESS} belongs to the interface {holder}" in message

    def test_behaviour_48_an_address_that_was_given_back_is_waited_for(self, world: LocalWorld) -> None:
        net = a("Net", "Network", CidrBlock="10.1.0.0/24")
        world.run(net, self.nic("One", Address=ADDRESS))
        world.update(net)
        began_at = world.clock.now()
        world.update(net, self.nic("Two", Address=ADDRESS))
        assert world.the("Two").state == "created"
        assert world.clock.now() - began_at >= FREE_AGAIN_S - 60

    def test_behaviour_48_a_full_network_gives_a_released_address_again_after_half_a_minute(
        self, world: LocalWorld
    ) -> None:
        net = a("Net", "Network", CidrBlock="10.1.0.0/29")
        nics = [self.nic(f"N{number}") for number in range(5)]
        world.run(net, *nics)
        released = world.the("N4").attributes["Address"]
        world.update(net, *nics[:4])
        world.advance(CONGESTED_FREE_AGAIN_S)
        world.update(net, *nics[:4], self.nic("Next"))
        assert (world.the("Next").state, world.the("Next").attributes["Address"]) == ("created", released)
        world.system.commands.update("shop", submission((net, *nics[:4])))
        while world.the("Next").state != "deleted":
            world.advance(1)
        world.system.commands.update("shop", submission((net, *nics[:4], self.nic("Early"))))
        world.advance(CONGESTED_FREE_AGAIN_S - 20)
        assert world.the("Early").state == "initial"
        [phase] = [one for one in world.the("Early").phases.values() if one.code]
        assert phase.code == "Reserved"
        assert f"no address of 10.1.0.0/29 is free now: {released} was given back" in phase.message
        assert world.settled().state is ProcessState.RUNNING
        assert world.the("Early").attributes["Address"] == released

    def test_an_interface_that_is_replaced_waits_for_no_reservation_of_its_own(self, world: LocalWorld) -> None:
        net = a("Net", "Network", CidrBlock="10.1.0.0/24")
        world.run(net, self.nic("One", Address=ADDRESS))
        began_at = world.clock.now()
        world.update(net, self.nic("One", Address=ADDRESS, MacAddress=MAC))
        assert (world.the("One").incarnation, world.the("One").attributes["Address"]) == (2, ADDRESS)
        assert world.clock.now() - began_at < FREE_AGAIN_S / 2

    def test_an_interface_of_a_full_network_is_replaced_with_the_address_that_it_declares_then(
        self, world: LocalWorld
    ) -> None:
        net, others = a("Net", "Network", CidrBlock="10.1.0.0/29"), [self.nic(f"N{number}") for number in range(4)]
        world.run(net, *others, self.nic("Last"))
        own = world.the("Last").attributes["Address"]
        message = world.update(net, *others, self.nic("Last", MacAddress=MAC)).last_message
        assert f"Declare Address {own} for Last" in message
        world.update(net, *others, self.nic("Last", MacAddress=MAC, Address=own))
        world.system.commands.resume("shop")
        assert world.settled().state is ProcessState.RUNNING
        assert (world.the("Last").attributes["Address"], world.the("Last").attributes["MacAddress"]) == (own, MAC)

    @pytest.mark.parametrize("wrong", [{"MacAddress": MAC}, {"Floating": "192.0.2.7"}], ids=lambda one: next(iter(one)))
    def test_a_failed_try_leaves_its_address_to_the_next_one(self, world: LocalWorld, wrong: dict[str, str]) -> None:
        net, held = a("Net", "Network", CidrBlock="10.1.0.0/24"), self.nic("One", **wrong)
        world.run(net, held)
        literal = str(world.the("Net").object_id)
        failed = a("Two", "NetworkInterface", Network=literal, Address=ADDRESS, **wrong)
        assert world.run(failed, alias="other").state is ProcessState.SUSPENDED
        world.system.commands.kill("other")
        world.settled("other")
        began_at = world.clock.now()
        world.update(net, held, self.nic("Next", Address=ADDRESS))
        assert world.the("Next").attributes["Address"] == ADDRESS
        assert world.clock.now() - began_at < FREE_AGAIN_S / 2


def test_a_network_of_another_process_goes_when_its_last_interface_is_gone(world: LocalWorld) -> None:
    world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"))
    net = str(world.the("Net").object_id)
    world.run(a("Nic", "NetworkInterface", Network=net), alias="guest")
    world.system.commands.kill("shop")
    world.advance(3600)
    assert (world.the("Net").state, ObjectId(net) in world.things()) == ("delete-wait", True)
    world.system.commands.kill("guest")
    world.settled("guest")
    world.advance(60)
    assert world.settled().state is ProcessState.GONE
    assert world.things() == {}


def test_an_interface_fits_into_one_machine(world: LocalWorld) -> None:
    world.run(*shop())
    holder = world.the("Web").object_id
    second = a("Two", "Instance", Vcpus=1, MemoryMiB=128, Interfaces=[str(world.the("Nic").object_id)])
    message = world.run(second, alias="other").last_message
    assert f"is in the instance {holder}: take it out there" in message


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("moment", range(1, 20, 2))
def test_a_conductor_that_dies_around_any_write_makes_nothing_twice(moment: int, is_after: bool) -> None:
    world, fate = LocalWorld(), Blow(operation="commit", is_after=is_after, count=moment)
    world.system.commands.run(submission(tuple(shop())), alias="shop")
    world.fate.arm(fate)
    assert (world.settled().state, len(world.things())) == (ProcessState.RUNNING, 3)
    world.system.commands.kill("shop")
    world.fate.arm(fate)
    assert (world.settled().state, world.things()) == (ProcessState.GONE, {})
    assert world.crashes


def test_a_host_gets_no_secret(world: LocalWorld) -> None:
    """A host keeps its orders in files, so a machine whose script has a secret parameter is refused in words."""
    world.system.commands.run(with_password(shop(UserData={"Ref": "Password"})), alias="shop")
    assert world.settled().state is ProcessState.SUSPENDED
    assert "has a secret parameter (NoEcho), which hosts do not take" in world.the("Web").message
    assert "sesame" not in repr(world.hosts.everything())
