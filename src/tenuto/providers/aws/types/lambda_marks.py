"""The mark of a version that Lambda publishes: the end of its Description.

Versions of functions and of layers have no tags, and Lambda answers the publication of unchanged code with the version
that is there already. So the request writes a name of its own at the end of the Description: a version that shows it is
the work of this very request, even if the answer was lost on the way, and no other version is ever taken for it.
"""

import re
from dataclasses import dataclass

from tenuto.errors import PermanentError
from tenuto.model.ids import Json
from tenuto.model.outcome import Request
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import Work

_PROPERTY = "Description"
_LONGEST = 256
_LONGEST_MARK = 64
_MARK = re.compile(r" ?\[tenuto ([A-Za-z0-9-]+)-[0-9a-f]{12}\]$")


def mark(request: Request) -> str:
    """The end of the description of the version that the request publishes."""
    return f"[tenuto {generated_name(request, _LONGEST_MARK)}]"


def is_marked(request: Request, description: Json) -> bool:
    return str(description or "").endswith(mark(request))


def maker_of(description: Json) -> str:
    """The process and the resource that a mark names, with hyphens; empty where there is none."""
    found = _MARK.search(str(description or ""))
    return found[1] if found else ""


@dataclass(frozen=True, kw_only=True)
class Marked(Shown):
    """The Description with the mark at its end, which no declaration sees."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_PROPERTY})

    def read(self, thing: Thing) -> dict[str, Json]:
        text = _MARK.sub("", str(thing.answer.get(_PROPERTY) or ""))
        return {_PROPERTY: text} if text else {}

    def at_birth(self, work: Work) -> dict[str, Json]:
        declared, end = str(work.want(_PROPERTY) or ""), mark(work.request)
        text = f"{declared} {end}".strip()
        if len(text) > _LONGEST:
            raise PermanentError(
                f"The Description of {work.request.logical_id} has {len(declared)} characters. Lambda keeps "
                f"{_LONGEST}, and Tenuto adds {len(end) + 1} by which it knows its own version again: shorten it.",
                code="InvalidRequest",
            )
        return {_PROPERTY: text}
