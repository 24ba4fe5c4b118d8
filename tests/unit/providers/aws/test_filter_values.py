"""EC2 takes 200 values in all filters of a call together."""

import pytest

from tenuto.providers.aws.client.answers.pages import any_of


@pytest.mark.parametrize("count", [1, 199, 200, 201, 1000])
def test_no_call_for_many_things_is_refused_when_it_has_a_second_filter(count: int) -> None:
    names = [f"vpc-{number}" for number in range(count)]
    calls = list(any_of("vpc-id", names))
    assert [value for filters in calls for one in filters for value in one["Values"]] == names
    assert all(sum(len(one["Values"]) for one in filters) + 1 <= 200 for filters in calls)
