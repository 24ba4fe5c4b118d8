"""Where a server listens: `HOST:PORT`."""

from dataclasses import dataclass

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""The hosts that are this machine, whoever asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A host, by its name or number, and a port."""

    host: str
    port: int

    @staticmethod
    def parse(text: str) -> "Address":
        """`HOST:PORT`, `[V6]:PORT`; raises ValueError."""
        host, separator, port = text.rpartition(":")
        if not separator or not host or not port.isdecimal() or int(port) > 65535:
            raise ValueError("expected HOST:PORT, such as 127.0.0.1:8686")
        return Address(host=host.removeprefix("[").removesuffix("]"), port=int(port))

    @property
    def url(self) -> str:
        """The base URL under which a client on this machine reaches it."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"
