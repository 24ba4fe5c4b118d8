"""Every edge of the tables of objects is walked from the command line, or is listed here with the reason why not.

The edges come from the tables. For each, `STEPS` says how a person gets there: the fields of the object, the state at
which it is deleted, and whether it is deleted once more. What happened is read from its events.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest
from desk import MINUTE_S, Desk

from tenuto.lifecycles.catalogue import CATALOGUE

BORN = "nothing"
"""The place where every object comes from."""


@dataclass(frozen=True, kw_only=True)
class Walk:
    """One life: `fail_in` is a fault of the simulated cloud, `delete_in` the state in which it is deleted."""

    fail_in: str = ""
    delete_in: str = ""
    needs_artifact: bool = False


KINDS: Mapping[str, tuple[str, ...]] = {
    "namespace": ("namespace", "create", "red"),
    "upload": ("upload", "create", "--size", "10"),
    "blob": ("blob", "create", "--size", "10"),
    "artifact": ("artifact", "create", "base"),
    "network": ("network", "create", "net", "--cidr", "10.1.0.0/24"),
    "network_interface": ("interface", "create", "--network", "net"),
    "instance": ("instance", "create", "web"),
    "agent_operation": ("operation", "create", "--command", "uname"),
}
"""By table, the command that makes an object of it."""

_MADE = (Walk(), Walk(delete_in="initial"), Walk(fail_in="initial"), Walk(fail_in="created"))
WALKS: Mapping[str, tuple[Walk, ...]] = {
    "namespace": (Walk(),),
    "upload": (Walk(),),
    "blob": _MADE,
    "artifact": _MADE,
    "network_interface": _MADE,
    "network": (*_MADE, Walk(fail_in="delete-wait")),
    "instance": (
        Walk(),
        *(Walk(fail_in=state) for state in ("initial", "preflight", "creating", "created", "delete-wait")),
        *(Walk(delete_in=state) for state in ("initial", "preflight", "creating")),
    ),
    "agent_operation": (
        Walk(),
        Walk(needs_artifact=True),
        *(Walk(fail_in=state) for state in ("initial", "queued", "executing")),
        Walk(fail_in="preflight", needs_artifact=True),
        *(Walk(delete_in=state) for state in ("initial", "queued", "executing")),
        Walk(delete_in="preflight", needs_artifact=True),
    ),
}

_AT_ONCE = "a host that is deleted by force ends its instances without a deletion of their own"
NOT_BY_HAND: Mapping[tuple[str, str, str], str] = {
    **{("instance", state, "deleted"): _AT_ONCE for state in ("initial", "preflight", "creating", "created", "error")},
    ("network", "created", "deleted"): "a network on no host has no instance to wait for; requests always wait",
    ("instance", BORN, "error"): "a request that is refused makes no object; a host may report a lost instance",
    ("agent_operation", BORN, "error"): "a request that is refused makes no object; a host may report a lost operation",
}
"""The edges that take hosts, with the reasons. The table of nodes is not here: a node is made by its check-in."""


def edges(table: str) -> set[tuple[str, str]]:
    """Every edge of a table, the births too."""
    found = CATALOGUE[table]
    rows = {(str(state), str(after)) for state, row in found.rows.items() for after in row}
    return rows | {(BORN, str(state)) for state in found.initial}


def lived(desk: Desk, table: str, walk: Walk) -> Iterator[tuple[str, str]]:
    """Yield the moves of one life, made, watched and deleted by hand."""
    kind, *rest = KINDS[table]
    fields = [f"--field=FailIn={walk.fail_in}"] if walk.fail_in else []
    if walk.needs_artifact:
        fields += ["--artifact", "base"]
    made = desk.document(kind, *rest, *fields)
    name = made["id"]
    until(desk, kind, name, walk.delete_in)
    desk.does(kind, "delete", name)
    desk.advance(MINUTE_S)
    left = desk.document(kind, "show", name)
    if left["live"]:
        assert left["failed"]
        assert walk.fail_in in left["message"]
        assert desk(kind, "wait", name).code == 1
        desk.does(kind, "delete", name)
        desk.advance(MINUTE_S)
    assert desk.document(kind, "show", name)["state"] == CATALOGUE[table].gone
    moves = [one for one in desk.document(kind, "events", name)["events"] if one["type"] == "object.state"]
    assert moves
    for one in moves:
        yield str(one["before"]), str(one["after"])


def until(desk: Desk, kind: str, name: str, state: str) -> None:
    """Let time pass until the object is in a state, or rests when none is named."""
    if not state:
        desk.advance(MINUTE_S)
        return
    while desk.document(kind, "show", name)["state"] != state:
        desk.advance(1.0)


@pytest.mark.parametrize("table", WALKS)
def test_every_edge_of_a_table_is_walked_by_hand(desk: Desk, table: str) -> None:
    if table == "network_interface":
        desk.does("network", "create", "net", "--cidr", "10.1.0.0/24")
    if table == "agent_operation":
        desk.does("artifact", "create", "base")
    desk.advance(MINUTE_S)
    walked: set[tuple[str, str]] = set()
    for walk in WALKS[table]:
        walked |= set(lived(desk, table, walk))
        desk.advance(2 * MINUTE_S)  # The name of an artifact is reserved for a while.
    told = {(before, after) for of, before, after in NOT_BY_HAND if of == table}
    assert walked == edges(table) - told


def test_no_table_is_left_out() -> None:
    assert {*WALKS, "node"} == {name for name in CATALOGUE if name not in ("process", "resource", "cloud_node")}
    assert {of for of, _, _ in NOT_BY_HAND} <= set(WALKS)


def test_a_namespace_whose_deletion_fails_is_deleted_by_a_retry(desk: Desk) -> None:
    desk.does("namespace", "create", "red", "--field", "FailIn=deletion", "--field", "FailWith=the disk is busy")
    desk.advance(MINUTE_S)
    desk.does("namespace", "delete", "red")
    desk.advance(MINUTE_S)
    shown = desk.document("namespace", "show", "red")
    assert (shown["state"], shown["failed"], shown["message"]) == (
        "created",
        True,
        "Simulated.Remove: the disk is busy",
    )
    waited = desk("namespace", "wait", "red", "--gone")
    assert waited.code == 1
    assert f"tenuto object retry {shown['id']}" in waited.err
    desk.does("namespace", "retry", "red")
    desk.advance(MINUTE_S)
    assert desk.document("object", "show", shown["id"])["state"] == "deleted"


def test_a_retry_is_refused_where_only_a_deletion_helps(desk: Desk) -> None:
    made = desk.document("artifact", "create", "base", "--field", "FailIn=initial")
    desk.advance(MINUTE_S)
    refused = desk("-y", "artifact", "retry", "base")
    assert refused.code == 5
    assert f"tenuto object delete {made['id']}" in refused.err
    desk.does("artifact", "delete", "base")
    desk.advance(MINUTE_S)
    assert desk("-y", "artifact", "retry", made["id"]).code == 5
    told = desk.document("artifact", "events", made["id"])["events"]
    seen = [one["data"]["acknowledged"] for one in told if one["data"].get("command") == "object delete"]
    assert seen == ["Simulated.Fill: the simulated cloud fails in initial"]


def test_a_group_of_one_type_leaves_the_others_alone(desk: Desk) -> None:
    desk.does("namespace", "create", "base")
    made = desk.document("artifact", "create", "base", "--kind", "image", "--namespace", "base")
    assert made["fields"]["Kind"] == "image"
    assert [one["name"] for one in desk.document("namespace", "list")["objects"]] == ["base"]
    for verb in ("show", "delete", "retry", "events", "wait"):
        refused = desk("-y", "blob", verb, made["id"])
        assert refused.code == 4, verb
        assert "is a Simulated::Artifact and not a Simulated::Blob" in refused.err
    assert desk.document("artifact", "show", "base")["id"] == made["id"]
    listed = desk.does("artifact", "list").out
    assert "Kind" in listed
    assert "image" in listed
    assert desk.does("blob", "list").out.startswith("No blobs. 'tenuto artifact upload' makes one.")
    assert "Limits" not in desk.does("namespace", "list").out


def test_the_options_of_a_group_are_the_fields_of_its_type(desk: Desk) -> None:
    made = desk.document("namespace", "create", "red", "--trust", "a", "--trust", "b", "--limit", "instances=3")
    assert made["fields"] == {"Limits": {"instances": 3}, "Trust": ["a", "b"]}
    assert "instances=3" in desk.does("namespace", "list").out
    assert desk("-y", "artifact", "create", "x", "--kind", "picture").code == 2
    assert desk("-y", "upload", "create", "--size", "-1").code == 2
    assert desk("-y", "blob", "create", "--field", "FailIn=creating").code == 2
