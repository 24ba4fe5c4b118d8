"""Equality of programs: documents of which everything counts, and in which a declared text may have gaps.

A gap stands for a text that is put in its place before the program is sent, and that is declared elsewhere: any text
fills it. Pieces between gaps are looked for from left to right, so a long text costs no more than a few passes.
"""

import json
import re
from collections.abc import Mapping, Sequence

from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality.scalars import scalar
from tenuto.model.ids import Json
from tenuto.model.spelling import Program


def is_same_program(desired: Json, observed: Json, rule: Program) -> bool:
    """Whether the shown value is the declared program, with any value in its gaps."""
    if isinstance(desired, Mapping):
        return (
            isinstance(observed, Mapping)
            and desired.keys() == observed.keys()
            and all(is_same_program(value, observed[name], rule) for name, value in desired.items())
        )
    if is_list(desired):
        return (
            is_list(observed)
            and len(desired) == len(observed)
            and all(is_same_program(one, other, rule) for one, other in zip(desired, observed, strict=True))
        )
    if isinstance(observed, Mapping) or is_list(observed):
        # A gap may stand where no text can: the declared text is then no JSON, and the shown value is.
        return isinstance(desired, str) and bool(rule.gap) and _fills(desired, observed, rule.gap)
    return _has_pieces(scalar(observed), re.split(rule.gap, scalar(desired)) if rule.gap else [scalar(desired)])


def _fills(text: str, observed: Json, gap: str) -> bool:
    """Whether a document is the text with its gaps filled. Blanks between the words of both do not count."""
    pieces = [re.sub(r"\s", "", piece) for piece in re.split(gap, text)]
    return len(pieces) > 1 and _has_pieces(re.sub(r"\s", "", json.dumps(observed, ensure_ascii=False)), pieces)


def _has_pieces(text: str, pieces: Sequence[str]) -> bool:
    """Whether a text begins with the first of the pieces, ends with the last, and has the others in order between."""
    first, *rest = pieces
    if not rest:
        return text == first
    if not text.startswith(first):
        return False
    place = len(first)
    for piece in rest[:-1]:
        found = text.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return text.endswith(rest[-1]) and len(text) - len(rest[-1]) >= place
