"""The failure of a sweep is told as the provider classified it."""

import pytest

from tenuto.conductor.observing.sweeps import SweepKey, told
from tenuto.errors import PermanentError, ProviderError, StoreError, TransientError
from tenuto.model.ids import Partition

KEY = SweepKey(provider="toy", partition=Partition(account="default", region="here"), source="things")


@pytest.mark.parametrize("is_throttled", [True, False])
def test_a_throttled_sweep_is_told_as_throttled(is_throttled: bool) -> None:
    error = TransientError("secret words", code="Busy", request_id="r-1", is_throttled=is_throttled)
    failure = told(KEY, error, "words")
    assert isinstance(failure, TransientError)
    assert (failure.code, failure.request_id, failure.is_throttled) == ("Busy", "r-1", is_throttled)
    assert str(failure) == "cannot observe things in default/here: words"


@pytest.mark.parametrize(
    ("error", "family"),
    [(PermanentError("no"), PermanentError), (StoreError("full"), TransientError), (KeyError("bug"), ProviderError)],
)
def test_the_failure_of_a_sweep_is_as_final_as_its_error(error: Exception, family: type[ProviderError]) -> None:
    failure = told(KEY, error, "words")
    assert type(failure) is family
    assert not failure.is_throttled


def test_a_crash_in_a_sweep_is_told_as_a_fault_of_the_provider() -> None:
    failure = told(KEY, AttributeError("…"), "'NoneType' object has no attribute 'items'")
    assert "the provider toy has a fault (AttributeError: 'NoneType' object has no attribute 'items')" in str(failure)
