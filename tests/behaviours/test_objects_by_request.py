"""Objects that requests make: the whole life of one of each simulated type, on a whole Conductor."""

import pytest
from desk import HOUR_S, MINUTE_S, NET, Desk

from tenuto.ports.store_reads import EventQuery
from tenuto_testing.world import World

DONE_S = 10.0
"""Longer than a simulated deletion."""

ONE_OF_EACH = (
    ("Simulated::Namespace", "red", ()),
    ("Simulated::Upload", "", ("--field", "SizeBytes=10")),
    ("Simulated::Blob", "", ("--field", "Sha512=abc")),
    ("Simulated::Artifact", "base", ("--field", "Kind=image")),
    ("Simulated::AgentOperation", "", ("--field", 'Commands=["uname"]')),
    ("Simulated::Compute::Network", "net", ("--field", "CidrBlock=10.1.0.0/24")),
    ("Simulated::Compute::Instance", "web", ()),
)


def create(desk: Desk, type_name: str, name: str = "", *options: str) -> dict[str, object]:
    given = (name,) if name else ()
    made: dict[str, object] = desk.document("object", "create", type_name, *given, *options)
    return made


@pytest.mark.parametrize(("type_name", "name", "options"), ONE_OF_EACH)
def test_an_object_is_made_gets_ready_is_deleted_and_is_removed(
    desk: Desk, type_name: str, name: str, options: tuple[str, ...]
) -> None:
    made = create(desk, type_name, name, *options)
    object_id = str(made["id"])
    assert made["type"] == type_name
    desk.advance(MINUTE_S)
    ready = desk.document("object", "wait", object_id)
    assert ready["settled"]
    assert ready["live"]
    assert ready["id"] in [one["id"] for one in desk.document("object", "list")["objects"]]
    desk.does("object", "delete", object_id)
    desk.advance(MINUTE_S)
    gone = desk.document("object", "show", object_id)
    assert (gone["state"], gone["live"]) == ("deleted", False)
    assert [one for one in gone["claims"] if one["free_at"] is None] == []
    assert desk.document("object", "list")["objects"] == []
    assert [one["id"] for one in desk.document("object", "list", "--all")["objects"]] == [object_id]
    desk.advance(3 * HOUR_S)
    assert desk("object", "show", object_id).code == 4
    told = desk.document("object", "events", object_id)["events"]
    assert told[-1]["after"] == "deleted"
    assert {one["data"]["command"] for one in told if one["type"] == "command.given"} == {
        "object create",
        "object delete",
    }
    assert {one["actor"] for one in told if one["type"] == "command.given"} == {"root"}


def test_a_name_is_given_once_and_reserved_for_a_while_after(desk: Desk) -> None:
    first = create(desk, "artifact", "base")
    refused = desk("-y", "object", "create", "artifact", "base")
    assert refused.code == 5
    assert f"belongs to Simulated::Artifact base ({first['id']})" in refused.err
    assert len(desk.document("object", "list")["objects"]) == 1
    desk.does("object", "delete", "base")
    desk.advance(DONE_S)
    reserved = desk("-y", "object", "create", "artifact", "base")
    assert reserved.code == 5
    assert "is reserved until" in reserved.err
    desk.advance(2 * MINUTE_S)
    assert create(desk, "artifact", "base")["id"] != first["id"]


def test_a_field_may_be_unique(desk: Desk) -> None:
    create(desk, "blob", "", "--field", "Sha512=abc")
    refused = desk("-y", "object", "create", "blob", "--field", "Sha512=abc")
    assert refused.code == 5
    assert "Sha512" in refused.err
    create(desk, "blob", "", "--field", "Sha512=abd")


def test_an_object_that_others_need_stays(desk: Desk) -> None:
    create(desk, "namespace", "red")
    artifact = create(desk, "artifact", "base", "--field", "Namespace=red")
    shown = desk.document("object", "show", "red")
    assert [one["name"] for one in shown["needed_by"]] == ["base"]
    [needed] = desk.document("object", "show", str(artifact["id"]))["needs"]
    assert (needed["role"], needed["name"]) == ("parent", "red")
    refused = desk("-y", "object", "delete", "red")
    assert refused.code == 5
    assert "still needed by Simulated::Artifact base" in refused.err
    desk.does("object", "delete", "base")
    desk.advance(DONE_S)
    desk.does("object", "delete", "red")
    desk.advance(DONE_S)
    missing = desk("-y", "object", "create", "artifact", "other", "--field", "Namespace=red")
    assert missing.code == 2
    assert "no live Simulated::Namespace" in missing.err


def test_a_failure_is_an_error_that_a_person_takes_away(desk: Desk) -> None:
    made = create(desk, "artifact", "base", "--field", "FailWith=no space on the node")
    desk.advance(MINUTE_S)
    shown = desk.document("object", "show", "base")
    assert shown["failed"]
    assert "no space on the node" in shown["message"]
    waited = desk("object", "wait", "base")
    assert waited.code == 1
    assert "no space on the node" in waited.err
    desk.advance(48 * HOUR_S)
    assert desk.document("object", "show", "base")["failed"]
    desk.does("object", "delete", "base")
    desk.advance(3 * HOUR_S)
    assert desk("object", "show", str(made["id"])).code == 4


def test_tags_are_set_and_removed(desk: Desk) -> None:
    create(desk, "namespace", "red", "--tag", "team=web", "--tag", "old=1")
    tagged = desk.document("object", "tag", "red", "team=db", "new=2", "--remove", "old")
    assert tagged["tags"] == {"team": "db", "new": "2"}
    assert "Tag team" in desk.does("object", "show", "red").out
    assert desk("-y", "object", "tag", "red").code == 2
    desk.does("object", "delete", "red")
    desk.advance(DONE_S)
    assert desk("-y", "object", "tag", "red", "a=b").code == 5


def test_an_object_is_found_by_its_name_where_that_is_one_object(desk: Desk) -> None:
    create(desk, "namespace", "red")
    artifact = create(desk, "artifact", "red")
    ambiguous = desk("object", "show", "red")
    assert ambiguous.code == 2
    assert str(artifact["id"]) in ambiguous.err
    desk.does("object", "delete", str(artifact["id"]))
    desk.advance(DONE_S)
    assert desk.document("object", "show", "red")["type"] == "Simulated::Namespace"
    assert [one["name"] for one in desk.document("object", "list", "--type", "namespace")["objects"]] == ["red"]


def test_mistakes_are_named_before_anything_is_made(desk: Desk) -> None:
    for arguments, told in (
        (("spaceship", "x"), "There is no type of objects 'spaceship'"),
        (("namespace",), "A name is missing"),
        (("blob", "x"), "no name of their own"),
        (("upload",), "'SizeBytes' is missing"),
        (("upload", "--field", "SizeBytes=ten"), "give it as JSON"),
        (("upload", "--field", "Size=10"), "Did you mean SizeBytes?"),
    ):
        refused = desk("-y", "object", "create", *arguments)
        assert refused.code == 2, arguments
        assert told in refused.err
    assert desk.document("object", "list", "--all")["objects"] == []


def test_rights_are_those_of_the_type_and_its_account(desk: Desk) -> None:
    policy = desk.file(
        "policy.yaml",
        "TenutoPolicy: 1\nUsers: [ann, bob]\nGrants:\n"
        "  - {To: ann, Commands: [object, status, events], Accounts: default}\n"
        "  - {To: bob, Commands: [status], Accounts: elsewhere}\n",
    )
    desk.does("policy", "set", policy)
    ann, bob = desk.user("ann"), desk.user("bob")
    assert ann("-y", "object", "create", "namespace", "red").code == 6
    made = create(ann, "artifact", "base")
    assert ann.document("object", "events", "base")["events"]
    assert bob.document("object", "list")["objects"] == []
    assert bob("object", "show", str(made["id"])).code == 6
    assert bob("-y", "object", "delete", "base").code == 6
    assert ann.does("object", "delete", "base").code == 0


def test_objects_survive_the_death_of_a_conductor() -> None:
    world = World()
    made = world.system.objects.create("blob", fields={"Sha512": "abc"})
    assert made.item.state == "initial"
    world.crash()
    world.advance(MINUTE_S)
    assert world.system.objects.show(made.item.object_id).item.state == "created"


def test_the_events_of_an_object_of_a_process_that_is_gone_are_not_those_of_an_object_by_request(desk: Desk) -> None:
    """They are events of the process, and told by its rights."""
    desk.runs(NET)
    [item] = desk.world.store.objects(desk.world.fid("web"))
    desk.does("kill", "web")
    desk.settle()
    desk.advance(3 * HOUR_S)
    assert desk.world.store.object(item.object_id) is None
    assert desk.world.store.events(EventQuery(object_id=item.object_id))
    assert "Deallocation → Terminated" in desk.does("object", "events", item.object_id).out
