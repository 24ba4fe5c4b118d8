"""Duplicates: things that carry the mark of one incarnation beside the one that is recorded for it.

A creation that arrives twice makes two things where the provider knows no token for it, and so does one that is carried
out after we stopped looking for it. Both carry our mark, which is written by the creation itself. While the incarnation
is young only we can have put it there, so the one that is not recorded is deleted again: before the resource counts
as made, or, where a look shows it only after that, before the resource itself is deleted. Later a mark may have been
copied along with other tags (to a backup, say), and whatever carries it is left alone.
"""

from collections.abc import Sequence
from dataclasses import replace

from tenuto.conductor.observing.sightings import twins_in
from tenuto.conductor.requests import Requests
from tenuto.model.ids import ObjectId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Request
from tenuto.ports.observations import Observations
from tenuto.ports.phase import PhaseResource, PhaseRun


def twins_of(
    run: PhaseRun, resources: Sequence[PhaseResource], observations: Observations
) -> dict[ObjectId, list[ObservedItem]]:
    """The twins of each that has any, as of the last look."""
    found: dict[ObjectId, list[ObservedItem]] = {}
    for one in resources:
        sweep = observations.latest(run.partition, one.object.type)
        if one.physical_id is None or sweep is None:
            continue
        shown = twins_in(sweep, one.object, one.physical_id, sweep.twins, run.now)
        twins = [item for item in shown if not item.is_ending]
        if twins:
            found[one.object.object_id] = twins
    return found


def to_delete(one: PhaseResource, twins: Sequence[ObservedItem], requests: Requests) -> list[Request]:
    """The requests that delete them."""
    return [
        replace(
            requests.of(one.object, twin.properties),
            physical_id=twin.physical_id,
            attributes=dict(twin.attributes),
            keeps_snapshot=False,
        )
        for twin in twins
    ]
