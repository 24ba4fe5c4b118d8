"""The names of the processes of events: live ones are known to the board, the others to the store."""

from collections.abc import Mapping, Sequence

from tenuto.model.event import Event
from tenuto.model.ids import Fid
from tenuto.service.services import Services


def event_names(services: Services, events: Sequence[Event]) -> Mapping[Fid, str]:
    """The alias of each process, or its FID without one. The store is asked for those that are gone only."""
    live = services.board.names({event.fid for event in events if event.fid})
    gone = services.queries.process_names(event for event in events if event.fid not in live)
    return {**gone, **live}
