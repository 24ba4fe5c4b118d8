"""Denials: the events of denied commands, which are part of the history of their process.

Theory of operation. The first denial of a command is written at once. Equal ones of the next minute are counted, and
told with the event after it: a program that asks in a loop must not fill the history.
"""

from tenuto.errors import StoreError
from tenuto.kit.counted import Counted
from tenuto.kit.times import iso_text
from tenuto.model.access import Right
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Json
from tenuto.ports.clock import Clock
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append
from tenuto.service.access.callers import Caller, Place

EVERY_S = 60.0
"""One event a minute for each user, command and place."""


class Denials:
    """The denials of one Conductor. Thread-safe."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._counted = Counted(EVERY_S)

    def keep(self, caller: Caller, right: Right, place: Place, message: str) -> None:
        """Write the event of a denied command, or count it for the next one. Raises StoreError."""
        now = self._clock.now()
        who, kind = (caller.name,), (right.value, place.fid or place.account)
        between = self._counted.count(who, kind, now)
        if between is None:
            return
        data: dict[str, Json] = {"command": right.value, "account": place.account}
        if between.count:
            since = iso_text(between.since)
            message = f"{message} And {between.count} more since {since[11:19]} UTC."
            data |= {"more": between.count, "since": since}
        event = Event(
            at=now,
            type=EventType.COMMAND_DENIED,
            fid=place.fid,
            subject=place.alias or place.fid or "",
            actor=caller.name,
            reason=message,
            data=data,
        )
        try:
            self._store.commit((Append(events=(event,)),))
        except StoreError:
            self._counted.forget(who, kind)
            raise
