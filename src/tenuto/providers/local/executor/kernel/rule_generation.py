"""The number of the last change of nftables in a network namespace, asked of the kernel in one small message.

The namespace of a machine has no rules. To list those of a hundred machines takes a program for each; the kernel counts
the changes anyway, and tells that number at once.
"""

import socket
import struct

FRESH = 1
"""The number of a namespace in which nothing was ever changed."""
_NETFILTER = 12
_GET, _ANSWER = 10 << 8 | 16, 10 << 8 | 15
"""The subsystem of nftables, with the question and the answer."""
_REQUEST, _ID = 1, 1
_HEAD, _FAMILY = struct.Struct("=IHHII"), struct.Struct("=BBH")
_LARGEST = 8192
_PATIENCE_S = 5.0


def rule_generation() -> int:
    """The number for the namespace of the calling thread. Raises OSError."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _NETFILTER) as kernel:
        kernel.settimeout(_PATIENCE_S)
        kernel.bind((0, 0))
        size = _HEAD.size + _FAMILY.size
        kernel.send(_HEAD.pack(size, _GET, _REQUEST, 1, 0) + _FAMILY.pack(0, 0, 0))
        answer = kernel.recv(_LARGEST)
    _, kind, _, _, _ = _HEAD.unpack_from(answer)
    if kind != _ANSWER:
        code = -struct.unpack_from("=i", answer, _HEAD.size)[0]
        raise OSError(code, f"nftables refuse to tell (error {code})")
    at = size
    while at + 4 <= len(answer):
        length, attribute = struct.unpack_from("=HH", answer, at)
        if attribute == _ID:
            return int(struct.unpack_from(">I", answer, at + 4)[0])
        at += max(4, length + 3 & ~3)
    raise OSError(0, "nftables told no number")
