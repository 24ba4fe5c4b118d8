"""Sealing of secrets at rest (DECISIONS 32)."""

from typing import Protocol

from tenuto.model.ids import Fid, ObjectId


def place_of_parameter(fid: Fid, name: str) -> str:
    """The place of a NoEcho parameter: a value that is sealed for one process opens in no other."""
    return f"parameter {name} of process {fid}"


def place_of_attribute(fid: Fid, object_id: ObjectId, name: str) -> str:
    """The place of an attribute that the provider told once: its seal opens for the process of its object alone."""
    return f"attribute {name} of {object_id} of process {fid}"


def place_of_setting(account: str, name: str) -> str:
    """The place of a secret setting of an account."""
    return f"the setting {name} of account {account}"


def place_of_sink(name: str, part: str) -> str:
    """The place of the address, or the key, of a notification."""
    return f"the {part} of notification {name}"


def remedy(place: str) -> str:
    """The way to give the value of a place again, for the message about a seal that does not open."""
    if place.startswith("the setting "):
        return "give the setting again with 'tenuto account update'"
    if place.startswith("the "):
        name = place.rpartition(" ")[2]
        return f"remove the notification with 'tenuto notification remove {name}' and add it again"
    return "give the NoEcho parameters again with 'update'"


class Secrets(Protocol):
    """Encrypts and decrypts short texts with a key that is not in the store.

    A seal opens only for the `place` that it was made for: the parameter of a process, say.
    """

    def seal(self, text: str, place: str) -> str:
        """The encrypted text, safe to store."""
        ...

    def unseal(self, sealed: str, place: str) -> str:
        """The clear text. Raises PermanentError when the key, or the place, is not the one it was sealed with."""
        ...

    def is_bound(self, sealed: str) -> bool:
        """Whether a seal names its place; those of before do not, and are good in a store only."""
        ...

    def is_current(self, sealed: str) -> bool:
        """Whether it was sealed with the key that seals now. Another seal opens only while its key is kept."""
        ...

    def sign(self, text: str) -> str:
        """The signature of a text that this Conductor gives out and will read again."""
        ...

    def is_signed(self, text: str, signature: str) -> bool:
        """Whether this Conductor has signed the text."""
        ...
