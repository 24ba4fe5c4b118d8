"""The schemas of the simulated types, so that a composition of them is checked with its lines before anything runs.

They follow from the table of the types: which properties there are, which of them are needed, which replace, and what
is shown. What they may hold is judged by the simulated cloud when a process runs, as much of AWS is by AWS alone.
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
