"""Ports for servers that are told theirs before they start, and that come back to it after a death.

A port that the system gives away lies in the range of outgoing connections. Between the probe and the start, or
between two lives of a server, any connection may take it. So a port is drawn below that range, from which Linux gives
nothing on its own.
"""

import random
import socket

_BELOW = 32_768
_FROM = 10_000


def free_port() -> int:
    """A loopback port that nobody listens on."""
    chance = random.SystemRandom()
    while True:
        port = chance.randrange(_FROM, _BELOW)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
