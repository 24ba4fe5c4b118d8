"""A socket that listens, for a server."""

import errno
import socket

from tenuto.errors import UserError
from tenuto.kit.address import Address


def listen_on(address: Address, option: str) -> socket.socket:
    """Listen before anything else, so that a second Conductor fails at once and changes nothing.

    To bind is not enough for that: Linux binds two sockets to one address as long as neither listens. A client that
    connects before the server runs waits for it.

    Raises UserError, which names the option of the address.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # With its protocol by name, because only then does asyncio switch off Nagle's algorithm for accepted connections:
    # the body of an answer would wait 40 ms for the receipt of its head.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
        listener.listen()
    except OSError as error:
        listener.close()
        is_taken = error.errno == errno.EADDRINUSE
        raise UserError(
            f"cannot listen on {address.host}:{address.port}: {error.strerror}. "
            f"{'Is a Conductor running already? ' if is_taken else ''}Give another address with {option}."
        ) from error
    return listener
