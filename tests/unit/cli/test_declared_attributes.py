"""The attributes of a declared object, as `network show` and its like tell them."""

import pytest

from tenuto.cli.objects.declared import render_declared_object
from tenuto.model.ids import Json


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([["a", "10.1.0.10"], ["b", "10.1.0.11"]], "a 10.1.0.10, b 10.1.0.11"),
        (["10.1.0.10", "10.1.0.11"], "10.1.0.10, 10.1.0.11"),
        (True, "true"),
        ({"h1": 2}, '{"h1": 2}'),
        (5000, "5000"),
    ],
)
def test_an_attribute_is_told_in_words_and_not_as_a_program_writes_it(value: Json, told: str) -> None:
    shown = {"name": "red/Net", "id": "1", "type": "T", "state": "created", "failed": False, "message": None}
    place = {"account": "red", "region": "z", "created": "2026-11-28T08:00:00Z", "moved": "2026-11-28T08:00:00Z"}
    document = {**shown, **place, "alias": "red", "process": "1", "resource": "Net", "attributes": {"It": value}}
    lines = render_declared_object(document).splitlines()
    assert [line.split(maxsplit=1)[1] for line in lines if line.startswith("It ")] == [told]
