"""Machines of more than one type: the port by which the service counts them without knowing the words of each."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tenuto.model.ids import JsonMap


@runtime_checkable
class CountsMachines(Protocol):
    """A provider whose machines have more than one type."""

    def counted(self, lifecycle: str, properties: JsonMap) -> tuple[str, JsonMap]:
        """Return the table and the properties of a thing as those of an instance, where it stands for a machine of the
        provider; those that were given for any other. A value that is not known yet has no counterpart.
        """
        ...


class AsTheyAre:
    """Implements `CountsMachines` for a Conductor whose providers have no other machines than instances."""

    def counted(self, lifecycle: str, properties: JsonMap) -> tuple[str, JsonMap]:
        return lifecycle, properties


def counter_of(providers: Sequence[object]) -> CountsMachines:
    """Return the first provider that counts machines, or a reading that changes nothing."""
    return next((one for one in providers if isinstance(one, CountsMachines)), AsTheyAre())
