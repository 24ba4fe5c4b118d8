"""Types that are nothing by themselves: members of a holder, of which others are declared elsewhere, or by hand.

Theory of operation. The physical id is the holder with the resource's own members. A sweep reads each holder once,
shows those of the members that are in it, and the resource is gone when none is. A member that the holder has already
is taken over, as in CloudFormation, and leaves with the resource.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, declared
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts, member


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldMembers:
    """One such type: the properties that name the holder and the members, and the calls about them.

    `told` makes names of the declared members and `declared` the other way round. `there` are the members of a holder;
    it raises ProviderError when there is no such holder. `answered` gives attributes at the creation.
    """

    name: str
    holder: str
    members: str
    there: Callable[[AccountClient, str], frozenset[str]]
    put: Callable[[Work, str, Sequence[str]], None]
    take_out: Callable[[Work, str, Sequence[str]], None]
    told: Callable[[Json], list[str]]
    declared: Callable[[Sequence[str]], Json]
    answered: Callable[[Request], dict[str, Json]] = lambda _: {}

    def id_of(self, request: Request) -> str:
        holder, members = request.properties.get(self.holder), request.properties.get(self.members)
        return ID.join((str(holder), *sorted(self.told(members))))

    def read(self, client: AccountClient, scope: Scope) -> list[Seen]:
        asked = [str(one) for one in (scope.ids(self.name) if scope.names is None else scope.named(self.name))]
        holders = dict.fromkeys(one.partition(ID)[0] for one in asked)
        there = client.each_there(lambda holder: self.there(client, holder), holders)
        return [found for one in asked if (found := self._seen(one, there)) is not None]

    def _seen(self, one: str, there: dict[str, frozenset[str]]) -> Seen | None:
        holder, *members = one.split(ID)
        shown = [name for name in members if name in there.get(holder, ())]
        properties = {self.holder: holder, self.members: self.declared(shown)}
        return seen(self.name, one, properties) if shown else None

    def create(self, work: Work) -> Outcome:
        self._put(work, str(work.need(self.holder)), self.told(work.need(self.members)))
        return Done(physical_id=PhysicalId(self.id_of(work.request)), attributes=self.answered(work.request))

    def modify(self, work: Work) -> Outcome:
        holder, *present = str(work.id).split(ID)
        wanted, there = self.told(work.need(self.members)), self.told(work.seen(self.members))
        self._put(work, holder, [name for name in wanted if name not in there])
        self._take_out(work, holder, [name for name in present if name not in wanted])
        return Done(physical_id=PhysicalId(self.id_of(work.request)))

    def delete(self, work: Work) -> Outcome:
        holder, *members = str(work.id).split(ID)
        self._take_out(work, holder, members)
        return Done(physical_id=work.id)

    def _put(self, work: Work, holder: str, members: Sequence[str]) -> None:
        if members:
            self.put(work, holder, members)

    def _take_out(self, work: Work, holder: str, members: Sequence[str]) -> None:
        if members:
            self.take_out(work, holder, members)

    def is_it(self, request: Request, item: ObservedItem) -> bool:
        wanted = {name: request.properties.get(name) for name in (self.holder, self.members)}
        return means_same(wanted, item.properties, {self.members: Comparison.SET})


def held(kind: HeldMembers, *, put: str, take_out: str, **more: Any) -> AwsType:
    """The type; `put` and `take_out` are the calls for the bill, `more` are facts that no schema says."""
    source = Source(name=kind.name, read=kind.read, shows_all=False)
    return AwsType(
        facts=facts(
            kind.name,
            source,
            calls=calls("", take_out, members={kind.members: replace(member(put, take_out), is_bulk=True)}),
            compare_as={kind.members: Comparison.SET},
            is_tagged=False,
            **more,
        ),
        source=source,
        create=kind.create,
        modify=kind.modify,
        delete=kind.delete,
        is_found=kind.is_it,
        find_name=kind.id_of,
        known_as=declared(kind.id_of),
    )
