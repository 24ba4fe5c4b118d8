"""A part that nobody declared may be missing from what a person is shown; one that is compared may not."""

from typing import Any

import pytest

from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import Json
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.reading import read_part
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.faults import not_of_aws


class _Failing(Plain):
    properties = frozenset({"Messages"})

    def __init__(self, error: ProviderError) -> None:
        self.error = error

    def read(self, thing: Thing) -> dict[str, Json]:
        raise self.error


def reading(error: ProviderError, *, is_spared: bool) -> Any:
    thing = Thing(client=None, service="autoscaling", words="", id="web", answer={})  # type: ignore[arg-type]
    return read_part(_Failing(error), thing, is_spared=is_spared)


@pytest.mark.parametrize(
    "unserved",
    [
        not_of_aws("autoscaling DescribeNotificationConfigurations"),
        PermanentError("there is no such action", code="InvalidAction"),
        PermanentError("not for a key of this kind", code="UnsupportedOperationException"),
    ],
)
def test_what_an_endpoint_does_not_serve_is_left_out_where_nothing_is_compared_with_it(unserved: ProviderError) -> None:
    assert reading(unserved, is_spared=True) == {}
    with pytest.raises(ProviderError, match=str(unserved)):
        reading(unserved, is_spared=False)


def test_a_refusal_is_told_all_the_same() -> None:
    denied = PermanentError("not authorized", code="AccessDenied")
    with pytest.raises(PermanentError, match="not authorized"):
        reading(denied, is_spared=True)
