"""The types of objects that are offered are checked as a set: a bad one is named and left out."""

from dataclasses import replace

import pytest

from tenuto.bootstrap.object_types import checked_types, offered_types
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.ids import TypeName
from tenuto.model.object_type import FieldType, ObjectType
from tenuto.plugins import object_type

KIND = ObjectType(name=TypeName("Acme::Image"), provider="acme", lifecycle="artifact", summary="an image")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (replace(KIND), "must be unique"),
        (replace(KIND, name=TypeName("Acme::Other"), lifecycle="moon"), "no lifecycle moon"),
        (replace(KIND, name=TypeName("a/b")), "needs a name"),
        (replace(KIND, name=TypeName("Acme::Tags"), fields=(FieldType(name="Tags", summary="x"),)), "Tags belongs"),
    ],
)
def test_a_bad_type_is_named_and_left_out(bad: ObjectType, reason: str) -> None:
    kept, [error] = checked_types([KIND, bad], CATALOGUE)
    assert kept == (KIND,)
    assert reason in str(error)


def test_plugins_offer_types_after_providers() -> None:
    plugin = object_type("Acme::Image", lifecycle="artifact", summary="an image", provider="acme")
    assert offered_types([object()], [plugin]) == (KIND,)
