"""Sealing of secrets at rest (DECISIONS 32)."""

from typing import Protocol


class Secrets(Protocol):
    """Encrypts and decrypts short texts with a key that is not in the store."""

    def seal(self, text: str) -> str:
        """The encrypted text, safe to store."""
        ...

    def unseal(self, sealed: str) -> str:
        """The clear text. Raises PermanentError when the key is not the one it was sealed with."""
        ...
