"""A page declares its path, the right that it takes, the view that it shows, and the template that shows it."""

from collections.abc import Callable
from dataclasses import dataclass

from tenuto.model.access import Right
from tenuto.model.ids import JsonMap
from tenuto.web.visit import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page. `parts` are the blocks of its template that an open page asks for again.

    `right` must be had somewhere before the view is asked, which checks the place; None admits every user. `menu` is
    its word in the menu, `is_main` whether it stands in the first row there.
    """

    path: str
    name: str
    template: str
    view: Callable[[Visit], JsonMap]
    right: Right | None = None
    menu: str = ""
    is_main: bool = False
    parts: tuple[str, ...] = ()
    head: Callable[[Visit], JsonMap] | None = None
    """The view of the part `head`, where the view of the whole page costs more: it may make a plan."""
    asks_provider: bool = False
    """True for a view that may wait for a provider, so that it must not hold a thread that other pages need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """An act that was done: the page that is shown next, and the word of the note on it."""

    path: str
    note: str
    proposal: str = ""
    """The state of the proposal that it decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """An act that was not done: the page at `path` is shown in its place, with the changes or the missing input."""

    path: str
    template: str
    status: int
    context: JsonMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One button. `run` checks the right at its place."""

    path: str
    name: str
    run: Callable[[Visit], Done | Again]
