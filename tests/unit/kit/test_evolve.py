"""`evolve` is `dataclasses.replace`."""

from dataclasses import FrozenInstanceError, replace

import pytest

from tenuto.kit.evolve import evolve
from tenuto_testing.store_samples import an_entry, an_object, entries


def test_a_copy_has_the_changes_and_everything_else() -> None:
    item = an_object(phases=entries(an_entry()), desired={"a": 1})
    changes = {"state": "Allocation", "phases": {}, "physical_id": "net-1"}
    assert evolve(item, **changes) == replace(item, **changes)  # type: ignore[arg-type]
    assert evolve(item) == item
    assert evolve(item) is not item


def test_an_unknown_field_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="ManagedObject has no colour"):
        evolve(an_object(), colour="red")


def test_a_copy_is_as_frozen_as_the_original() -> None:
    with pytest.raises(FrozenInstanceError):
        evolve(an_entry(), runs=2).runs = 3  # type: ignore[misc]
