"""Echo requests (ICMP) to one address, from the network namespace in which this runs, told as one JSON document.

Theory of operation. The executor runs this module in the namespace of a network, as a program of its own, since a
process changes its namespace as a whole. It prints the milliseconds of each answer, or null for none. The packets that
come back were sent by a guest: only an answer to the very request counts, by address, number and content.
"""

import json
import os
import socket
import struct
import sys
import time

PATIENCE_S = 1.0
"""Seconds for which one answer is waited for."""
_REQUEST, _ANSWER = 8, 0
_HEAD = struct.Struct(">BBHHH")
_CONTENT = 32
_LARGEST = 2048


def packet(number: int, place: int, content: bytes) -> bytes:
    """An echo request: `number` is that of this process, and `place` that of the request."""
    bare = _HEAD.pack(_REQUEST, 0, 0, number, place) + content
    return _HEAD.pack(_REQUEST, 0, checksum(bare), number, place) + content


def checksum(content: bytes) -> int:
    """The checksum of the Internet protocols."""
    padded = content + b"\0" * (len(content) % 2)
    total: int = sum(struct.unpack(f">{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def is_answer(received: bytes, number: int, place: int, content: bytes) -> bool:
    """Whether a packet, with its IPv4 header, is the answer to a request."""
    if len(received) < 20:
        return False
    body = received[(received[0] & 15) * 4 :]
    if len(body) < _HEAD.size:
        return False
    kind, _, _, its_number, its_place = _HEAD.unpack_from(body)
    return (kind, its_number, its_place, body[_HEAD.size :]) == (_ANSWER, number, place, content)


def milliseconds(address: str, place: int, link: socket.socket) -> float | None:
    """Send one request, and return the milliseconds until its answer; None when none came."""
    number, content = os.getpid() & 0xFFFF, os.urandom(_CONTENT)
    began = time.monotonic()
    try:
        link.sendto(packet(number, place, content), (address, 0))
        while (left := began + PATIENCE_S - time.monotonic()) > 0:
            link.settimeout(left)
            received, (sender, _) = link.recvfrom(_LARGEST)
            if sender == address and is_answer(received, number, place, content):
                return round((time.monotonic() - began) * 1000, 3)
    except TimeoutError:
        return None
    except OSError:
        # No neighbour has the address, which the kernel tells after a while: that takes as long as silence would.
        time.sleep(max(0.0, began + PATIENCE_S - time.monotonic()))
    return None


def answers(address: str, count: int) -> list[float | None]:
    """Send so many requests, one after the other."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as link:
        return [milliseconds(address, place, link) for place in range(1, count + 1)]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(answers(sys.argv[1], int(sys.argv[2]))))
