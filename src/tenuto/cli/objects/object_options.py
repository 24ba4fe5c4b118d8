"""The options that `tenuto object` and the commands by type share."""

from collections.abc import Callable
from typing import Any

import click

from tenuto.cli.options.options import pairs

_Body = Callable[..., Any]

_BIRTH = (
    click.option("--tag", "tags", multiple=True, callback=pairs, metavar="NAME=VALUE", help="A tag; may be repeated."),
    click.option("--account", help="The account that it belongs to; default: default."),
    click.option("--region", help="Default: that of the account."),
)
_LISTING = (
    click.option("--state", "states", multiple=True, help="Only in this state; may be repeated."),
    click.option("--account", help="Only in this account."),
    click.option("--name", help="Only of this name."),
    click.option("--all", "is_all", is_flag=True, help="Also those that were deleted and are still kept."),
)


def birth_options(body: _Body) -> _Body:
    """Add the options of a new object beside its fields."""
    return _with(_BIRTH, body)


def listing_options(body: _Body) -> _Body:
    """Add the options that choose among objects."""
    return _with(_LISTING, body)


def _with(options: tuple[Callable[[_Body], _Body], ...], body: _Body) -> _Body:
    """Add options so that help shows them in their order."""
    for option in reversed(options):
        body = option(body)
    return body
