"""The difference between a network as it is to be and as it is shown: none where both agree, one for each change."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.model.ids import ObjectId
from tenuto.providers.local.rules.networks.addresses import mac_of
from tenuto.providers.local.rules.networks.difference import Ends, NetworkShown, ShownLink, differences
from tenuto.providers.local.rules.networks.rendering import render_network
from tenuto.providers.local.rules.networks.routing import ROUTING_RULES
from tenuto.providers.local.rules.networks.spec import BRIDGE, MESH, Network, NetworkSpec, Port

HOSTS = {"h1": "10.0.0.11", "h2": "10.0.0.12", "h3": "10.0.0.13"}
ENDS = Ends(mesh_address="10.0.0.11", uplink_name="tu-5000", uplink_router="198.18.0.1/30")
LO = ShownLink(name="lo", kind="loopback", mtu=65536, mac="00:00:00:00:00:00")


def _wanted(gateway: str = "h1", ports: int = 2) -> NetworkSpec:
    network = Network(
        vni=5000, cidr="10.1.0.0/24", gateway_host=gateway, mtu=1450, uplink="198.18.0.2/30", uplink_router="198.18.0.1"
    )
    known = [
        Port(object_id=ObjectId(f"if-{one}"), mac=mac_of(str(one), 0), address=f"10.1.0.{one + 10}", host="h1")
        for one in range(ports)
    ]
    return render_network(network, known, HOSTS, "h1")


def _shown(wanted: NetworkSpec) -> NetworkShown:
    """A kernel that holds exactly what is wanted."""
    links = [
        ShownLink(
            name=link.name,
            kind="veth" if link.kind == "port" else link.kind,
            mtu=link.mtu,
            mac=link.mac or "02:11:11:11:11:11",
            master=link.master,
            vni=link.vni,
            local=ENDS.mesh_address if link.name == MESH else "",
        )
        for link in wanted.links
    ]
    return NetworkShown(
        links=(LO, *links),
        addresses=frozenset(wanted.addresses),
        routes=frozenset(wanted.routes),
        mesh=frozenset(wanted.mesh),
        uplink_router=ENDS.uplink_router,
        uplink_mtu=1500,
    )


def _changed(shown: NetworkShown, name: str, **changes: object) -> NetworkShown:
    links = tuple(replace(link, **changes) if link.name == name else link for link in shown.links)  # type: ignore[arg-type]
    return replace(shown, links=links)


@given(gateway=st.sampled_from(sorted(HOSTS)), ports=st.integers(0, 5))
def test_what_is_as_it_is_to_be_has_no_difference(gateway: str, ports: int) -> None:
    wanted = _wanted(gateway, ports)
    assert differences(wanted, _shown(wanted), ENDS) == []


@given(gateway=st.sampled_from(sorted(HOSTS)), ports=st.integers(0, 3), chance=st.data())
def test_each_thing_that_is_missing_is_made_and_nothing_else_is_touched(
    gateway: str, ports: int, chance: st.DataObject
) -> None:
    wanted = _wanted(gateway, ports)
    shown = _shown(wanted)
    field = chance.draw(st.sampled_from([name for name in ("addresses", "routes", "mesh") if getattr(shown, name)]))
    lost = chance.draw(st.sampled_from(sorted(getattr(shown, field))))
    (found,) = differences(wanted, replace(shown, **{field: getattr(shown, field) - {lost}}), ENDS)
    assert found.text.endswith("is missing")
    assert any(value.split("/")[0] in line for value in lost for line in (*found.inside, *found.mesh))


def test_a_new_namespace_gets_the_bridge_before_what_is_put_into_it() -> None:
    texts = [one.text for one in differences(_wanted(), NetworkShown(links=(replace(LO, is_up=False),)), ENDS)]
    assert texts[0] == "link br0 is missing"
    assert texts.index("link vx0 is missing") < texts.index("mesh: entry to 10.0.0.12 is missing")
    assert "link lo is down" in texts
    assert not [text for text in texts if "tp" in text]


@pytest.mark.parametrize(
    ("name", "changes", "text"),
    [
        (BRIDGE, {"mtu": 1200}, "link br0 has MTU 1200 instead of 1450"),
        (BRIDGE, {"is_up": False}, "link br0 is down"),
        (BRIDGE, {"kind": "dummy"}, "link br0 is of another kind"),
        (BRIDGE, {"master": "bond0"}, "link br0 is a port of a bridge"),
        (MESH, {"vni": 7}, "link vx0 is of another kind"),
        (MESH, {"master": ""}, "link vx0 is not a port of the bridge"),
        (MESH, {"local": "10.0.0.99"}, "link vx0 sends from 10.0.0.99 instead of 10.0.0.11"),
        (MESH, {"settings": frozenset({("learning", 0)})}, "link vx0 has other settings (learning)"),
        (BRIDGE, {"settings": frozenset({("stp_state", 1)})}, "link br0 has other settings (stp_state)"),
    ],
)
def test_a_link_that_was_changed_is_told_in_words(name: str, changes: dict[str, object], text: str) -> None:
    wanted = _wanted()
    assert differences(wanted, _changed(_shown(wanted), name, **changes), ENDS)[0].text == text


def test_a_host_that_was_the_gateway_gives_up_the_address_of_the_router() -> None:
    """It would keep what its machines send to the router, and answer for it on other hosts."""
    before, wanted = _wanted(), _wanted(gateway="h2")
    found = differences(wanted, _shown(before), ENDS)
    assert [one.text for one in found if BRIDGE in one.text] == [
        "link br0 has the MAC address of the router, which is on another host",
        "address 10.1.0.1/24 of br0 was added",
    ]
    (mac,) = [link.mac for link in wanted.links if link.name == BRIDGE]
    assert f"link set dev br0 mtu 1450 address {mac} up" in found[0].inside
    # Any other address will do, such as that of a bridge of an earlier release.
    assert differences(wanted, _changed(_shown(wanted), BRIDGE, mac="02:22:22:22:22:22"), ENDS) == []


def test_the_entries_of_the_mesh_are_made_again_with_its_link() -> None:
    """They go with a link that is made anew, whatever the kernel showed before."""
    wanted = _wanted()
    for changes in ({"local": "10.0.0.99"}, {"vni": 7}):
        found = differences(wanted, _changed(_shown(wanted), MESH, **changes), ENDS)
        made = [line for one in found for line in one.mesh]
        assert {tuple(line.split()[2:7:4]) for line in made} == set(wanted.mesh)


def test_rules_of_routing_and_neighbours_are_those_of_a_new_namespace() -> None:
    wanted = _wanted()
    rules = {("5", "action blackhole"), *ROUTING_RULES} - {("32766", "lookup main")}
    shown = replace(_shown(wanted), rules=frozenset(rules), neighbours=frozenset({("10.1.0.10", BRIDGE)}))
    found = differences(wanted, shown, ENDS)
    assert [line for one in found for line in one.inside] == [
        "rule delete pref 5",
        "rule add pref 32766 lookup main",
        "neighbour delete 10.1.0.10 dev br0",
    ]


def test_a_way_out_whose_end_in_the_host_has_another_name_is_made_anew() -> None:
    wanted = _wanted()
    found = differences(wanted, replace(_shown(wanted), uplink_mtu=0, uplink_router=""), ENDS)
    assert found[0].inside == ("link delete dev up0",)
    assert found[1].outside[0].startswith("link add name tu-5000 type veth peer name up0")
    assert not [one for one in found if "end tu-5000" in one.text]
    texts = [one.text for one in found]
    assert {
        "route 0.0.0.0/0 is missing",
        *(f"address {one[1]} of up0 is missing" for one in wanted.addresses if one[0] == "up0"),
    } <= {*texts}


def test_of_two_routes_to_one_block_the_added_one_goes() -> None:
    wanted = _wanted()
    shown = _shown(wanted)
    (found,) = differences(wanted, replace(shown, routes=shown.routes | {("0.0.0.0/0", "10.1.0.99")}), ENDS)
    assert found.inside == ("route delete 0.0.0.0/0 via 10.1.0.99",)


def test_a_port_that_learns_nothing_is_set_right() -> None:
    wanted = _wanted()
    port = next(link.name for link in wanted.links if link.name.startswith("tp"))
    settings = frozenset({("learning", 0), ("isolated", 1)})
    (found,) = differences(wanted, _changed(_shown(wanted), port, settings=settings), ENDS)
    assert found.inside == (f"link set dev {port} type bridge_slave isolated off learning on",)


def test_what_was_added_is_removed() -> None:
    wanted = _wanted()
    shown = _shown(wanted)
    extra = ShownLink(name="extra", kind="dummy", mtu=1500, mac="02:00:00:00:00:01")
    added = replace(
        shown,
        links=(*shown.links, extra),
        routes=shown.routes | {("blackhole 9.9.9.0/24", "")},
        addresses=shown.addresses | {(BRIDGE, "10.7.0.1/24")},
    )
    lines = [line for one in differences(wanted, added, ENDS) for line in one.inside]
    assert lines == ["route delete blackhole 9.9.9.0/24", "address delete 10.7.0.1/24 dev br0", "link delete dev extra"]


def test_the_host_end_of_a_way_out_takes_the_packets_of_its_network() -> None:
    wanted = _wanted()
    assert differences(wanted, replace(_shown(wanted), uplink_mtu=1500), ENDS) == []
    (found,) = differences(wanted, replace(_shown(wanted), uplink_mtu=600), ENDS)
    assert "tu-5000 of the way out has MTU 600" in found.text
    assert found.outside == (f"link set dev tu-5000 mtu {wanted.links[0].mtu}",)


def test_the_host_end_of_a_way_out_is_set_right() -> None:
    wanted = _wanted()
    (found,) = differences(wanted, replace(_shown(wanted), uplink_router=""), ENDS)
    assert found.outside[1] == "address add 198.18.0.1/30 dev tu-5000"
    assert found.inside == ()


def test_a_mac_address_that_the_bridge_was_told_to_find_elsewhere_is_forgotten() -> None:
    wanted = _wanted()
    told = {("02:00:00:00:00:10", MESH), ("02:00:00:00:00:11", BRIDGE)}
    found = differences(wanted, replace(_shown(wanted), placed=frozenset(told)), ENDS)
    assert [one.mesh for one in found] == [
        ("fdb delete 02:00:00:00:00:10 dev vx0 master",),
        ("fdb delete 02:00:00:00:00:11 dev br0 self",),
    ]
    # The entries of a link that is made anew go with it, and nothing is left to be deleted.
    moved = _changed(replace(_shown(wanted), placed=frozenset(told)), MESH, local="10.9.9.9")
    assert [
        line
        for one in differences(wanted, moved, ENDS)
        for line in one.mesh
        if "10.9.9.9" not in line and "append" not in line
    ] == ["fdb delete 02:00:00:00:00:11 dev br0 self"]


def test_a_mesh_with_another_name_goes_before_the_next_one_is_made() -> None:
    """A kernel makes no second link of one number."""
    wanted = _wanted()
    shown = _shown(wanted)
    links = tuple(replace(one, name="vx9") if one.name == MESH else one for one in shown.links)
    shown = replace(shown, links=links, addresses=shown.addresses | {("vx9", "10.8.0.1/24")})
    found = differences(wanted, shown, ENDS)
    assert [one.text for one in found[:2]] == ["link vx9 was added", f"link {MESH} is missing"]
    assert [line for one in found for line in one.inside if "vx9" in line] == ["link delete dev vx9"]
