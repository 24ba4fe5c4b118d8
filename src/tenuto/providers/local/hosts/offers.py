"""The checks of the values that an agent tells about its host when it registers, and of the host's troubles.

The agent of one host is not believed more than its own host is worth: its values are kept with the host, are counted in
placement, and are shown to people. A number without a limit, or a text of megabytes, would stay in the store.
"""

import re
from collections.abc import Sequence

from tenuto.model.agent_driver import DRIVERS
from tenuto.providers.local.wire.messages import Register

_MOST_CORES = 65_536
_MOST = 1 << 32
"""The most MiB of memory, and GiB of disk: 4 PiB and 4 EiB."""
_MOST_PORT = 65_535
_MOST_GENERATION = 1 << 63
_LONGEST = 300
_MOST_ABILITIES = 100
_MOST_TROUBLES = 5
"""An agent knows as many subjects of trouble."""
_LONGEST_TROUBLE = 400
_DIGEST = re.compile(r"[0-9a-f]{64}")


def problem_of(told: Register) -> str:
    """The reason why no host can be as it is told; empty for one that can."""
    numbers = {
        "cores": (told.cores, 1, _MOST_CORES),
        "memory_mib": (told.memory_mib, 0, _MOST),
        "disk_gib": (told.disk_gib or 0, 0, _MOST),
        "peer_port": (told.peer_port, 0, _MOST_PORT),
        "given": (told.given, 0, _MOST_GENERATION),
    }
    for name, (value, least, most) in numbers.items():
        if not least <= value <= most:
            return f"{name} must be from {least} to {most}"
    texts = {
        "boot_id": told.boot_id,
        "driver": told.driver,
        "program": told.program,
        "run": told.run,
        "accelerator": told.accelerator,
        "peer_fingerprint": told.peer_fingerprint,
        "secret_digest": told.secret_digest,
        **{f"abilities[{number}]": one for number, one in enumerate(told.abilities)},
        **{f"held[{number}]": one for number, one in enumerate(told.held)},
    }
    for name, text in texts.items():
        if len(text) > _LONGEST or not text.isprintable():
            return f"{name} must be one line of at most {_LONGEST} characters that can be shown"
    if told.driver not in DRIVERS:
        # The first host of a zone sets the driver of all.
        return f"driver must be one of {', '.join(DRIVERS)}"
    if told.secret_digest and not _DIGEST.fullmatch(told.secret_digest):
        # The token would be used up, and no agent could have that secret.
        return "secret_digest must be a SHA-256 in hexadecimal digits"
    if len(told.abilities) > _MOST_ABILITIES:
        return f"abilities are at most {_MOST_ABILITIES}"
    return ""


def shown_troubles(told: Sequence[str]) -> tuple[str, ...]:
    """Return the troubles that an agent tells as people may see them: few, short, each a line without signs of control.

    A call is not refused for them: a host that is in trouble is not to be cut off as well.
    """
    lines = (" ".join("".join(sign if sign.isprintable() else " " for sign in one).split()) for one in told)
    cut = (one if len(one) <= _LONGEST_TROUBLE else f"{one[: _LONGEST_TROUBLE - 1]}…" for one in lines)
    return tuple(one for one in cut if one)[:_MOST_TROUBLES]
