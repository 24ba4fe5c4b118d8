"""A picture of many resources: no wider than a page, and the one that is asked for is apart."""

from pathlib import Path

import pytest
from desk import NET, a_desk

from tenuto.model.ids import JsonMap
from tenuto.service.views.graph_drawing import BOX_H, BOX_W, drawing_of

PAGE = 1510


def fan(count: int) -> JsonMap:
    """One network, and things that all need it, which one more needs."""
    names = [("net", 0, 0), *((f"s{number:03}", 1, number) for number in range(count)), ("last", 2, 0)]
    nodes = [
        {
            "name": name, "type": "Simulated::Subnet", "status": "ready", "count": 1, "layer": layer, "place": place,
            "needs": [], "needed_by": [],
        }
        for name, layer, place in names
    ]  # fmt: skip
    return {"nodes": nodes, "edges": [{"from": "net", "to": "s000"}]}


@pytest.mark.parametrize("count", [1, 6, 7, 31, 149])
def test_a_wide_layer_stands_in_several_rows_and_no_box_on_another(count: int) -> None:
    drawing = drawing_of(fan(count))
    places = {box.node["name"]: (box.x, box.y) for box in drawing.boxes}
    assert drawing.width <= PAGE
    assert len({*places.values()}) == count + 2
    assert all(0 <= x <= drawing.width - BOX_W and 0 <= y <= drawing.height - BOX_H for x, y in places.values())
    own = [y for name, (_, y) in places.items() if name.startswith("s")]
    assert places["net"][1] + BOX_H < min(own) <= max(own) < places["last"][1] - BOX_H
    rows = [own.count(y) for y in sorted({*own})]
    assert max(rows) - min(rows) <= 1


def test_an_empty_picture_has_a_size() -> None:
    drawing = drawing_of({"nodes": [], "edges": []})
    assert drawing.width > 0
    assert drawing.height > 0


def test_around_one_resource_many_alike_are_one_box(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subnets = (
        f"  Sub{n:02}: {{Type: Simulated::Subnet, Properties: {{NetworkId: !Ref Net, CidrBlock: 10.0.{n}.0/24}}}}"
        for n in range(30)
    )
    with a_desk(tmp_path, capsys) as desk:
        desk.runs(NET, *subnets)
        graph = desk.document("graph", "web", "--focus", "Net", "--hops", "1")
        assert sorted(node["count"] for node in graph["nodes"]) == [1, 30]
        assert graph["nodes"][0]["name"] == "Net"
        around = desk.document("graph", "web", "--focus", "Sub07", "--hops", "1")
        assert {node["name"] for node in around["nodes"]} == {"Net", "Sub07"}
        both = desk.document("graph", "web", "--focus", "Sub07", "--hops", "2")
        assert sorted(node["count"] for node in both["nodes"]) == [1, 1, 29]
        assert len(desk.document("graph", "web")["nodes"]) == 31
