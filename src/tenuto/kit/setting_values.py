"""The values of settings: the rules by which a text is a number of seconds, a share, or a list of names.

The environment, the configuration file, options of commands and `tenuto runtime set` read the same texts, so the rules
of each kind are written once. Every parser raises ValueError, and its message names the expected form.
"""

import re
import shlex
from dataclasses import dataclass
from urllib.parse import urlsplit

from tenuto.kit.address import is_loopback
from tenuto.kit.digits import is_digits

MINIMUM_CONNECTIONS, MAXIMUM_CONNECTIONS = 4, 16_384
"""A page and a command need a few. Above the maximum, the threads that answer are scarce, and not the connections."""

MINIMUM_PERIOD_S = 0.1
"""Below this a Conductor does nothing but sweep; raise it if stores or providers get slower."""

MINIMUM_NODE_DEADLINE_S, DEFAULT_NODE_DEADLINE_S = 1.0, 120.0
"""A host calls three times within its deadline, so a shorter one would judge the network by its moods. The default is
that of the specification of the objects."""

MINIMUM_IDENTITY_INTERVAL_S = 1.0
"""Below this every call would ask first."""

MAXIMUM_TAG_KEY = 128
"""The characters of the longest key that AWS takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifyCommand:
    """A program that is told of events: `NAME=COMMAND LINE`, or `NAME:TYPE,TYPE=COMMAND LINE` for other types."""

    name: str
    words: tuple[str, ...]
    types: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.name}:{','.join(self.types)}" if self.types else self.name
        return f"{head}={shlex.join(self.words)}"

    @staticmethod
    def parse(text: str) -> "NotifyCommand":
        """Raises ValueError when it is not as above."""
        head, separator, line = text.partition("=")
        name, _, types = head.strip().partition(":")
        words = tuple(shlex.split(line))
        if not separator or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name) or not words:
            raise ValueError("expected NAME=COMMAND LINE, such as pager=/usr/local/bin/page --urgent")
        return NotifyCommand(name=name, words=words, types=tuple(one for one in types.split(",") if one))


_SWITCHES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def parse_switch(text: str) -> bool:
    """Parse a switch, in any case. A word that is none is refused: it may have been meant either way."""
    found = _SWITCHES.get(text.strip().casefold())
    if found is None:
        raise ValueError("expected true or false")
    return found


def parse_notify_commands(text: str) -> tuple[NotifyCommand, ...]:
    """Parse one command in each line."""
    return tuple(NotifyCommand.parse(line) for line in text.splitlines() if line.strip())


def parse_providers(text: str) -> tuple[str, ...]:
    """Parse names that are separated by spaces, commas or ends of lines; raises ValueError."""
    names = tuple(dict.fromkeys(one for one in re.split(r"[\s,]+", text) if one))
    for name in names:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9._-]{0,62}", name):
            raise ValueError(f"{name!r} is no name of a provider such as aws or simulated")
    return names


def parse_public_url(text: str) -> str:
    """Parse the URL of a server without a path; raises ValueError."""
    parts = urlsplit(text.strip())
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/") or parts.query:
        raise ValueError("expected a URL without a path, such as https://tenuto.example.org")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def parse_issuers(text: str) -> tuple[tuple[str, str], ...]:
    """Parse one issuer in each line: its URL, and with `=CLIENT` behind it the client as which people sign in."""
    return tuple(_issuer(line.strip()) for line in text.splitlines() if line.strip())


def _issuer(text: str) -> tuple[str, str]:
    url, _, client = text.partition("=")
    parts = urlsplit(url)
    is_plain = parts.scheme == "http" and is_loopback(parts.hostname or "")
    if not (parts.scheme == "https" or is_plain) or not parts.hostname or parts.query or parts.fragment or "@" in url:
        raise ValueError(
            "expected an https URL, or one with =CLIENT behind it, such as https://login.example.org=tenuto"
        )
    return url, client.strip()


def parse_limit(text: str) -> int:
    """A whole number that is not large; raises ValueError."""
    if not text.isdecimal() or len(text) > 2:
        raise ValueError("expected a whole number from 0 to 99")
    return int(text)


def parse_connections(text: str) -> int:
    """A number of connections; raises ValueError."""
    if not is_digits(text) or not MINIMUM_CONNECTIONS <= int(text[:9]) <= MAXIMUM_CONNECTIONS:
        raise ValueError(f"expected a whole number from {MINIMUM_CONNECTIONS} to {MAXIMUM_CONNECTIONS:,}")
    return int(text)


def parse_period(text: str) -> float:
    """Parse seconds between jobs; raises ValueError."""
    seconds = _number(text)
    if not MINIMUM_PERIOD_S <= seconds < float("inf"):
        raise ValueError(f"expected seconds, at least {MINIMUM_PERIOD_S}")
    return seconds


def parse_node_deadline(text: str) -> float:
    """Parse the seconds of the deadline of hosts; raises ValueError."""
    seconds = _number(text)
    if not MINIMUM_NODE_DEADLINE_S <= seconds < float("inf"):
        raise ValueError(f"expected seconds, at least {MINIMUM_NODE_DEADLINE_S:g}")
    return seconds


def parse_identity_interval(text: str) -> float:
    """Parse the seconds of the interval; raises ValueError."""
    seconds = _number(text)
    if not MINIMUM_IDENTITY_INTERVAL_S <= seconds < float("inf"):
        raise ValueError(f"expected seconds, at least {MINIMUM_IDENTITY_INTERVAL_S:g}")
    return seconds


def parse_patience(text: str) -> float:
    """Parse the seconds of the patience; raises ValueError."""
    seconds = _number(text)
    if not 0 <= seconds < float("inf"):
        raise ValueError("expected seconds, 0 or more")
    return seconds


def parse_audit_keep(text: str) -> float | None:
    """Parse the age of lines of the audit log, in seconds; raises ValueError."""
    found = re.fullmatch(r"(\d{1,5})([hd])", text.strip())
    seconds = int(found[1]) * (3600.0 if found[2] == "h" else 86_400.0) if found else 0.0
    if seconds <= 0:
        raise ValueError("the age is a number above 0 with h or d, such as 400d")
    return seconds


def parse_ignored_tags(text: str) -> tuple[str, ...]:
    """Parse one key of tags in each line, in which `*` stands for any text; raises ValueError."""
    keys = tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    if too_long := next((one for one in keys if len(one) > MAXIMUM_TAG_KEY), None):
        raise ValueError(f"expected keys of up to {MAXIMUM_TAG_KEY} characters, and {too_long[:20]}… has more")
    return keys


def parse_share(text: str) -> float | None:
    """A share of the account's calls; raises ValueError."""
    share = _number(text)
    if not 0 < share <= 1:
        raise ValueError("expected a share above 0 and up to 1, such as 0.6")
    return share


def _number(text: str) -> float:
    """Parse a number: NaN, which is in no range, for a text that is none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")
