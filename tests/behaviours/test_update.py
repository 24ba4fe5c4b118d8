"""Behaviours 32 to 38: update."""

from desk import BKT, NET, SUB, WEB, Desk

from tenuto.providers.simulated.faults import FaultKind

TAGGED = NET.replace("Label: main", "Label: main, Tags: [{Key: team, Value: a}]")
RELABELLED = NET.replace("Label: main", "Label: other")
MOVED = NET.replace("10.0.0.0/16", "10.0.0.0/15")


def test_behaviour_32_an_update_to_the_same_composition_has_nothing_to_do(desk: Desk) -> None:
    desk.runs()
    changes = desk.changes()
    assert desk.document("update", "web", desk.template(), "--dry-run")["operations"] == []
    desk.does("update", "web", desk.template())
    desk.settle()
    assert desk.changes() == changes


def test_behaviour_33_what_can_be_changed_in_place_keeps_its_id(desk: Desk) -> None:
    desk.runs(NET, SUB)
    net = desk.real("Net")
    desk.does("update", "web", desk.template(TAGGED, SUB))
    desk.settle()
    assert desk.real("Net") is net
    assert net.properties["Tags"] == [{"Key": "team", "Value": "a"}]


def test_behaviour_34_what_cannot_is_replaced_and_what_refers_to_it_follows(desk: Desk) -> None:
    desk.runs(NET, SUB)
    old = set(desk.things())
    (operation, *_) = desk.document("update", "web", desk.template(MOVED, SUB), "--dry-run")["operations"]
    assert (operation["op"], operation["changes"][0]["forces_replacement"]) == ("replace", True)
    desk.does("update", "web", desk.template(MOVED, SUB))
    desk.settle()
    assert old.isdisjoint(desk.things())
    assert desk.real("Sub").properties["NetworkId"] == desk.real("Net").physical_id


def test_behaviour_35_what_is_not_declared_any_more_is_deleted_and_what_is_new_is_made(desk: Desk) -> None:
    desk.runs(NET, SUB)
    desk.does("update", "web", desk.template(NET, BKT))
    desk.settle()
    assert desk.status()["resources"].keys() == {"Net", "Bkt"}
    assert len(desk.things()) == 2


def test_behaviour_36_a_refused_update_leaves_the_old_composition_in_force(desk: Desk) -> None:
    desk.runs(NET)
    before = desk.status()["composition"]
    wrong = desk.template("  Net: {Type: Simulated::Network, Properties: {CidrBlock: !Ref No}}", name="wrong")
    assert desk("-y", "update", "web", wrong).code == 3
    desk.does("property", "web", "lock", "--set", "on")
    assert desk("-y", "update", "web", desk.template(BKT)).code == 5
    assert desk.status()["composition"] == before
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "drifted")
    desk.settle()
    assert desk.real("Net").properties["Label"] == "main"


def test_behaviour_37_the_next_command_is_shown_until_its_job_is_there(desk: Desk) -> None:
    desk.runs(NET)
    assert desk.document("update", "web", desk.template(RELABELLED))["next_command"] == "update"
    assert "update" in desk.does("status", "web").out
    desk.settle()
    assert desk.status()["next_command"] is None
    assert desk.real("Net").properties["Label"] == "other"


def test_behaviour_38_an_update_of_a_suspended_process_is_stored_and_applied_when_it_is_resumed(desk: Desk) -> None:
    desk.runs(NET)
    desk.does("suspend", "web")
    desk.does("update", "web", desk.template(RELABELLED))
    desk.advance(120)
    assert (desk.real("Net").properties["Label"], desk.status()["state"]) == ("main", "Suspended")
    desk.does("resume", "web")
    desk.settle()
    assert desk.real("Net").properties["Label"] == "other"


def test_a_failed_update_says_what_is_left_and_an_update_back_is_the_way_out(desk: Desk) -> None:
    desk.runs()
    desk.fault("create", "Net", FaultKind.DENIED)
    desk.does("update", "web", desk.template(MOVED, *WEB[1:]))
    desk.settle()
    assert desk.status()["state"] == "Suspended"
    assert [one["op"] for one in desk.document("plan", "web")["operations"]]
    desk.does("update", "web", desk.template(*WEB))
    desk.does("resume", "web")
    desk.settle()
    assert desk.status()["converged"]
    assert len(desk.things()) == len(WEB)
    assert desk.real("Net").properties["CidrBlock"] == "10.0.0.0/16"


def test_an_update_for_another_account_is_refused_also_as_a_dry_run(desk: Desk) -> None:
    desk.runs(NET)
    file = desk.template(NET, SUB, name="more")
    for words in (("update", "web", file), ("update", "web", file, "--dry-run"), ("apply", file, "-a", "web")):
        refused = desk("-y", *words, "--account", "999999999999")
        assert refused.code != 0, refused
        assert "999999999999" in refused.err
    assert desk.does("update", "web", file, "--account", "default").code == 0
