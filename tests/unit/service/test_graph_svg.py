"""The graph as a picture: well formed whatever names are in it, and nothing in it is obeyed."""

import re
from xml.etree import ElementTree

import pytest
from desk import a_desk

from tenuto.model.ids import JsonMap
from tenuto.service.views.graph_svg import graph_svg

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


@pytest.mark.parametrize("name", ["W" * 60, "AppleOrangeListenerRuleOfTheShopFrontHttps443", "漢字" * 20, "i" * 60])
def test_a_long_name_is_cut_in_its_middle_and_stands_whole_in_the_title(name: str) -> None:
    document = {"nodes": [{**node(name, 0, 0, "not-enforced"), "type": "Simulated::" + name}], "edges": []}
    drawn = ElementTree.fromstring(graph_svg(document))
    title, kind, status = (one.text or "" for one in drawn.iterfind(".//http:text", NAMES))
    for text in (title, kind):
        head, _, tail = text.partition("…")
        assert head
        assert tail
        assert name.startswith(head)
        assert name.endswith(tail)
        assert 0 <= len(head) - len(tail) <= 1
    assert len(kind) < len(title), "beside it stands the status"
    assert status == "not-enforced"
    assert name in (drawn.findtext(".//http:title", namespaces=NAMES) or "")


def test_a_short_name_is_not_cut() -> None:
    for name in ("WebServerGroup", "PublicSubnetOne", "Net"):
        document = {"nodes": [node(name, 0, 0)], "edges": []}
        titles = ElementTree.fromstring(graph_svg(document)).iterfind(".//http:text", NAMES)
        assert [one.text for one in titles] == [name, "Network", "ready"]


def test_a_command_prints_the_boxes_of_the_page(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    with a_desk(tmp_path, capsys) as desk:  # type: ignore[arg-type]
        desk.runs()
        printed = desk.does("graph", "web", "--svg").out
    drawn = ElementTree.fromstring(printed)
    titles = [one.text or "" for one in drawn.iterfind(".//http:title", NAMES)]
    assert sorted(re.split(", ", one)[0] for one in titles) == ["Bkt", "Grp", "Net", "Srv", "Sub"]
    assert len(drawn.findall(".//http:path", NAMES)) >= 4
