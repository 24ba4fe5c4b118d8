"""One policy document that is placed on several things: `AWS::SQS::QueuePolicy` and its like.

Theory of operation. Such a resource is nothing by itself; there are only the things that hold its document. So its
physical id is their ids, joined: a sweep asks each of them for its policy, and the resource is gone when none has one.
Of several documents the first is shown, and only the things that hold it: a document that another user changed, or took
away, is a drift of the list, and a repair places it again. A change of the list changes the id.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tenuto.core.planning.equality.values import means_same
from tenuto.errors import TakenError
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, declared, texts
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts

_DOCUMENT = "PolicyDocument"
_RULES = {_DOCUMENT: POLICY}
_LONGEST = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedPolicy:
    """One type of such policies. `holders` is the property with the things, `read` gives the document of one (None
    where it has none), `write` places a text on one, `take` takes it away. `changes` is the writing call, for the bill.
    """

    name: str
    holders: str
    changes: str
    read: Callable[[AccountClient, str], Json]
    write: Callable[[Work, str, str], object]
    take: Callable[[Work, str], object]

    @property
    def kind(self) -> AwsType:
        source = Source(name=self.name, read=self._sweep, shows_all=False)
        return AwsType(
            facts=facts(
                self.name,
                source,
                calls=calls(self.changes, self.changes, self.changes),
                compare_as={self.holders: Comparison.SET, _DOCUMENT: POLICY},
                exclusive=[(self.holders,)],
                ref_attribute="Ref",
                attributes="Ref",
                is_tagged=False,
            ),
            source=source,
            create=self._create,
            modify=self._modify,
            delete=self._delete,
            is_found=self._is_it,
            find_name=self._id_of,
            known_as=declared(self._id_of),
        )

    def _sweep(self, client: AccountClient, scope: Scope) -> list[Seen]:
        asked = scope.ids(self.name) if scope.names is None else scope.named(self.name)
        return [one for name in asked for one in self._seen(client, str(name))]

    def _seen(self, client: AccountClient, physical_id: str) -> Iterator[Seen]:
        found = client.each_there(lambda one: self.read(client, one), physical_id.split(ID))
        shown = {one: document for one, document in found.items() if document}
        if not shown:
            return
        first = next(iter(shown.values()))
        same = [one for one, document in shown.items() if means_same(first, document, _RULES, _DOCUMENT)]
        yield seen(self.name, physical_id, {self.holders: same, _DOCUMENT: first})

    def _id_of(self, request: Request) -> str:
        return _joined(texts(request.properties.get(self.holders)))

    def _is_it(self, request: Request, item: ObservedItem) -> bool:
        wanted = {name: request.properties.get(name) for name in (self.holders, _DOCUMENT)}
        return means_same(wanted, item.properties, {self.holders: Comparison.SET, _DOCUMENT: POLICY})

    def _create(self, work: Work) -> Outcome:
        """Place the document. A thing has one policy, so one that is there already would be lost."""
        holders = texts(work.need(self.holders))
        taken = [one for one in holders if self.read(work.client, one)]
        if taken:
            raise TakenError(f"{taken[0]} has a policy already.")
        for one in holders:
            self.write(work, one, text_of(work.need(_DOCUMENT)))
        # An update keeps the name, as it does in CloudFormation.
        return Done(
            physical_id=PhysicalId(_joined(holders)), attributes={"Ref": generated_name(work.request, _LONGEST)}
        )

    def _modify(self, work: Work) -> Outcome:
        """Place the document where it is missing, or not this one, before it is taken from where it is not wanted."""
        wanted, present = texts(work.need(self.holders)), str(work.id).split(ID)
        holding = frozenset[str]() if work.differs(_DOCUMENT) else frozenset(texts(work.seen(self.holders)))
        for one in wanted:
            if one not in holding:
                self.write(work, one, text_of(work.need(_DOCUMENT)))
        for one in present:
            if one not in wanted:
                self.take(work, one)
        return Done(physical_id=PhysicalId(_joined(wanted)))

    def _delete(self, work: Work) -> Outcome:
        for one in str(work.id).split(ID):
            self.take(work, one)
        return Done(physical_id=work.id)


def _joined(holders: Sequence[str]) -> str:
    return ID.join(sorted(holders))


def standing(answer: JsonMap, path: str) -> Json:
    """A text among the attributes in an answer; None where it is empty."""
    return (answer.get("Attributes") or {}).get(path) or None
