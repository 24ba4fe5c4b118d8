"""The troubles of a host that its agent sees now, and a person should: they go with each call to the Conductor.

Theory of operation. The log of an agent is on its host, where it is read only after a fault. A trouble has a subject,
and lasts until its subject is told without one. The Conductor keeps the troubles of the last call and nothing else, so
a trouble that is over is gone there as well.
"""

import threading

SUBJECTS = DISK, ADDRESS, ORDERS, NETWORKS, FIREWALL, COPIES, FOLDERS = (
    "disk",
    "address",
    "orders",
    "networks",
    "firewall",
    "copies",
    "folders",
)
"""The subjects, in the order in which they are told."""


class Troubles:
    """The present troubles of one host. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: dict[str, str] = {}

    def tell(self, subject: str, text: str) -> None:
        """Note the trouble of a subject; an empty text ends it."""
        with self._lock:
            if text:
                self._texts[subject] = text
            else:
                self._texts.pop(subject, None)

    def now(self) -> tuple[str, ...]:
        """Return the troubles of now, the worst first."""
        with self._lock:
            return tuple(self._texts[one] for one in SUBJECTS if one in self._texts)
