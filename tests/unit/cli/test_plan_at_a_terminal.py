"""A plan as a terminal shows it: whose it is, and where in a file each of its resources is declared."""

import click
import pytest

from tenuto.cli.render.plan import render_plan
from tenuto.model.ids import JsonMap
from tenuto.service.views.plan_text import plan_text

LINE = "+ create Web (Simulated::Server): new"
PLACE = "infra/web.yaml:7"


def planned(*, alias: str | None = "shop", line: int = 7) -> JsonMap:
    source = {"file": "infra/web.yaml", "line": line}
    server = {"op": "create", "logical_id": "Web", "type": "Simulated::Server", "id": None, "reason": "new"}
    process = {"fid": None, "alias": alias, "state": None, "account": "prod", "region": "zone-1"}
    return {
        "command": "run",
        "process": process,
        "operations": [{**server, "changes": [], "source": source}],
        "summary": {"create": 1, "unchanged": 0},
    }


def shown(monkeypatch: pytest.MonkeyPatch, width: int | None, *, is_whole: bool = False) -> list[str]:
    monkeypatch.setattr("tenuto.cli.render.plan.terminal_width", lambda: width)
    return click.unstyle(render_plan(planned(), is_whole=is_whole)).splitlines()


def test_the_first_line_says_whose_plan_it_is() -> None:
    assert plan_text(planned()).splitlines()[0] == "Plan for shop (run, prod · zone-1):"
    assert plan_text(planned(alias=None)).splitlines()[0] == "Plan for a new process (run, prod · zone-1):"
    nothing = {**planned(), "operations": [], "summary": {"unchanged": 3}}
    assert plan_text(nothing) == "Plan: nothing to do (3 unchanged)."


def test_the_place_of_a_resource_follows_in_a_pipe_and_in_the_whole_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, None)[1] == f"{LINE}  {PLACE}"
    assert shown(monkeypatch, 80, is_whole=True)[1] == f"{LINE}  {PLACE}"


def test_the_place_stands_at_the_right_edge_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (56, 80, 200):
        row = shown(monkeypatch, width)[1]
        assert row.split(PLACE)[0].rstrip() == LINE
        assert len(row) == width
        assert row.endswith(PLACE)


def test_a_line_that_fills_the_terminal_has_its_place_below(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = shown(monkeypatch, len(LINE) + len(PLACE) + 1)
    assert (rows[1], rows[2].strip(), len(rows[2])) == (LINE, PLACE, len(LINE) + len(PLACE) + 1)
