"""Duplicates: things that carry the mark of one incarnation beside the one that is recorded for it.

A creation that arrives twice makes two things where the provider knows no token for it, and so does one that is carried
out after we stopped looking for it. Both carry our mark, which is written by the creation itself. While the incarnation
is young only we can have put it there, so the one that is not recorded is deleted again: before the resource counts
as made, or, where a sweep shows it only after that, before the resource itself is deleted. Later a mark may have been
copied along with other tags (to a backup, say), and whatever carries it is left alone.
"""

from collections.abc import Sequence
from dataclasses import replace

from tenuto.conductor.observing.sightings import duplicates_in
from tenuto.conductor.provider_types import place_of
from tenuto.conductor.requests import Requests
from tenuto.core.pacing.visibility import is_young
from tenuto.model.ids import ObjectId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Request
from tenuto.ports.observations import Observations
from tenuto.ports.phase import PhaseResource, PhaseRun


def duplicates_of(
    run: PhaseRun, resources: Sequence[PhaseResource], observations: Observations
) -> dict[ObjectId, list[ObservedItem]]:
    """The duplicates of each that has any, as of the last sweep."""
    found: dict[ObjectId, list[ObservedItem]] = {}
    for one in resources:
        sweep = observations.latest(*place_of(one.object))
        if one.physical_id is None or sweep is None:
            continue
        shown = duplicates_in(sweep, one.object, one.physical_id, sweep.duplicates, run.now)
        duplicates = [item for item in shown if not item.is_ending]
        if duplicates:
            found[one.object.object_id] = duplicates
    return found


def are_told(run: PhaseRun, one: PhaseResource, observations: Observations) -> bool:
    """Whether a sweep of everything has shown the resource since it was made, and with it any duplicate of it.

    A near sweep shows the resource alone. One that is not young any more waits for nothing: what a sweep finds beside
    it now is left alone.
    """
    if one.physical_id is None or not is_young(one.object, run.now):
        return True
    sweep = observations.latest(*place_of(one.object))
    return sweep is not None and sweep.is_whole and one.physical_id in sweep.items


def to_delete(one: PhaseResource, duplicates: Sequence[ObservedItem], requests: Requests) -> list[Request]:
    """The requests that delete them."""
    return [
        replace(
            requests.of(one.object, duplicate.properties),
            physical_id=duplicate.physical_id,
            attributes=dict(duplicate.attributes),
            keeps_snapshot=False,
        )
        for duplicate in duplicates
    ]
