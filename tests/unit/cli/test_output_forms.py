"""Forms of output for scripts, colours with one meaning each, and terminals with little room."""

import json

import pytest
from front import Front, submission
from ruamel.yaml import YAML
from terminal import Shell

from tenuto.cli.render_process import render_processes, resource_table
from tenuto.cli.tables import table
from tenuto.model.ids import JsonMap
from tenuto.service.value_leaves import leaves_of


@pytest.fixture
def front() -> Front:
    made = Front()
    for name in ("web", "shop"):
        made.commands.run(submission(), alias=name)
    return made


def test_names_alone_are_one_a_line(tenuto: Shell) -> None:
    assert sorted(tenuto("status", "-o", "name").out.splitlines()) == ["shop", "web"]
    assert tenuto("status", "web", "-o", "name").out.splitlines() == ["Net", "Sub"]


def test_json_and_yaml_hold_the_same_document(tenuto: Shell) -> None:
    found = json.loads(tenuto("status", "web", "-o", "json").out)
    assert found == tenuto("status", "web", "--json").document
    assert YAML(typ="safe").load(tenuto("status", "web", "-o", "yaml").out)["alias"] == "web"


def test_wide_shows_every_column(tenuto: Shell) -> None:
    assert "FID" in tenuto("status", "-o", "wide").out
    assert "FID" not in tenuto("status").out


def test_a_watch_has_no_form(tenuto: Shell) -> None:
    assert tenuto("status", "--watch", "-o", "name").code == 2


def test_force_color_paints_where_no_terminal_is_and_no_color_goes_before(tenuto: Shell) -> None:
    assert "\x1b[36m" in tenuto("status", environ=tenuto.environ(FORCE_COLOR="1")).out
    assert "\x1b[" not in tenuto("status", environ=tenuto.environ(FORCE_COLOR="1", NO_COLOR="1")).out
    assert "\x1b[" not in tenuto("status").out


def process(state: str, *, converged: bool, status: str | None) -> JsonMap:
    job = None if status is None else {"status": status}
    return {
        "fid": "f", "alias": "web", "state": state, "converged": converged, "last_job": job, "last_message": None,
        "updated": None, "created": "2026-01-01T00:00:00Z", "account": "default", "region": "eu-west-1", "lock": False,
        "enforcement": True, "next_command": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (process("Running", converged=True, status="SUCCEEDED"), "32"),
        (process("Suspended", converged=False, status="HALTED"), "31"),
        (process("Killing", converged=False, status="RUNNING"), "31"),
        (process("Suspended", converged=False, status="SUCCEEDED"), "33"),
        (process("Running", converged=False, status="RUNNING"), "36"),
    ],
)
def test_a_colour_means_one_thing(one: JsonMap, code: str) -> None:
    assert f"\x1b[{code}m" in render_processes({"processes": [one]}, is_painted=True)


RESOURCE = {
    "PrivateSubnetAlpha": {
        "type": "AWS::EC2::SubnetRouteTableAssociation", "id": "rtbassoc-0123456789abcdef0", "state": "Configuration",
        "status": "running", "drift": [], "message": "waits for something that takes a long time", "leaving": [],
    }
}  # fmt: skip


@pytest.mark.parametrize("width", [60, 69, 70, 99, 100, 140])
def test_ids_states_and_statuses_are_never_cut(width: int) -> None:
    shown = resource_table(RESOURCE, width=width)
    assert all(text in shown for text in ("rtbassoc-0123456789abcdef0", "Configuration", "running"))
    assert ("AWS::" in shown) == (width >= 100)


def test_a_row_is_a_block_where_there_is_little_room() -> None:
    shown = table(("A", "B", "C", "D", "E"), [("one", "two", "three", "four", "five")], width=40, has_blocks=True)
    assert shown.splitlines() == ["A  one", "B  two", "C  three", "D  four", "E  five"]


def test_leaves_name_the_member_that_they_are_in() -> None:
    rule = {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "0.0.0.0/0"}
    found = list(leaves_of("Rules", [rule], [{**rule, "FromPort": 8443}]))
    assert [(one["before"], one["after"]) for one in found] == [(443, 8443)]
    assert found[0]["path"].startswith("Rules[")
    assert found[0]["path"].endswith("].FromPort")


def test_leaves_of_a_document_in_a_text_are_those_of_the_document() -> None:
    found = list(leaves_of("Policy", '{"A": 1, "B": [1, 2]}', '{"A": 2, "B": [1, 2, 3]}'))
    assert [(one["path"], one["before"], one["after"]) for one in found] == [
        ("Policy.A", 1, 2),
        ("Policy.B[]", None, 3),
    ]


def test_equal_values_have_no_leaves_but_another_order_is_one() -> None:
    assert not list(leaves_of("P", {"a": {"b": 1}}, {"a": {"b": 1}}))
    assert len(list(leaves_of("P", [1, 2], [2, 1]))) == 1
