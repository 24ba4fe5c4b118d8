"""Names for the completion of shells: asked of the Conductor, in a moment or not at all.

A shell waits while it completes, so the answer must come at once: after a third of a second, or on any failure, there
is none, and no word about it.
"""

import os
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial

import click

from tenuto.cli.client.client import Client, Patience
from tenuto.cli.client.target import find_conductor
from tenuto.errors import TenutoError
from tenuto.settings import Settings

LIMIT_S = 0.3
Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def process_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The processes whose names begin with the typed text."""
    return _within_limit(partial(_names, incomplete, None))


def resource_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The resources of the process that is named before, without those that are typed already."""
    process = ctx.params.get("process")
    if not process:
        return []
    typed = ctx.params.get("resources") or ()
    found = _within_limit(partial(_names, incomplete, str(process)))
    return [one for one in found if one not in typed]


def listed_names(listing: str, incomplete: str, states: Collection[str] = ()) -> list[str]:
    """The names, or the numbers, in the list of `GET /v1/` and this word, as far as they begin with the typed text and
    are in one of `states`, where any are named."""
    return _within_limit(partial(_listed, listing, incomplete, states))


def _names(incomplete: str, process: str | None) -> list[str]:
    found: list[str] = _client().get("names", prefix=incomplete, process=process)["names"]
    return found


def _listed(listing: str, incomplete: str, states: Collection[str]) -> list[str]:
    listed = [one for one in _client().get(listing)[listing] if not states or one["state"] in states]
    found = [str(one.get("name") or one.get("number")) for one in listed]
    return [one for one in found if one.startswith(incomplete)]


def _client() -> Client:
    settings = Settings.load(os.environ)
    return find_conductor(settings, patience=Patience(quiet_s=LIMIT_S * 10, question_s=LIMIT_S))


def _within_limit(ask: Callable[[], list[str]]) -> list[str]:
    answers: list[list[str]] = []

    def answer() -> None:
        with suppress(TenutoError, OSError, ValueError):
            answers.append(ask())

    # A thread that is left alone ends with the program: no time-out of a socket bounds the look-up of a name.
    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    thread.join(LIMIT_S * 2)
    return answers[0] if answers else []
