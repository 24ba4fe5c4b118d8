"""The tables against the diagrams of the specification, edge for edge and both ways."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.diagrams import render_mermaid
from tenuto.lifecycles.table import Lifecycle

Edge = tuple[str, str]
SPECIFIED = Path(__file__).with_name("specified.mmd").read_text(encoding="utf-8")
NINE = (
    "agent_operation",
    "artifact",
    "blob",
    "instance",
    "namespace",
    "network",
    "network_interface",
    "node",
    "upload",
)


def diagrams(text: str) -> dict[str, frozenset[Edge]]:
    """The edges of each diagram, by the heading above it."""
    found: dict[str, set[Edge]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("%% type: "):
            name = line.removeprefix("%% type: ")
            found[name] = set()
        elif "-->" in line:
            before, after = line.split("-->")
            found[name].add((before.strip(), after.strip()))
    return {name: frozenset(edges) for name, edges in found.items()}


def table_edges(table: Lifecycle) -> frozenset[Edge]:
    """The edges of a table, written as the specification draws them. Independent of the renderer."""
    edges = {("[*]", str(state)) for state in table.initial}
    edges |= {(str(before), str(after)) for before, targets in table.rows.items() for after in targets}
    if table.ages_out:
        edges |= {(str(state), "[*]") for state in table.final}
    return frozenset((before.replace("-", "_"), after.replace("-", "_")) for before, after in edges)


def differences(specified: frozenset[Edge], ours: frozenset[Edge]) -> list[str]:
    lost = [f"lost: {before} --> {after}" for before, after in sorted(specified - ours)]
    added = [f"added: {before} --> {after}" for before, after in sorted(ours - specified)]
    return lost + added


def test_the_specification_draws_exactly_the_nine_types() -> None:
    assert sorted(diagrams(SPECIFIED)) == sorted(NINE)
    assert all(len(edges) >= 3 for edges in diagrams(SPECIFIED).values())


@pytest.mark.parametrize("name", NINE)
def test_the_table_has_every_edge_of_the_specification_and_no_other(name: str) -> None:
    assert differences(diagrams(SPECIFIED)[name], table_edges(CATALOGUE[name])) == []


@pytest.mark.parametrize("name", NINE)
def test_the_comparison_notices_each_single_edge_that_is_lost(name: str) -> None:
    edges = table_edges(CATALOGUE[name])
    for edge in edges:
        assert differences(diagrams(SPECIFIED)[name], edges - {edge}) == [f"lost: {edge[0]} --> {edge[1]}"]


@pytest.mark.parametrize("name", NINE)
def test_the_comparison_notices_each_single_edge_that_is_added(name: str) -> None:
    edges = table_edges(CATALOGUE[name])
    ends = ["[*]", *(str(state).replace("-", "_") for state in CATALOGUE[name].states)]
    for edge in frozenset(product(ends, ends)) - edges:
        assert differences(diagrams(SPECIFIED)[name], edges | {edge}) == [f"added: {edge[0]} --> {edge[1]}"]


def test_the_comparison_notices_an_edge_added_to_a_table_itself() -> None:
    blob = CATALOGUE["blob"]
    created, error = blob.states("created"), blob.states("error")
    undead = replace(blob, rows={**blob.rows, error: blob.rows[error] | {created}})
    assert differences(diagrams(SPECIFIED)["blob"], table_edges(undead)) == ["added: error --> created"]


@pytest.mark.parametrize("name", NINE)
def test_the_drawn_picture_has_the_edges_of_the_specification(name: str) -> None:
    drawn = diagrams(f"%% type: {name}\n{render_mermaid(CATALOGUE[name])}")
    assert drawn[name] == diagrams(SPECIFIED)[name]
