"""The catalogue admits tables that providers bring, and never lets a name become another table."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

import pytest

from tenuto.errors import BugError, PluginError
from tenuto.lifecycles.catalogue import CATALOGUE, TABLES, Catalogue
from tenuto.lifecycles.resource import RESOURCE
from tenuto.lifecycles.table import Lifecycle, Work
from tenuto.lifecycles.written import document_of, table_of_document


class S(StrEnum):
    MAKING = "making"
    MADE = "made"
    BROKEN = "broken"
    TAKING_DOWN = "taking-down"
    GONE = "gone"


def box(**changes: Any) -> Lifecycle:
    fields: dict[str, Any] = {
        "name": "box",
        "states": S,
        "initial": frozenset({S.MAKING}),
        "rows": {
            S.MAKING: frozenset({S.MADE, S.BROKEN, S.TAKING_DOWN, S.GONE}),
            S.MADE: frozenset({S.MAKING, S.TAKING_DOWN, S.GONE}),
            S.BROKEN: frozenset({S.GONE}),
            S.TAKING_DOWN: frozenset({S.GONE}),
            S.GONE: frozenset(),
        },
        "final": frozenset({S.GONE}),
        "errors": frozenset({S.BROKEN}),
        "born": S.MAKING,
        "ready": S.MADE,
        "gone": S.GONE,
        "failed": S.BROKEN,
        "failure": {S.MAKING: S.BROKEN},
        "change_at": S.MAKING,
        "paths": {S.MADE: (S.MAKING, S.MADE), S.GONE: (S.TAKING_DOWN, S.GONE)},
    }
    return Lifecycle(**(fields | changes))


def catalogue() -> Catalogue:
    return Catalogue([RESOURCE])


def test_a_table_is_admitted_once_and_the_same_again_is_no_change() -> None:
    known = catalogue()
    known.admit(box(), origin="the provider shelves")
    first = known.tables["box"]
    known.admit(box(), origin="the provider shelves")
    assert known.tables["box"] is first
    assert known.brought_by("the provider shelves") == (first,)
    assert "box" not in CATALOGUE


def test_a_second_table_of_the_name_is_refused_and_both_are_named() -> None:
    known = catalogue()
    known.admit(box(), origin="the provider shelves")
    with pytest.raises(PluginError) as caught:
        known.admit(box(ages_out=False), origin="the provider boxes")
    assert "the lifecycle box of the provider boxes was refused: the provider shelves has a lifecycle box" in str(
        caught.value
    )
    with pytest.raises(PluginError, match="of the provider boxes was refused: Tenuto has a lifecycle resource"):
        known.admit(box(name="resource"), origin="the provider boxes")
    assert known.tables["box"].ages_out


def test_a_closed_catalogue_takes_no_new_table_and_knows_those_it_has() -> None:
    known = catalogue()
    known.admit(box(), origin="the provider shelves")
    known.close()
    known.admit(box(), origin="the provider shelves")
    with pytest.raises(PluginError, match="a Conductor serves already"):
        known.admit(box(name="crate"), origin="the provider shelves")
    assert "crate" not in known.tables


def test_readers_cannot_write_to_the_catalogue() -> None:
    tables: Any = catalogue().tables
    with pytest.raises(TypeError):
        tables["box"] = box()


WORK = {Work.CREATE: S.MAKING, Work.CONFIGURE: S.MAKING, Work.DELETE: S.TAKING_DOWN}


class Alike(StrEnum):
    ALLOCATION = "Allocation"
    MADE = "made"
    GONE = "gone"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "Box"}, "its name must consist of small letters"),
        ({"paths": {}}, "it has no paths, so no phase would ever run"),
        ({"work": {Work.CREATE: S.MAKING}}, "configure, delete is missing"),
        (
            {
                "states": Alike,
                "initial": frozenset({Alike.ALLOCATION}),
                "rows": {
                    Alike.ALLOCATION: frozenset({Alike.MADE}),
                    Alike.MADE: frozenset({Alike.GONE}),
                    Alike.GONE: frozenset(),
                },
                "errors": frozenset(),
                "failed": None,
                "failure": {},
                "born": Alike.ALLOCATION,
                "ready": Alike.MADE,
                "gone": Alike.GONE,
                "final": frozenset({Alike.GONE}),
                "change_at": Alike.MADE,
                "paths": {Alike.MADE: (Alike.ALLOCATION, Alike.MADE), Alike.GONE: (Alike.GONE,)},
                "work": {Work.CREATE: Alike.MADE, Work.CONFIGURE: Alike.MADE, Work.DELETE: Alike.ALLOCATION},
            },
            "its state Allocation is for the work delete, and that of resource for the work create",
        ),
    ],
)
def test_a_table_that_does_not_fit_beside_the_others_is_refused(changes: Mapping[str, Any], reason: str) -> None:
    known = catalogue()
    with pytest.raises(PluginError, match=reason):
        known.admit(box(**changes), origin="the provider shelves")
    assert list(known.tables) == ["resource"]


def test_a_table_whose_work_is_named_as_a_whole_is_admitted() -> None:
    known = catalogue()
    known.admit(box(work=WORK), origin="the provider shelves")
    assert known.tables["box"].is_provided


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"initial": frozenset()}, "there is no initial state"),
        ({"rows": {**box().rows, S.BROKEN: frozenset()}}, "broken has no targets and is not final"),
        ({"rows": {**box().rows, S.BROKEN: frozenset({S.MADE}), S.MAKING: frozenset({S.MADE})}}, "is never reached"),
        ({"failed": None}, "a state of failures and edges of failures need each other"),
        (
            {"final": frozenset({S.GONE, S.BROKEN}), "released": S.BROKEN, "failed": None, "failure": {}},
            "broken is final and has targets",
        ),
    ],
)
def test_a_wrong_table_cannot_be_made_and_says_why(changes: Mapping[str, Any], reason: str) -> None:
    with pytest.raises(BugError, match=reason):
        box(**changes)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rows": {state: row for state, row in box().rows.items() if state is not S.MADE}}, "state made has no row"),
        ({"rows": {**box().rows, Alike.ALLOCATION: frozenset({S.GONE})}}, "row of unknown state Allocation"),
        (
            {"rows": {**box().rows, S.MADE: frozenset({Alike.ALLOCATION, S.GONE})}},
            "made moves to Allocation, which is not a state",
        ),
        ({"failure": {S.MADE: S.BROKEN}}, "a failure in made leads to broken, which is not in the table"),
        (
            {"failure": {S.MAKING: S.MADE}},
            "a failure in making leads to made, which may not carry an error message",
        ),
        (
            {"failure": {S.MAKING: S.TAKING_DOWN}, "errors": frozenset({S.BROKEN, S.TAKING_DOWN})},
            "a failure in making ends in taking-down and not in broken",
        ),
    ],
)
def test_behaviour_5_a_table_with_unknown_states_or_a_wrong_edge_of_failure_cannot_be_made(
    changes: Mapping[str, Any], reason: str
) -> None:
    with pytest.raises(BugError, match=reason):
        box(**changes)


def test_all_that_a_failure_of_two_steps_lacks_is_told_at_once_with_the_fields_to_correct() -> None:
    with pytest.raises(BugError) as caught:
        box(failure={S.MAKING: S.TAKING_DOWN})
    told = str(caught.value)
    assert "leads to taking-down, which may not carry an error message: add taking-down to errors; " in told
    assert "ends in taking-down and not in broken: name in failure[taking-down] the state that comes after" in told
    with pytest.raises(BugError) as caught:
        box(failure={S.MAKING: S.TAKING_DOWN, S.TAKING_DOWN: S.MAKING}, errors=frozenset(S))
    assert "comes to making again and never to broken: correct failure[making]" in str(caught.value)
    assert "leads to making, which is not in the table: add making to rows[taking-down]" in str(caught.value)


def test_behaviour_5_a_state_without_a_way_to_the_deletion_is_refused() -> None:
    rows = {**box().rows, S.MADE: frozenset({S.BROKEN}), S.BROKEN: frozenset(), S.MAKING: frozenset({S.MADE, S.GONE})}
    rows[S.MAKING] |= {S.TAKING_DOWN}
    with pytest.raises(BugError, match="made has no way to gone, so its objects could not be deleted"):
        box(
            rows=rows,
            final=frozenset({S.GONE, S.BROKEN}),
            released=S.BROKEN,
            failed=None,
            failure={},
            change_at=S.MADE,
            paths={**box().paths, S.BROKEN: (S.BROKEN,)},
        )


@pytest.mark.parametrize("name", sorted(TABLES))
def test_a_table_comes_back_from_its_document(name: str) -> None:
    again = table_of_document(document_of(TABLES[name]))
    assert document_of(again) == document_of(TABLES[name])
    for state in again.states:
        for target in again.targets:
            assert _next(again, state, target) == _next(TABLES[name], state, target)


def _next(table: Lifecycle, state: str, target: str) -> str:
    try:
        return str(table.next_state(state, target))
    except BugError:
        return ""


def test_another_document_is_no_table() -> None:
    with pytest.raises(BugError, match="no document of a lifecycle"):
        table_of_document({"name": "box"})


def test_tables_with_other_ways_have_other_documents() -> None:
    assert document_of(box()) == document_of(box())
    assert document_of(box()) != document_of(replace(box(), change_at=S.MADE))
