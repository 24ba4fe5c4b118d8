"""The operations of a plan as folds: many of one verb and type are one line, which opens.

A plan of six hundred operations was forty thousand pixels on a phone, and the button that executes it stood below. A
few operations are read as fast one by one. Of more, each verb and type is one line with its number, and opens to its
operations, in parts that a thumb can pass. `<details>` does that without a script and by keyboard.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tenuto.model.ids import JsonMap

FEW = 20
"""So many operations of a section stay rows: two screens of a phone."""
PART = 50
MOST = 500
"""Operations of a section that a page holds at all. The command line shows every one."""
_NAMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Operations that open together."""

    operations: tuple[JsonMap, ...]

    @property
    def title(self) -> str:
        """The first and the last name."""
        first, last = self.operations[0]["logical_id"], self.operations[-1]["logical_id"]
        return first if len(self.operations) == 1 else f"{first} … {last}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """All operations of one verb and type. `parts` holds those that the page shows, of `count`."""

    verb: str
    type: str
    is_destructive: bool
    count: int
    names: tuple[str, ...]
    parts: tuple[Part, ...]

    @property
    def left_out(self) -> int:
        return self.count - sum(len(one.operations) for one in self.parts)


def folded(operations: Sequence[JsonMap]) -> tuple[Fold, ...]:
    """The folds in the order of their first operations; none where the operations are few."""
    if len(operations) <= FEW:
        return ()
    kinds: dict[tuple[str, str], list[JsonMap]] = {}
    for one in operations:
        kinds.setdefault((one["op"], one["type"]), []).append(one)
    room, shown_of = MOST, {}
    for key in sorted(kinds, key=lambda one: len(kinds[one])):
        # The few of a kind come first: the one network matters as much as six hundred groups.
        shown_of[key] = kinds[key][:room]
        room -= len(shown_of[key])
    found = []
    for (verb, type_name), members in kinds.items():
        shown = shown_of[verb, type_name]
        found.append(
            Fold(
                verb=verb,
                type=type_name,
                is_destructive=any(one["destructive"] for one in members),
                count=len(members),
                names=tuple(one["logical_id"] for one in members[:_NAMES]),
                parts=tuple(Part(operations=tuple(shown[at : at + PART])) for at in range(0, len(shown), PART)),
            )
        )
    return tuple(found)
