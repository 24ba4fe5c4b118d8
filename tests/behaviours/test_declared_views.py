"""Declared objects of the local cloud under the commands of their types: listed, shown, changed by processes alone."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_world import a, shop
from town import Town, a_town

PATH = "/v1/declared-objects?type=Tenuto::Compute::Instance"


@pytest.fixture
def town(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Town]:
    """A Conductor with a shop in each of two namespaces."""
    with a_town(tmp_path, capsys) as made:
        for name in ("red", "blue"):
            made("-y", "namespace", "create", name)
            made.world.run(*shop(), alias=f"{name}-shop", account=name)
        yield made


def test_machines_are_listed_with_their_hosts_and_addresses(town: Town) -> None:
    web = town.world.the("Web", "red-shop")
    listed = town("instance", "list", "--account", "red")
    assert "red-shop/Web" in listed
    assert "blue-shop" not in listed
    assert str(web.attributes["Host"]) in listed
    [told] = json.loads(town("--json", "instance", "list", "--account", "red"))["declared"]
    assert (told["id"], told["state"], told["addresses"]) == (web.object_id, "created", web.attributes["Addresses"])


@pytest.mark.parametrize(("kind", "resource"), [("instance", "Web"), ("network", "Net"), ("interface", "Nic")])
def test_each_kind_is_shown_by_its_process_and_by_its_id(town: Town, kind: str, resource: str) -> None:
    name, object_id = f"red-shop/{resource}", town.world.the(resource, "red-shop").object_id
    assert name in town(kind, "list")
    for reference in (name, object_id):
        assert object_id in town(kind, "show", reference)


def test_behaviour_79_an_ambiguous_name_lists_the_ids_and_a_deleted_one_does_not_count(town: Town) -> None:
    told = town("instance", "show", "Web", code=2)
    assert town.world.the("Web", "red-shop").object_id in told
    assert town.world.the("Web", "blue-shop").object_id in told
    town.world.system.commands.kill("blue-shop")
    assert town.world.settle()
    assert "red-shop/Web" in town("instance", "show", "Web")


def test_the_events_of_a_declared_object_are_its_own_and_stay_after_its_end(town: Town) -> None:
    object_id = town.world.the("Web", "red-shop").object_id

    def told(*words: str) -> list[tuple[str, str]]:
        return [(one["subject"], one["after"]) for one in json.loads(town("--json", *words))["events"]]

    moves = told("instance", "events", "red-shop/Web")
    assert {subject for subject, _ in moves} == {"Web"}
    assert ("Web", "created") in moves
    assert moves == told("instance", "events", object_id) == told("object", "events", object_id)
    assert moves == told("events", "red-shop", "--resource", "Web")
    town.world.advance(3600)
    town.world.system.commands.kill("red-shop")
    assert town.world.settle()
    assert told("object", "events", object_id) == told("instance", "events", object_id)
    assert ("Web", "deleted") in told("object", "events", object_id)
    assert "red-shop/Web" in town("instance", "events", "red-shop/Web", code=4)


def test_the_events_of_a_declared_object_of_another_namespace_are_not_there(town: Town) -> None:
    ci = town.key("red", "ci", "questions")
    own, hidden = (town.world.the("Web", f"{name}-shop").object_id for name in ("red", "blue"))
    assert ci("GET", f"/v1/events?object={own}").document["events"]
    assert ci("GET", f"/v1/events?object={hidden}").document["events"] == []


def test_a_declared_kind_is_made_and_deleted_by_processes_alone(town: Town) -> None:
    assert "Declare a resource of the type Tenuto::Compute::Instance" in town("-y", "instance", "create", "x", code=2)
    assert "tenuto kill red-shop" in town("-y", "instance", "delete", "red-shop/Web", code=5)
    assert town.world.the("Web", "red-shop").target == "created"


def test_behaviour_23_a_declared_object_of_another_namespace_is_not_there(town: Town) -> None:
    ci = town.key("red", "ci", "questions")
    assert [one["name"] for one in ci("GET", PATH).document["objects"]] == ["red-shop/Web"]
    hidden = town.world.the("Web", "blue-shop").object_id
    for reference in ("blue-shop/Web", hidden, "none/Web"):
        assert ci("GET", f"{PATH}&reference={reference}").status == 404
    assert ci("GET", f"{PATH}&reference=Web").document["objects"][0]["name"] == "red-shop/Web"
    assert ci("GET", f"{PATH}&account=blue").status == 404


def test_the_addresses_of_a_network_are_told_with_their_machines(town: Town) -> None:
    net, nic = town.world.the("Net", "red-shop"), town.world.the("Nic", "red-shop")
    told = json.loads(town("--json", "network", "addresses", "red-shop/Net"))["addresses"]
    assert [one["address"] for one in told] == [net.attributes["Router"], nic.attributes["Address"]]
    assert told[1]["interface"] == "red-shop/Nic"
    assert told[1]["instances"] == ["red-shop/Web"]
    assert told[1]["mac"] == nic.attributes["MacAddress"]
    table = town("network", "addresses", net.object_id)
    assert "router" in table
    assert "blue-shop" not in table
    assert "tenuto network list" in town("network", "addresses", "nowhere/Net", code=4)
    later = (*shop(), a("Spare", "NetworkInterface", "Net", Network={"Ref": "Net"}))
    town.world.update(*later, alias="red-shop")
    assert "no instance" in town("network", "addresses", "red-shop/Net")


def test_behaviour_23_who_needs_a_hidden_network_is_not_told(town: Town) -> None:
    ci = town.key("red", "ci", "questions")
    path = "/v1/declared-objects?type=Tenuto::Compute::NetworkInterface&needs="
    seen = ci("GET", path + town.world.the("Net", "red-shop").object_id).document["objects"]
    assert [(one["name"], one["needed_by"]) for one in seen] == [("red-shop/Nic", ["red-shop/Web"])]
    assert ci("GET", path + town.world.the("Net", "blue-shop").object_id).document["objects"] == []


def test_what_is_not_declared_anywhere_is_not_found(town: Town) -> None:
    assert "tenuto instance list" in town("instance", "show", "nowhere/Web", code=4)
    town.world.run(a("Other", "Network", CidrBlock="10.2.0.0/24"), alias="other", account="red")
    assert "other/Other" in town("network", "list")
