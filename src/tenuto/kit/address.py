"""The address that a server listens on: `HOST:PORT`."""

from dataclasses import dataclass
from ipaddress import ip_address

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""The hosts that are always this machine."""


def is_loopback(host: str) -> bool:
    """Whether a message to this host stays on this machine. A name other than `localhost` may lead anywhere."""
    if host in LOOPBACK:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A host, by its name or number, and a port."""

    host: str
    port: int

    @staticmethod
    def parse(text: str) -> "Address":
        """Parse `HOST:PORT` or `[V6]:PORT`; raises ValueError."""
        host, separator, port = text.rpartition(":")
        if not separator or not host or not port.isdecimal() or int(port) > 65535:
            raise ValueError("expected HOST:PORT, such as 127.0.0.1:8686")
        return Address(host=host.removeprefix("[").removesuffix("]"), port=int(port))

    @property
    def url(self) -> str:
        """The base URL under which a client on this machine reaches it."""
        return self.url_at({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host))

    def url_at(self, host: str, *, scheme: str = "http") -> str:
        """The base URL with another name of the host."""
        return f"{scheme}://[{host}]:{self.port}" if ":" in host else f"{scheme}://{host}:{self.port}"
