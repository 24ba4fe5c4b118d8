"""Texts without lone surrogates, alone and within values."""

import pytest

from tenuto.kit.well_formed import all_well_formed, ill_formed_place, text_of, well_formed
from tenuto.model.ids import Instant, Json, Partition, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem, Sweep


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("caf\u00e9", "caf\u00e9"),
        ("caf\udce9", "caf\ufffd"),
        ("\ud800", "\ufffd"),
        ("a\ud800b\udfffc", "a\ufffdb\ufffdc"),
        ("\ud83d\ude00", "\U0001f600"),
    ],
)
def test_a_lone_surrogate_becomes_the_replacement_character_and_all_else_stays(text: str, expected: str) -> None:
    assert well_formed(text) == expected
    assert well_formed(expected) is expected


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": ["b", 1, None, True], "caf\u00e9": {"\U0001f600": "\U0001f600"}}, None),
        ("\ud800", ""),
        ({"profile": "a\ud800"}, "profile"),
        ({"a": {"b": [1, {"c": "\udfff"}]}}, "a.b[1].c"),
        ([["x"], ["y", "\ud800"]], "[1][1]"),
        ({"a": {"k\ud800": 1}}, "a.k\\ud800"),
        ({"a": "\ud800", "b": "\ud800"}, "a"),
    ],
)
def test_the_first_lone_surrogate_of_a_value_has_a_place(value: Json, place: str | None) -> None:
    assert ill_formed_place(value) == place


def test_words_are_made_of_any_value() -> None:
    assert [text_of(one) for one in ("a", None, RuntimeError("no"), RuntimeError(), 7)] == [
        "a",
        "",
        "no",
        "RuntimeError",
        "7",
    ]


def test_a_value_is_mended_at_any_depth_and_one_without_fault_stays_the_same() -> None:
    def swept(text: str) -> Sweep:
        item = ObservedItem(physical_id=PhysicalId("i"), properties={"A": [{text: (text, 1)}]}, message=text)
        place = Partition(account="a", region="r")
        return Sweep(partition=place, type=TypeName("T"), started_at=Instant(1.0), items={PhysicalId("i"): item})

    sound = swept("caf\ufffd")
    assert all_well_formed(sound) is sound
    assert all_well_formed(swept("caf\udce9")) == sound
