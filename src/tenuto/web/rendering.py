"""Templates: Jinja with everything escaped, and the forms in which they show values.

A text of a provider, a template or a user may hold anything. Every value is made visible first (`kit.visible`: control
characters and turns of direction become escapes), then escaped for HTML. No template marks anything as safe.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tenuto.kit.page_url import page_url
from tenuto.kit.sizes import gib_text
from tenuto.kit.visible import visible
from tenuto.model.ids import Json, JsonMap
from tenuto.service.common.value_diff import value_text
from tenuto.service.views.plan_text import change_lines, ignored_line, left_alone
from tenuto.web.command_line import command_line
from tenuto.web.folds import folded
from tenuto.web.trail import pages

MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_DIGITS = 16
_COLUMN = 40  # The characters that a column of a table shows in one line.
SIGNS = {
    "failed": "✕",
    "held": "‖",
    "suspended": "‖",
    "no-plugin": "✕",
    "lost": "✕",
    "in-trouble": "‖",
    "silent": "◔",
    "cordoned": "○",
    "enrolled": "○",
    "drift": "≠",
    "throttled": "◔",
    "waiting": "◐",
    "canceled": "−",
    "not-enforced": "○",
    "as-declared": "✓",
    "ready": "✓",
    "same": "✓",
    "completed": "✓",
    "running": "◐",
    "sleeping": "◐",
    "blocked": "◐",
    "canceling": "−",
    "planned": "+",
    "gone": "−",
    "resting": "○",
    "pending": "◐",
    "ignored": "○",
    "not-shown": "○",
    "not-declared": "○",
    "not-observed": "○",
}
"""A sign for each status: it is never told by its colour alone, and the word stands beside it."""
TONES = {
    "failed": "bad",
    "held": "hold",
    "suspended": "hold",
    "no-plugin": "bad",
    "lost": "bad",
    "in-trouble": "hold",
    "silent": "work",
    "drift": "warn",
    "throttled": "work",
    "waiting": "work",
    "as-declared": "ok",
    "ready": "ok",
    "same": "ok",
    "completed": "ok",
    "running": "work",
    "sleeping": "work",
    "blocked": "work",
    "canceling": "work",
    "pending": "work",
}


class Renderer:
    """Renders pages and parts of them, and holds the files under `/static`."""

    def __init__(self) -> None:
        self.files = {one.name: one.read_bytes() for one in _static()}
        digest = hashlib.sha256(b"".join(self.files[name] for name in sorted(self.files))).hexdigest()[:_DIGITS]
        self.static = f"/static/{digest}"
        self._environment = Environment(
            loader=PackageLoader("tenuto.web", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_finalized,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals |= {
            "static": self.static,
            "sign": lambda status: SIGNS.get(status, "·"),
            "tone": lambda status: TONES.get(status, "calm"),
            "url": page_url,
            "pages": pages,
            "line": command_line,
        }
        self._environment.filters |= {
            "clock": clock_text,
            "duration": duration_text,
            "value": value_text,
            "pretty": _pretty,
            "folded": folded,
            "lines": lambda change: list(change_lines(change)),
            "ignored_line": ignored_line,
            "left_alone": left_alone,
            "stands": _stands,
            "kind": lambda name: name.removeprefix("AWS::"),
            "gib": gib_text,
            "number": lambda value: f"{value:,}",
        }
        self._environment.tests["cut"] = _is_cut

    @cached_property
    def macros(self) -> Any:
        """The macros of the pages, as functions."""
        return self._environment.get_template("macros.html").module

    def page(self, template: str, context: Mapping[str, Any]) -> str:
        """The whole page."""
        return self._environment.get_template(template).render({"ui": self.macros, **context})

    def part(self, template: str, name: str, context: Mapping[str, Any]) -> str:
        """One block of a page, for a page that is open already. Raises KeyError for a block that there is not."""
        found = self._environment.get_template(template)
        block = found.blocks[f"part_{name}"]
        return "".join(block(found.new_context({"ui": self.macros, **context})))


def clock_text(text: str | None, now: float) -> str:
    """A moment as an operator reads it: the time of today, and the date of any other day. In UTC."""
    if not text:
        return "–"
    moment = datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)
    if moment.date() == datetime.fromtimestamp(now, UTC).date():
        return f"{moment:%H:%M:%S}"
    return f"{moment:%Y-%m-%d %H:%M}"


def duration_text(seconds: float | None) -> str:
    """`0.8 s`, `41 s`, `3 min`, `2 h`, `5 d`."""
    if seconds is None:
        return "–"
    if seconds < 10:
        return f"{seconds:.1f} s"
    for limit, unit, size in ((120, "s", 1), (7200, "min", 60), (172_800, "h", 3600)):
        if seconds < limit:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86_400:.0f} d"


def _finalized(value: object) -> object:
    if isinstance(value, Markup):
        return value
    return visible(value) if isinstance(value, str) else value


def _pretty(value: Json) -> str:
    """A value as text: on one line if it fits into a column of a table."""
    if isinstance(value, str):
        return value
    line = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return line if len(line) <= _COLUMN else json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)


def _stands(found: JsonMap) -> str:
    """The obstacle as a sentence: some messages only go on where the reason ends, such as `suspended` `by command`."""
    message = str(found["message"] or "–")
    if not message.startswith(("by ", "for ")):
        return message
    told = f"{found['why']} {message}"
    return f"{told[:1].upper()}{told[1:]}"  # Not `capitalize`, which makes names small.


def _is_cut(change: JsonMap) -> bool:
    """Whether the lines of a changed property leave something out, so that a page offers its whole values."""
    lines = list(change_lines(change))
    return len(lines) > 1 or lines != list(change_lines(change, None))


def _static() -> list[Traversable]:
    return [one for one in files("tenuto.web").joinpath("static").iterdir() if one.name.endswith(tuple(MEDIA_TYPES))]
