"""Aliases: names that people give to processes, usable wherever a FID is (DECISIONS 2)."""

import re

from tenuto.errors import SECRET_NAME, NotAllowedError, UserError, repeated_name
from tenuto.model.command import ProcessState
from tenuto.ports.store_reads import ProcessReads

_WELL_FORMED = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,62}")
_LIKE_A_FID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


def check_alias(alias: str) -> str:
    """The alias itself. Raises UserError when it is not well formed, or could be taken for a FID."""
    if _WELL_FORMED.fullmatch(alias) is None:
        raise UserError(
            f"{_shown(alias)} cannot be an alias: it must begin with a letter and go on with letters, digits, '.', "
            "'_' or '-', at most 63 characters."
        )
    if _LIKE_A_FID.fullmatch(alias):
        raise UserError(f"{alias!r} cannot be an alias: it looks like the FID of a process.")
    return alias


def _shown(alias: str) -> str:
    """A text that was meant as an alias, unless it looks like a secret."""
    name = repeated_name(alias)
    return "What was given looks like a secret, is not repeated, and" if name == SECRET_NAME else name


def check_free(store: ProcessReads, alias: str | None) -> None:
    """Raise NotAllowedError when a live process has the alias, UserError when it cannot be one."""
    if alias is None:
        return
    owner = store.process(check_alias(alias))
    if owner is not None and owner.state is not ProcessState.GONE:
        exit_of = (
            "wait until that process is gone"
            if owner.state is ProcessState.KILLING
            else f"change that process with 'tenuto update {alias} FILE'"
        )
        raise NotAllowedError(
            f"The alias {alias} belongs to process {owner.fid} ({owner.state}). Choose another one, or {exit_of}."
        )
