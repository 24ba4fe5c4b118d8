"""A value that only one thing can have, and that another process has: the plan tells it before the run fails."""

import pytest
from desk import DAY_S, Desk

NET = """
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: main}}
  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.1.0/24}}
"""
IMPORTING = """
Resources:
  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: ID, CidrBlock: 10.0.1.0/24}}
"""


def bucket(name: str) -> str:
    return f"Resources:\n  Store: {{Type: Simulated::Bucket, Properties: {{Name: {name}}}}}\n"


def runs(desk: Desk, alias: str, text: str) -> None:
    desk.does("run", desk.file(f"{alias}.yaml", text), "-a", alias)
    desk.settle()


def told(desk: Desk, *words: str) -> list[tuple[str | None, str]]:
    return [(one["logical_id"], one["message"]) for one in desk.document(*words)["warnings"]]


@pytest.mark.parametrize("pause", [0.0, DAY_S])
def test_a_dry_run_names_the_process_that_has_the_name(desk: Desk, pause: float) -> None:
    runs(desk, "first", bucket("the-one"))
    desk.advance(pause)
    second = desk.file("second.yaml", bucket("the-one"))
    words = (
        "Store (Simulated::Bucket) will be refused: Store of the process first has the same Name. Give Store another "
        "Name, or let the process first delete or release its own first."
    )
    assert told(desk, "run", second, "-a", "second", "--dry-run") == [("Store", words)]
    desk.does("run", second, "-a", "second")
    desk.settle()
    assert told(desk, "plan", "second") == [("Store", words)]
    desk.does("kill", "first")
    desk.settle()
    assert told(desk, "plan", "second") == []


def test_an_update_that_takes_the_name_of_another_process_is_told_too(desk: Desk) -> None:
    runs(desk, "first", bucket("the-one"))
    runs(desk, "second", bucket("another"))
    renamed = desk.file("renamed.yaml", bucket("the-one"))
    [(name, words)] = told(desk, "update", "second", renamed, "--dry-run")
    assert (name, "Store of the process first has the same Name" in words) == ("Store", True)
    assert told(desk, "update", "first", desk.file("same.yaml", bucket("the-one")), "--dry-run") == []


def test_values_of_several_properties_count_together(desk: Desk) -> None:
    runs(desk, "first", NET)
    net = desk.document("status", "first")["resources"]["Net"]["id"]
    same = desk.file("same.yaml", IMPORTING.replace("ID", net))
    [(_, words)] = told(desk, "run", same, "--dry-run")
    assert "Sub of the process first has the same NetworkId and CidrBlock." in words
    assert told(desk, "run", desk.file("own.yaml", NET), "--dry-run") == [], "another network has the same block"
