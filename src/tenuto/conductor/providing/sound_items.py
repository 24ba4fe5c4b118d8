"""The things of a sweep as a provider shows them, made such that they can be compared, stored and told.

A provider may be written by anybody, and may repeat the answer of a broken service. A thing in a form that nothing can
be made of hides no other thing: it counts as unsure, with the reason, until a sweep shows it well. Only things that
differ from the sweep before come here.
"""

from collections.abc import Mapping

from tenuto.kit.canonical import DocumentError, plain
from tenuto.kit.well_formed import all_well_formed, text_of
from tenuto.model.ids import PhysicalId
from tenuto.model.observation import Condition, ObservedItem


class UnsoundItemError(ValueError):
    """The reason why a thing of a sweep cannot be read, for people."""


def sound_item(physical_id: PhysicalId, given: object) -> ObservedItem:
    """The thing in texts that can be stored. Raises UnsoundItemError."""
    if not isinstance(given, ObservedItem):
        raise UnsoundItemError(f"the provider shows {_kind(given)} in place of an ObservedItem")
    if given.physical_id != physical_id:
        raise UnsoundItemError(f"the provider shows it as the thing {text_of(given.physical_id)[:80]!r}")
    if not isinstance(given.condition, Condition):
        raise UnsoundItemError(
            f"the provider shows the condition {text_of(given.condition)[:80]!r}, which there is not"
        )
    if not isinstance(given.message, str):
        raise UnsoundItemError(f"the provider shows {_kind(given.message)} in place of a message")
    for name, values in (("properties", given.properties), ("attributes", given.attributes)):
        if not isinstance(values, Mapping):
            raise UnsoundItemError(f"the provider shows {_kind(values)} in place of its {name}")
        try:
            plain(values)
        except (DocumentError, RecursionError) as error:
            raise UnsoundItemError(f"the provider shows {name} that JSON cannot hold") from error
    return all_well_formed(given)


def _kind(given: object) -> str:
    return f"a value of the kind {type(given).__name__}"
