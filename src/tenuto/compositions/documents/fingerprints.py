"""Fingerprints of secrets: whether a value is another one, told without the value."""

import hashlib

_ROUNDS = 200_000
"""About a tenth of a second for each secret: nothing for us, much for an attacker who guesses passwords."""


def fingerprint(name: str, value: str) -> str:
    """Return a text that is the same for the same value of the same parameter, and slow to search through."""
    salt = f"tenuto:parameter:{name}".encode()
    return hashlib.pbkdf2_hmac("sha256", value.encode(), salt, _ROUNDS).hex()
