"""The words of a call, before any command reads them."""

from collections.abc import Sequence

import click

from tenuto.kit.visible import visible
from tenuto.kit.well_formed import well_formed


def check_text(arguments: Sequence[str]) -> None:
    """Raise click.UsageError for an argument whose bytes are not UTF-8.

    Python hands such bytes on as lone surrogates, which no request, no store and no log can hold.
    """
    for argument in arguments:
        if well_formed(argument) is not argument:
            raise click.UsageError(
                f"The argument '{_shown(argument)}' is not UTF-8 text. Type it again, or give a file a name that is "
                "UTF-8."
            )


def _shown(argument: str) -> str:
    """The argument with the bytes that are no text as `\\xff`, in the way in which a shell takes them."""
    return visible("".join(f"\\x{ord(one) - 0xDC00:02x}" if "\udc80" <= one <= "\udcff" else one for one in argument))
