"""The address at which the other hosts of its zone reach a host.

Theory of operation. It is the one from which the host calls the Conductor, where a person names none. A host may lose
it while its agent runs: another lease of DHCP, another uplink. A packet that the mesh sends from an address that is
gone never leaves the host, although each link is as it should be. So the agent looks at it before each call. An address
that is still on the host stays, wherever the routes lead by now. One that is gone gives way to the one towards the
Conductor as soon as there is one; the agent registers with it, and the next jobs set the mesh of each host right.
"""

import errno
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

import structlog

from tenuto.errors import UserError
from tenuto.providers.local.agent.troubles import ADDRESS, Troubles

_log = structlog.get_logger("tenuto.hosts")


class OwnAddress:
    """The address of one host."""

    def __init__(
        self, named: str, towards: Callable[[], str], *, is_here: Callable[[str], bool], troubles: Troubles
    ) -> None:
        """`named` is the address that a person has given, which stays; empty for none. `towards` tells the address
        towards the Conductor, and `is_here` whether the host has one. Raises UserError."""
        self._towards = towards
        self._is_here = is_here
        self._is_named = bool(named)
        self._troubles = troubles
        self._is_told = False
        self._address = named or towards()

    def now(self) -> str:
        """Return the address; the last one while the host has none."""
        if self._is_here(self._address):
            self._is_told = False
            self._troubles.tell(ADDRESS, "")
        elif self._is_named:
            self._tell_once()
        else:
            try:
                found = self._towards()
            except UserError:
                return self._address
            _log.warning("agent.address_changed", before=self._address, now=found)
            self._address = found
        return self._address

    def _tell_once(self) -> None:
        if not self._is_told:
            self._is_told = True
            reason = (
                f"no link of this host has the address {self._address} of --address, so machines here do not reach "
                "those on other hosts. Give the address back to a link, or start the agent with another --address"
            )
            self._troubles.tell(ADDRESS, reason)
            _log.warning("agent.address_missing", address=self._address, reason=reason)


def address_towards(url: str) -> str:
    """The address of this machine from which the Conductor is reached; nothing is sent for it. Raises UserError."""
    parts = urlsplit(url)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as towards:
            towards.connect((parts.hostname or "", parts.port or 443))
            return str(towards.getsockname()[0])
    except OSError as failed:
        raise UserError(
            f"This machine has no IPv4 address towards {url} ({failed.strerror}): name the one at which other hosts "
            "reach it, with --address."
        ) from failed


def addresses_of(url: str) -> tuple[str, ...]:
    """The IPv4 addresses of the Conductor, in their order; none while its name has none."""
    try:
        found = socket.getaddrinfo(urlsplit(url).hostname, None, socket.AF_INET, socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return tuple(sorted({str(address[0]) for *_, address in found}))


def has_address(address: str) -> bool:
    """Whether a link of this machine has an address. Where that cannot be told, it has."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
            tried.bind((address, 0))
    except OSError as failed:
        return failed.errno != errno.EADDRNOTAVAIL
    return True
