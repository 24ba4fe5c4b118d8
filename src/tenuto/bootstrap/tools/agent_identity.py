"""The identity with which an agent starts: the one that it has, or a new one by the token that a person gives."""

import sys
from pathlib import Path

from tenuto.errors import UserError
from tenuto.providers.local.agent import identity as identities
from tenuto.providers.local.agent.identity import Identity
from tenuto.providers.local.wire.tokens import PREFIX, Token

_LONGEST_TOKEN = 4096


def identity_of(state: Path, join: str | None) -> tuple[Identity, bool]:
    """Return the identity of the agent, and whether it is to join: the one of its state directory, or a new one by a
    token. `join` is the file with that, or - for standard input.

    The token by which it has joined may be given again: a unit file keeps its options. Raises UserError.
    """
    known, joining = identities.load(state), identities.load(state, is_joining=True)
    found = known or joining
    text = _token_text(join, is_needed=found is None) if join else ""
    if not text:
        if found is None:
            raise UserError(
                f"There is no agent in {state} yet: join with a token (--join FILE). On the Conductor, "
                "'tenuto node enroll NAME' makes one."
            )
        return found, known is None
    token = Token.parse(text)
    if known is not None and known.token == token.secret:
        return known, False
    if joining is not None and joining.token == token.secret:
        return joining, True
    if known is not None and (known.zone, known.name) != (token.zone, token.name):
        raise UserError(
            f"The agent in {state} is the host {known.name} of {known.zone}, and the token is for "
            f"{token.name} of {token.zone}. Give another --state, or a token for {known.name}."
        )
    fresh = Identity.of(token)
    identities.begin(state, fresh)
    return fresh, True


def _token_text(source: str, *, is_needed: bool) -> str:
    """The token in a file, or on standard input; empty for one that is gone or empty when the agent has joined already.

    Raises UserError, also for a token in the place of a file: all users of a host can read its command lines.
    """
    if source.startswith(PREFIX):
        raise UserError(
            "--join takes the file with the token, since all users of this machine can read its command lines. Write "
            "a token into a file of mode 0600, or give '--join -' and type it. This one may have been seen: make "
            "another with 'tenuto node enroll'."
        )
    try:
        if source == "-":
            text = sys.stdin.readline(_LONGEST_TOKEN).strip()
        else:
            with Path(source).open(encoding="utf-8", errors="replace") as opened:
                text = opened.readline(_LONGEST_TOKEN).strip()
    except FileNotFoundError as missing:
        if not is_needed:
            return ""
        raise UserError(
            f"There is no file {source} with the token. 'tenuto node enroll NAME' on the Conductor prints one."
        ) from missing
    except OSError as failed:
        raise UserError(f"The token in {source} cannot be read: {failed.strerror}.") from failed
    if not text and is_needed:
        place = "Standard input" if source == "-" else f"The file {source}"
        raise UserError(
            f"{place} is empty, or its first line is. Write the whole word into it that 'tenuto node enroll NAME' on "
            "the Conductor prints."
        )
    return text
