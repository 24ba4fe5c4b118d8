"""What a provider cannot hold is found wherever it is declared, and nowhere else."""

import pytest

from tenuto.compositions.checks.refused import dotted, refused_in
from tenuto.model.ids import JsonMap


@pytest.mark.parametrize(
    ("properties", "refused", "places"),
    [
        ({"A": 1, "B": 2}, {"A"}, ["A"]),
        ({"A": 1}, {"B", "A.B"}, []),
        ({"A": {"B": 1}}, {"A.B"}, ["A.B"]),
        ({"A": [{"C": 1}, {"B": 1}, {"B": 2}]}, {"A.B"}, ["A[1].B", "A[2].B"]),
        ({"A": [[{"B": [{"C": 1}]}]]}, {"A.B.C"}, ["A[0][0].B[0].C"]),
        ({"A": {"Fn::GetAtt": ["X", "B"]}}, {"A.B"}, []),
        ({"A": "B"}, {"A.B"}, []),
        ({"B": None, "A": None}, {"A", "B"}, ["A", "B"]),
        ({"A": 1}, (), []),
    ],
)
def test_places(properties: JsonMap, refused: set[str], places: list[str]) -> None:
    assert [dotted(path) for path in refused_in(properties, refused)] == places
