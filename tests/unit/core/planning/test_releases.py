"""Versions that a provider completes and raises by itself are as declared; others are not."""

import pytest

from tenuto.core.planning.equality.values import means_same
from tenuto.model.resource import Comparison

RULES = {"EngineVersion": Comparison.RELEASE}


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ("15.4", "15.4"),
        ("15", "15.4"),
        ("6.x", "6.2.6"),
        (15, "15.4"),
        ("15.9", "15.10"),
        ("8.0.35", "8.0.36"),
        ("8.0", "8.0.36"),
        ("8.0.mysql_aurora.3.04.0", "8.0.mysql_aurora.3.04.2"),
    ],
)
def test_a_version_that_came_of_the_declared_one_is_as_declared(declared: str | int, shown: str) -> None:
    assert means_same(declared, shown, RULES, "EngineVersion")
    assert means_same({"EngineVersion": declared}, {"EngineVersion": shown}, RULES)


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ("15.5", "15.4"),
        ("6.1.x", "6.2.6"),
        ("15.4", "16.4"),
        ("15", "16"),
        ("15", "16.1"),
        ("1", "15.4"),
        ("15.4", "15"),
        ("8.0.35", "8.1.36"),
        ("8.0.mysql_aurora.3.04.0", "8.0.mysql_aurora.3.05.0"),
        ("19.0.0.0.ru-a", "19.0.0.0.ru-b"),
    ],
)
def test_another_version_is_a_change(declared: str, shown: str) -> None:
    assert not means_same(declared, shown, RULES, "EngineVersion")


def test_a_version_of_another_property_is_compared_as_it_is() -> None:
    assert not means_same("15.4", "15.5", {}, "EngineVersion")
