"""The session of a user in a browser: the stored part of it, which is too little to use it."""

from dataclasses import dataclass

from tenuto.model.ids import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSession:
    """One signed-in browser. `digest` is the SHA-256 of the id in its cookie.

    `secret_key` is the public part of the secret that signed in: a secret that is revoked ends the session. The owner's
    secret has no such part, so a session of the owner keeps a mark of it, which no other secret has.
    """

    digest: str
    user: str
    secret_key: str
    made_at: Instant
    proved_at: Instant
    """The moment when the user gave the secret last."""
    seen_at: Instant
    generation: int = 0
