"""The schemas of the simulated types, so that a composition of them is checked with its lines before anything runs.

The table of the types gives the properties, and says which are required, which replace and which are shown. The
simulated cloud judges the values when a process runs, as AWS judges much by itself.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from tenuto.model.ids import JsonMap, TypeName
from tenuto.providers.simulated.types import TYPES, SimulatedType


@cache
def schemas() -> Mapping[TypeName, JsonMap]:
    """The schema of each type that does not take any property."""
    return {name: _schema(block) for name, block in TYPES.items() if not block.is_open}


def _schema(block: SimulatedType) -> JsonMap:
    facts = block.facts
    shown = facts.attributes - block.properties
    return {
        "typeName": facts.name,
        "properties": {name: {} for name in sorted(block.properties | shown)},
        "required": sorted(facts.required),
        "additionalProperties": False,
        "createOnlyProperties": _pointers(facts.create_only),
        "readOnlyProperties": _pointers(shown),
        "writeOnlyProperties": _pointers(facts.write_only),
        "primaryIdentifier": ["/properties/Arn"],
    }


def _pointers(names: Iterable[str]) -> list[str]:
    return [f"/properties/{name}" for name in sorted(names)]
