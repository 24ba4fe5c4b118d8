"""Programs are compared whole and in order; any text fills a gap of the declared one."""

from typing import Any

import pytest

from tenuto.core.planning.equality.retelling import is_as_sent
from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import TypeName
from tenuto.model.resource import ResourceType
from tenuto.model.spelling import Program, Retelling

RULES = {"Body": Program(gap=r"\$\{[\w.-]+\}")}
SHOWN = '{"b": [1, {"c": "arn:aws:lambda:one"}], "a": true}'


def is_same(declared: Any, shown: Any) -> bool:
    return means_same(declared, shown, RULES, "Body")


@pytest.mark.parametrize(
    "declared",
    [
        SHOWN,
        {"a": "true", "b": ["1", {"c": "arn:aws:lambda:one"}]},
        '{"a": true, "b": [1, {"c": "${Function}"}]}',
        '{"a": true, "b": [1, {"c": "arn:${Partition}:lambda:${Function}"}]}',
        '{"b": [${Number}, {"c": "arn:aws:lambda:one"}], "a": true}',
    ],
)
def test_the_same_program_is_the_same_in_each_form(declared: Any) -> None:
    assert is_same(declared, SHOWN)


@pytest.mark.parametrize(
    "declared",
    [
        {"a": True},
        {"a": True, "b": [{"c": "arn:aws:lambda:one"}, 1]},
        {"a": True, "b": [1, {"c": "arn:aws:lambda:one"}], "d": ""},
        {"a": True, "b": [1, {"c": "arn:${Partition}:lambda:two"}]},
        {"a": True, "b": [1, {"c": "${Function}one:arn"}]},
        '{"b": [${Number}, {"c": "arn:aws:lambda:two"}], "a": true}',
        "no document",
    ],
)
def test_another_member_order_or_text_is_another_program(declared: Any) -> None:
    assert not is_same(declared, SHOWN)


def test_the_pieces_beside_a_gap_do_not_overlap() -> None:
    assert not is_same('{"a": "one${X}one"}', '{"a": "one"}')
    assert is_same('{"a": "one${X}one"}', '{"a": "oneone"}')


def test_a_text_that_is_no_document_is_compared_as_it_is() -> None:
    assert is_same("schemaVersion: ${Version}\n", "schemaVersion: '2.2'\n")
    assert not is_same("schemaVersion: ${Version}\n", "version: '2.2'\n")


def test_a_program_is_never_taken_to_be_retold() -> None:
    lenient = ResourceType(
        name=TypeName("T"), provider="p", source="s", compare_as=RULES, retelling=Retelling(qualified="$.")
    )
    assert not is_as_sent('{"a": [1, 2]}', '{"a": [2, 1]}', lenient, "Body")
