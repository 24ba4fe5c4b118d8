"""Tickets for copies between hosts: one blob, from one host, to one host, for a few minutes.

Theory of operation. The Conductor and each host know the digest of the host's secret, and no other program does. A
ticket is signed with a key that is derived from that of the host that has the blob, which so knows it for the
Conductor's without a call. The signed text names everything that the ticket is good for, so it opens nothing else, and
no other host can use it: the host that has the blob compares the address that calls with that of the host that is
named.
"""

import hashlib
import hmac

WINDOW_S = 600
"""A ticket is good until the end of the window after the one in which it was made: 10 to 20 minutes. All tickets of a
window are equal, so an order that holds one is the same order for as long."""


def ticket(secret_digest: str, *, sha512: str, source: str, target: str, now: float) -> str:
    """Make a ticket for a blob."""
    ends_at = (int(now) // WINDOW_S + 2) * WINDOW_S
    return f"{target}:{ends_at}:{_mark(secret_digest, sha512, source, target, ends_at)}"


def target_of(text: str, secret_digest: str, *, sha512: str, source: str, now: float) -> str:
    """Return the host to which a ticket lets a blob go; an empty text for one that is not good for it."""
    parts = text.split(":")
    if len(text) > 300 or len(parts) != 3 or not parts[1].isdecimal() or len(parts[1]) > 12:
        return ""
    target, ends_at = parts[0], int(parts[1])
    is_right = hmac.compare_digest(parts[2].encode(), _mark(secret_digest, sha512, source, target, ends_at).encode())
    return target if is_right and now < ends_at <= now + 2 * WINDOW_S else ""


def _mark(secret_digest: str, sha512: str, source: str, target: str, ends_at: int) -> str:
    key = hmac.new(secret_digest.encode(), b"tenuto tickets between hosts", hashlib.sha256).digest()
    return hmac.new(key, f"{sha512} {source} {target} {ends_at}".encode(), hashlib.sha256).hexdigest()
