"""The enrolment of hosts: tokens by which the agents on new hosts join."""

from dataclasses import dataclass

from tenuto.errors import NotAllowedError
from tenuto.model.ids import JsonMap
from tenuto.ports.host_door import HostDoor


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPlace:
    """The place where agents find the Conductor: its URL, and the fingerprint of the certificate there."""

    url: str
    fingerprint: str


class HostEnrolment:
    """Makes tokens. `door` is None without a provider that has hosts, `place` without a listener for them."""

    def __init__(self, door: HostDoor | None = None, place: HostPlace | None = None) -> None:
        self._door = door
        self._place = place

    def enroll(self, zone: str, name: str, *, url: str = "", actor: str) -> JsonMap:
        """Make a token for a host, in place of an earlier one; `url` is one way to the listener. Raises UserError."""
        if self._door is None:
            raise NotAllowedError(
                "No provider of this Conductor has hosts of its own: start it with --provider local. Nothing was "
                "changed."
            )
        if self._place is None:
            raise NotAllowedError(
                "This Conductor does not listen to hosts: start it with --listen-nodes HOST:PORT, an address that they "
                "can reach. Nothing was changed."
            )
        return self._door.enroll(
            zone, name, url=url or self._place.url, fingerprint=self._place.fingerprint, actor=actor
        )
