"""The views of those who look closely: verdicts of properties, graphs, timelines, and what an id means."""

import re
from datetime import datetime
from pathlib import Path

import pytest
from desk import GRP, NET, SRV, SUB, Desk, a_desk

from tenuto.errors import NotFoundError, UserError
from tenuto.providers.simulated.faults import FaultKind
from tenuto.service.queries.resource_page import ResourceQuery
from tenuto.service.views.graph_view import ALL_UP_TO, MOST_BOXES, GraphQuery

SECRET = """\
Parameters:
  Password: {Type: String, NoEcho: true}
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}
  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.1.0/24}}
  Srv: {Type: Simulated::Server, Properties: {SubnetId: !Ref Sub, Image: debian-12, Password: !Ref Password}}
"""


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    with a_desk(tmp_path, capsys) as found:
        yield found


def verdicts(desk: Desk, name: str) -> dict[str, str]:
    document = desk.document("show", "web", name)
    return {row["path"]: row["verdict"] for row in document["properties"]}


def test_each_property_has_a_verdict_and_silence_has_a_reason(desk: Desk) -> None:
    desk.runs()
    found = verdicts(desk, "Grp")
    assert (found["Ingress"], found["NetworkId"]) == ("same", "same")
    document = desk.document("show", "web", "Grp")
    notes = {row["path"]: row["note"] for row in document["properties"]}
    assert "replace" in notes["NetworkId"]
    assert {row["note"] for row in document["properties"] if row["verdict"] == "not-declared"} == {"left alone"}
    assert document["source"]["line"]


def test_drift_is_told_with_what_will_become_of_it(desk: Desk) -> None:
    desk.runs()
    desk.does("property", "web", "enforcement", "--set", "off")
    desk.world.cloud.tamper(desk.real("Grp").physical_id, "Ingress", [])
    desk.advance(60.0)
    assert verdicts(desk, "Grp")["Ingress"] == "drift"
    text = desk.does("show", "web", "Grp").out
    assert "left alone while enforcement is off" in text


def test_a_value_that_waits_for_an_update_is_not_told_as_the_same(desk: Desk) -> None:
    desk.runs()
    desk.does("suspend", "web")
    desk.advance(3600.0)
    desk.does("update", "web", desk.template(NET, SUB, GRP, SRV.replace("debian-12", "debian-13")))
    desk.advance(60.0)
    rows = {row["path"]: row for row in desk.document("show", "web", "Srv")["properties"]}
    assert (rows["Image"]["verdict"], rows["SubnetId"]["verdict"]) == ("pending", "same")
    assert rows["Image"]["difference"] == ['Image: "debian-12" → "debian-13"']
    assert "no job has applied" in rows["Image"]["note"]
    desk.does("resume", "web")
    desk.settle()
    assert verdicts(desk, "Srv")["Image"] == "same"


def test_a_secret_is_masked_in_every_column(desk: Desk) -> None:
    file = desk.file("secret.yaml", SECRET)
    desk.does("run", file, "-a", "web", "--parameter", "Password=hunter2-hunter2")
    desk.settle()
    assert desk.things()[desk.status()["resources"]["Srv"]["id"]]
    said = desk.does("--json", "show", "web", "Srv").out
    assert "hunter2" not in said
    assert "****" in said


def test_a_secret_that_is_as_it_was_set_is_no_drift_and_another_one_is(desk: Desk) -> None:
    file = desk.file("label.yaml", SECRET.replace("{CidrBlock", "{Label: !Ref Password, CidrBlock"))
    desk.does("run", file, "-a", "web", "--parameter", "Password=hunter2-hunter2")
    desk.settle()
    assert desk.real("Net").properties["Label"] == "hunter2-hunter2"
    assert verdicts(desk, "Net")["Label"] == "same"
    desk.does("property", "web", "enforcement", "--set", "off")
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "hunter3-hunter3")
    desk.advance(60.0)
    said = desk.document("show", "web", "Net")
    assert [row["verdict"] for row in said["properties"] if row["path"] == "Label"] == ["drift"]
    assert "hunter2" not in str(said)


def test_a_resource_that_there_is_not_is_told_with_a_guess(desk: Desk) -> None:
    desk.runs()
    with pytest.raises(NotFoundError, match="Did you mean Grp"):
        desk.services.insights.properties("web", "Gpr")


def test_the_tree_puts_each_resource_below_what_it_needs(desk: Desk) -> None:
    desk.runs()
    rows = [(row["logical_id"], row["depth"]) for row in desk.document("show", "web")["resources"]]
    assert rows == [("Bkt", 0), ("Net", 0), ("Grp", 1), ("Srv", 2), ("Sub", 1)]
    with pytest.raises(UserError, match="sorted"):
        desk.services.insights.resources("web", ResourceQuery(sort="colour"))


def test_large_graphs_group_what_is_fine_and_never_what_is_not(desk: Desk) -> None:
    nets = [
        f"  N{number:03}: {{Type: Simulated::Network, Properties: {{CidrBlock: 10.0.0.0/16}}}}" for number in range(160)
    ]
    nets += [
        "  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref N007, CidrBlock: 10.9.1.0/24}}",
    ]
    desk.does("run", desk.template(*nets), "-a", "web")
    desk.settle()
    document = desk.services.insights.graph("web", GraphQuery())
    assert document["resources"] == 161 > ALL_UP_TO
    boxes = {node["name"]: node for node in document["nodes"]}
    assert boxes["Sub"]["status"] == "failed"
    assert boxes["N007"]["count"] == 1, "a neighbour of what failed stands alone"
    assert sorted(node["count"] for node in document["nodes"]) == [1, 1, 159]
    assert len(document["nodes"]) <= MOST_BOXES


def test_the_timeline_goes_back_a_page_at_a_time_without_a_gap(desk: Desk) -> None:
    desk.runs()
    for _ in range(6):
        desk.does("suspend", "web")
        desk.advance(7.0)
        desk.does("resume", "web")
        desk.advance(40.0)
    insights = desk.services.insights
    whole = [(one["at"], one["kind"], one["title"]) for one in insights.timeline("web", limit=1000)["entries"]]
    paged, before = [], None
    while True:
        moment = datetime.fromisoformat(before.replace("Z", "+00:00")).timestamp() if before else None
        page = insights.timeline("web", before=moment, limit=3)  # type: ignore[arg-type]
        paged += [(one["at"], one["kind"], one["title"]) for one in page["entries"]]
        before = page["next"]
        if before is None:
            break
    assert sorted(paged) == sorted(whole)


def test_an_id_leads_to_what_has_it_and_nothing_is_an_answer(desk: Desk) -> None:
    desk.runs()
    group = desk.status()["resources"]["Grp"]["id"]
    for text in (group, "Grp", f"arn:simulated:sim-1:group/{group}"):
        [first, *_] = desk.document("find", text)["findings"]
        assert (first["kind"], first["process"], first["logical_id"]) == ("resource", "web", "Grp")
    assert desk.document("find", "we")["findings"][0]["kind"] == "process"
    assert "not Tenuto's" in desk.does("find", "vpc-nowhere").out
    request = desk.document("ops", "web")["ops"][0]["request_id"]
    assert desk.document("find", request)["findings"][0]["kind"] == "operation"


def test_a_phase_tells_who_waits_in_it_the_failed_ones_first(desk: Desk) -> None:
    desk.fault("create", "Grp", FaultKind.DENIED, times=9)
    desk.does("run", desk.template(), "-a", "web")
    desk.settle()
    [found] = desk.document("phases", "resource.create")["objects"]
    assert (found["status"], found["process"], found["logical_id"]) == ("Failed", "web", "Grp")
    assert "Did you mean" in desk("phases", "resource.crate").err


def test_sweeps_are_told_with_their_age(desk: Desk) -> None:
    desk.runs()
    desk.advance(5.0)
    document = desk.document("rates")
    assert {one["source"] for one in document["sweeps"]} >= {"networks", "groups"}
    assert all(one["age_s"] >= 0 for one in document["sweeps"])


def test_a_source_that_nobody_asks_for_is_idle_and_not_the_oldest_sweep(desk: Desk) -> None:
    """The process that used it was killed, so its age, or the failure of its last sweep, would be shown for ever."""
    desk.runs()
    net = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.1.0.0/16}}"
    desk.does("run", desk.template(net), "-a", "net")
    desk.does("kill", "web", "--yes")
    for _ in range(25):
        desk.advance(31.0)
        desk.settle()
    sweeps = desk.document("rates")["sweeps"]
    ages = {one["source"]: one["is_idle"] for one in sweeps}
    assert ages == {"networks": False} | {one: True for one in ages if one != "networks"}
    assert "groups" in ages
    assert sweeps[0]["source"] == "networks"
    assert re.search(r"^groups .* idle *$", desk("rates").out, re.MULTILINE)


def test_a_source_that_a_doctor_looked_at_once_is_idle(desk: Desk) -> None:
    desk.runs("  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.1.0.0/16}}")
    desk.does("check", "web")
    desk.does("doctor")
    desk.advance(300.0)
    desk.settle()
    ages = {one["source"]: one["is_idle"] for one in desk.document("rates")["sweeps"]}
    assert "groups" in ages
    assert {source for source, is_idle in ages.items() if not is_idle} == {"networks"}


def test_a_thing_that_is_to_be_imported_and_is_not_there_is_missing_like_any_other(desk: Desk) -> None:
    answer = desk("import", "Simulated::Network", "net-none")
    assert answer.code == 4
    assert answer.err.endswith("Correct the identifier, or name the region where it is.\n")


def test_hundreds_that_failed_alike_are_one_box_that_leads_to_their_list(desk: Desk) -> None:
    net = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}"
    one = "  Sub{n:03}: {{Type: Simulated::Subnet, Properties: {{NetworkId: !Ref Net, CidrBlock: 10.{at}.{n}.0/24}}}}"
    lines = [net, *(one.format(n=number, at=9 if number < 120 else 0) for number in range(180))]
    desk.does("run", desk.template(*lines), "-a", "web")
    desk.settle()
    boxes = desk.services.insights.graph("web", GraphQuery())["nodes"]
    told = {(one["type"], one["status"], one["count"]) for one in boxes}
    assert told == {
        ("Simulated::Network", "ready", 1),
        ("Simulated::Subnet", "failed", 120),
        ("Simulated::Subnet", "ready", 60),
    }
    around = desk.services.insights.graph("web", GraphQuery(focus="Sub007", hops=1))["nodes"]
    assert [one["name"] for one in around] == ["Net", "Sub007"]
