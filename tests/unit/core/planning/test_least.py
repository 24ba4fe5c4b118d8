"""A number that a provider raises by itself is as declared when it is not below."""

import pytest

from tenuto.core.planning.equality.values import means_same
from tenuto.model.resource import Comparison

RULES = {"WarmThroughput.ReadUnitsPerSecond": Comparison.LEAST}


@pytest.mark.parametrize(("declared", "shown"), [(12000, 12000), ("12000", 13000), (9000.0, "12000")])
def test_a_number_that_was_raised_is_as_declared(declared: object, shown: object) -> None:
    wanted = {"WarmThroughput": {"ReadUnitsPerSecond": declared}}
    assert means_same(wanted, {"WarmThroughput": {"ReadUnitsPerSecond": shown, "WriteUnitsPerSecond": 1}}, RULES)


@pytest.mark.parametrize(("declared", "shown"), [(12000, 11999), ("12000", 9000), (1, None), ("many", 9)])
def test_a_number_that_is_below_is_not(declared: object, shown: object) -> None:
    assert not means_same(declared, shown, RULES, "WarmThroughput.ReadUnitsPerSecond")
