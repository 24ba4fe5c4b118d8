"""The graph as a picture: well formed whatever names are in it, and nothing in it is obeyed."""

import re
from xml.etree import ElementTree

import pytest
from desk import a_desk

from tenuto.model.ids import JsonMap
from tenuto.service.graph_svg import graph_svg

NAMES = {"http": "http://www.w3.org/2000/svg"}


def node(name: str, layer: int, place: int, status: str = "ready") -> JsonMap:
    return {
        "name": name, "type": "Simulated::Network", "status": status, "count": 1, "layer": layer, "place": place,
        "needs": [], "needed_by": [],
    }  # fmt: skip


def test_every_name_is_a_text_and_no_element() -> None:
    nasty = '"><script>alert(1)</script>\u202e&'
    document = {"nodes": [node(nasty, 0, 0, "failed"), node("b", 1, 0)], "edges": [{"from": nasty, "to": "b"}]}
    drawn = ElementTree.fromstring(graph_svg(document))
    tags = {one.tag.rpartition("}")[2] for one in drawn.iter()}
    assert tags == {"svg", "rect", "g", "path", "title", "text"}
    assert not [name for one in drawn.iter() for name in one.attrib if name.startswith("on") or "href" in name]
    assert "\u202e" not in graph_svg(document)


def test_a_command_prints_the_boxes_of_the_page(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    with a_desk(tmp_path, capsys) as desk:  # type: ignore[arg-type]
        desk.runs()
        printed = desk.does("graph", "web", "--svg").out
    drawn = ElementTree.fromstring(printed)
    titles = [one.text or "" for one in drawn.iterfind(".//http:title", NAMES)]
    assert sorted(re.split(", ", one)[0] for one in titles) == ["Bkt", "Grp", "Net", "Srv", "Sub"]
    assert len(drawn.findall(".//http:path", NAMES)) >= 4
