"""The identity of an agent: where its Conductor is, and by which secret it is known there.

It is a file in the state directory, for its owner's eyes only. One that is to join is written to another file before
the first call, so that an agent that died after the call, or never saw its answer, knows its own secret: the Conductor
may know that already, and the token is used up then. It takes the place of an earlier identity when it has joined, so a
token that is refused costs nothing.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tenuto.errors import UserError
from tenuto.kit.private_file import private_draft
from tenuto.providers.local.wire.tokens import Token, new_secret

FILE = "identity.json"
JOINING_FILE = "joining.json"
LOCK = "agent.lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """One agent. `token` is the secret of the token by which it is to join, or has joined and used it up."""

    url: str
    fingerprint: str
    zone: str
    name: str
    secret: str
    token: str

    @staticmethod
    def of(token: Token) -> "Identity":
        """A new identity, which is to join by a token."""
        return Identity(
            url=token.url,
            fingerprint=token.fingerprint,
            zone=token.zone,
            name=token.name,
            secret=new_secret(),
            token=token.secret,
        )


def load(state: Path, *, is_joining: bool = False) -> Identity | None:
    """The identity in a state directory, or the one that is to join; None when there is none. Raises UserError."""
    file = state / (JOINING_FILE if is_joining else FILE)
    try:
        return Identity(**json.loads(file.read_text()))
    except FileNotFoundError:
        return None
    except OSError as failed:
        raise UserError(f"The identity of the agent in {file} cannot be read: {failed.strerror}.") from failed
    except (ValueError, TypeError) as wrong:
        raise UserError(
            f"The identity of the agent in {file} is damaged ({wrong}). Restore it, or remove it and join again with a "
            "new token: 'tenuto node enroll NAME'. What runs on the host is kept."
        ) from wrong


def begin(state: Path, identity: Identity) -> None:
    """Write an identity that is to join. Raises UserError."""
    file = state / JOINING_FILE
    try:
        with private_draft(file, json.dumps(asdict(identity)).encode()) as draft:
            draft.replace(file)
    except OSError as failed:
        raise UserError(f"The identity of the agent cannot be kept in {file}: {failed.strerror}.") from failed


def joined(state: Path) -> None:
    """Let the identity that was to join be the one of the agent. Raises UserError."""
    try:
        (state / JOINING_FILE).replace(state / FILE)
    except FileNotFoundError:
        return
    except OSError as failed:
        raise UserError(f"The identity of the agent cannot be kept in {state / FILE}: {failed.strerror}.") from failed


@contextmanager
def held(state: Path) -> Iterator[None]:
    """The state directory, made where there is none, for this agent alone. Raises UserError."""
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(state / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as failed:
        raise UserError(f"The state directory {state} cannot be used: {failed.strerror}.") from failed
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as taken:
        raise UserError(f"Another agent has the state directory {state}: stop that one first.") from taken
    finally:
        os.close(descriptor)
