"""Values become documents and come back the same; a document that does not fit is refused with its place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.kit.canonical import DocumentError, plain, to_text
from tenuto.kit.documents import dumps, from_document, loads, to_document
from tenuto.model.composition import Composition
from tenuto.model.naming import Naming
from tenuto.model.outcome import Done, Outcome, Pending, Refused
from tenuto.model.phase_map import PhaseDefinition
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.model.resource import Comparison, ResourceType
from tenuto.model.spelling import Spelling
from tenuto_testing.store_samples import a_composition, a_plan, a_process


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle:
    radius: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    side: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    name: str
    colours: frozenset[Colour] = frozenset()
    shapes: tuple[Circle | Square, ...] = ()
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    is_framed: bool = False
    note: Any = None


PICTURE = Picture(
    name="a",
    colours=frozenset({Colour.RED}),
    shapes=(Circle(radius=1.5), Square(side=2)),
    sizes={"b": (1, 2)},
    note={"z": [None, 1]},
)


def test_a_value_comes_back_the_same() -> None:
    assert loads(Picture, dumps(PICTURE)) == PICTURE
    assert isinstance(next(iter(loads(Picture, dumps(PICTURE)).colours)), Colour)


def test_the_values_of_the_model_come_back_the_same() -> None:
    resource_type = ResourceType(
        name=a_plan().waves[0].types[0],
        provider="p",
        source="s",
        create_only=frozenset({"b", "a"}),
        compare_as={
            "Tags": Comparison.SET,
            "Key": Naming(thing="key", qualified="(?P<where>at):(?P<name>.+)"),
            "Rules": Spelling(items={"Rule": "Rules"}),
        },
    )
    assert loads(Plan, dumps(a_plan())) == a_plan()
    assert loads(Composition, dumps(a_composition())) == a_composition()
    assert loads(Process, dumps(a_process(sealed={"a": "b"}))) == a_process(sealed={"a": "b"})
    assert loads(ResourceType, dumps(resource_type)) == resource_type


@pytest.mark.parametrize("outcome", [Done(), Pending(message="m", delay_s=1.0), Refused(message="m")])
def test_a_union_is_tagged_with_the_name_of_its_class(outcome: Outcome) -> None:
    document = to_document(outcome, as_type=Outcome)
    assert document["kind"] == type(outcome).__name__
    assert from_document(Outcome, document) == outcome  # type: ignore[arg-type]


def test_equal_values_have_one_text() -> None:
    assert dumps(PICTURE) == (
        '{"colours":["red"],"is_framed":false,"name":"a","note":{"z":[null,1]},"shapes":[{"kind":"Circle","radius":1.5},'
        '{"kind":"Square","side":2}],"sizes":{"b":[1,2]}}'
    )
    assert to_text({"b": 1, "a": (2,)}) == to_text({"a": [2], "b": 1})


def test_a_missing_member_takes_its_default() -> None:
    assert from_document(Picture, {"name": "a"}) == Picture(name="a")
    assert from_document(Picture, {"name": "a", "shapes": [{"kind": "Square"}]}).shapes == (Square(),)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, r"'name' is missing @ \$\.name"),
        ({"name": 5}, r"5 is not text @ \$\.name"),
        ({"name": "a", "is_framed": 1}, r"1 is not true or false @ \$\.is_framed"),
        ({"name": "a", "frame": 1}, r"unknown member frame @ \$"),
        ({"name": "a", "colours": ["blue"]}, r"'blue' is not a valid Colour @ \$\.colours\[0\]"),
        ({"name": "a", "colours": "red"}, r"'red' is not a list @ \$\.colours"),
        ({"name": "a", "shapes": "no"}, r"'no' is not a list @ \$\.shapes"),
        ({"name": "a", "shapes": [{"kind": "Line"}]}, r"kind is 'Line', not one of Circle, Square @ \$\.shapes\[0\]"),
        ({"name": "a", "shapes": [{"kind": "Circle", "radius": "1"}]}, r"'1' is not a number @ \$\.shapes\[0\]"),
        ({"name": "a", "sizes": {"b": [True]}}, r"True is not a whole number @ \$\.sizes\['b'\]\[0\]"),
        ({"name": "a", "sizes": [1]}, r"@ \$\.sizes"),
        ([], r"\[\] is not an object @ \$"),
        (None, r"None is not an object @ \$"),
    ],
)
def test_a_document_that_does_not_fit_is_refused_with_its_place(document: Any, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        from_document(Picture, document)


def test_every_place_that_does_not_fit_is_named() -> None:
    with pytest.raises(DocumentError) as caught:
        from_document(Picture, {"name": 5, "is_framed": "yes", "more": 1})
    assert all(place in str(caught.value) for place in ("$.name", "$.is_framed", "more"))


def test_text_that_is_no_json_is_refused() -> None:
    with pytest.raises(DocumentError, match="no JSON"):
        loads(Picture, "{")


def test_a_function_has_no_document() -> None:
    definition = PhaseDefinition(name="p", states=(), types=(), applies=lambda _: True)  # type: ignore[arg-type]
    with pytest.raises(DocumentError, match="a function has no document"):
        dumps(definition)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_what_json_can_hold_is_copied_and_comes_back_the_same(value: Any) -> None:
    assert plain(value) == value
    assert loads(Picture, dumps(Picture(name="a", note=value))).note == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"x", {1: 2}, object(), {1, 2}, [{"a": object()}]])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(DocumentError):
        to_text(value)
