"""No gap: while a thing is changed in place, no member of a list that was there and is wanted is ever absent.

A rule, an attachment, a tag, a policy of a role: a provider has a call to add one and a call to remove one, and between
two calls the world is used. So after every single call the lists of the thing that is being changed still hold every
member that they held before the change and that its declaration wants. Seen in the cloud's own books.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json
from tenuto.model.outcome import Request
from tenuto.model.resource import ResourceType
from tenuto_testing.simulation.ground import Ground


@dataclass(frozen=True, slots=True, kw_only=True)
class Lasting:
    """The members of one list that must stay: they were there before a change, and are wanted after it."""

    request: Request
    path: str
    members: Sequence[Json]


def lasting(ground: Ground, requests: Iterable[Request]) -> tuple[Lasting, ...]:
    """The members that must stay while these things are changed in place."""
    found: list[Lasting] = []
    for request in requests:
        real = ground.one(request.type, request.physical_id) if request.physical_id is not None else None
        if real is None:
            continue
        for path, wanted in request.properties.items():
            present = real.item.properties.get(path)
            if is_list(wanted) and present is not None and is_list(present):
                members = [one for one in wanted if _is_among(one, present, path, real.facts)]
                found.append(Lasting(request=request, path=path, members=members))
    return tuple(found)


def gaps(ground: Ground, watched: Iterable[Lasting]) -> Iterable[str]:
    """The members that must stay and are absent, in words."""
    for one in watched:
        assert one.request.physical_id is not None, "only what stands is watched"
        real = ground.one(one.request.type, one.request.physical_id)
        present = real.item.properties.get(one.path) if real is not None else None
        for member in one.members:
            if real is None or present is None or not _is_among(member, present, one.path, real.facts):
                yield f"{one.request.logical_id}.{one.path} is without {member} in the middle of a change that keeps it"


def _is_among(member: Json, members: Iterable[Json], path: str, facts: ResourceType) -> bool:
    rules = {key: rule for key, rule in facts.compare_as.items() if key != path}
    return any(means_same(member, other, rules, path) for other in members)
