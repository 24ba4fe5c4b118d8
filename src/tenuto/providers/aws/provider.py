"""The provider port on AWS: it hands each bulk request to the blocks of its types, and knows nothing of any type
itself.
"""

import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from botocore.session import Session

from tenuto.compositions.checks.refused import dotted, named, refused_in
from tenuto.core.access.accounts import DEFAULT_INTERVAL_S
from tenuto.core.access.masking import masker_of
from tenuto.core.planning.bill import shared
from tenuto.errors import BugError, PermanentError, ProviderError
from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.ids import Instant, Json, Partition, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem, Sweep, Tracked, to_show
from tenuto.model.open_types import OpenTypes
from tenuto.model.outcome import Context, Done, Outcome, Pending, Refused, Request
from tenuto.model.resource import ResourceType
from tenuto.ports.accounts import AccountBook, CheckedSettings, GivenSettings
from tenuto.ports.clock import Clock
from tenuto.ports.objects import ObjectWork
from tenuto.ports.programs import Programs
from tenuto.ports.provider import OpSink
from tenuto.providers.aws.absence import unsure
from tenuto.providers.aws.access import check_settings
from tenuto.providers.aws.accounts import OwnAccount
from tenuto.providers.aws.bulk import each
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import WORKERS, AccountClient
from tenuto.providers.aws.client.entrance.sessions import Sessions
from tenuto.providers.aws.finding import by_type, confirmed, find, hopeful
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.outcomes import Patience, outcome_of
from tenuto.providers.aws.programs import CommandPrograms
from tenuto.providers.aws.rates.ledger import RateLedger
from tenuto.providers.aws.reading import Reader
from tenuto.providers.aws.stacks import AwsStacks
from tenuto.providers.aws.tags.holders import naming_holders
from tenuto.providers.aws.tags.ignored import IgnoredTags
from tenuto.providers.aws.tags.marking import claim, disclaim
from tenuto.providers.aws.tags.tagging import repair_tags
from tenuto.providers.aws.types.catalogue import CATALOGUE, FACTS, kinds_of
from tenuto.providers.aws.whereabouts import look_up, pointed_at, read_context


class AwsProvider:
    """Implements `ports.provider.Provider`, `ports.accounts.HasAccountSettings`, `ports.provider.HasEnd`,
    `ports.stacks.HasStacks` and `ports.objects.RunsPrograms`.

    `session` is the way into the default account; without `accounts` there is no other one. `workers` is how many calls
    of one bulk call are in flight; with one, everything happens in a fixed order. `chance` is the source that pauses
    between two tries are drawn from. `identity_interval_s` is for how long it is believed whose credentials are
    (`core.access.accounts`). `ignored_tags` are keys of tags that others write (`tags.ignored`).
    """

    name = "aws"

    def __init__(
        self,
        *,
        session: Session,
        ops: OpSink,
        clock: Clock,
        accounts: AccountBook | None = None,
        ledger: RateLedger | None = None,
        workers: int = WORKERS,
        chance: random.Random | None = None,
        identity_interval_s: float = DEFAULT_INTERVAL_S,
        ignored_tags: Sequence[str] = (),
    ) -> None:
        self._sessions = Sessions(
            own=session, accounts=accounts or OwnAccount(), clock=clock, interval_s=identity_interval_s
        )
        self._workers = workers
        self._chance = chance
        self._ops = ops
        self._clock = clock
        self._ledger = ledger or RateLedger()
        self._lock = threading.Lock()
        self._clients: dict[Partition, AccountClient] = {}
        self._contexts: dict[Partition, tuple[AccountClient, Context]] = {}
        self._context_locks: dict[Partition, threading.Lock] = {}
        self._patience = Patience()
        self._reader = Reader()
        self.stacks = AwsStacks(self._client)
        self._ignored = IgnoredTags(ignored_tags)
        self._types = OpenTypes(FACTS, self._facts, FACTS.unlisted)
        self._kinds = OpenTypes(CATALOGUE, self._kind)

    def types(self) -> Mapping[TypeName, ResourceType]:
        return self._types

    def _facts(self, name: TypeName) -> ResourceType | None:
        """The facts of a type with the rates that we allow ourselves in place of the whole account's, and with the tags
        that are ignored here."""
        facts = FACTS.get(name)
        if facts is None:
            return None
        calls = shared(facts.calls, lambda rate: self._ledger.rate(rate, is_amazon=True))
        return self._ignored.within(replace(facts, calls=calls))

    def _kind(self, name: TypeName) -> AwsType | None:
        """A type as it acts, with the tags that are ignored here."""
        kind = CATALOGUE.get(name)
        return kind and replace(kind, facts=self._ignored.within(kind.facts))

    def context(self, partition: Partition) -> Context:
        client = self._client(partition)
        known = self._contexts.get(partition)
        if known is not None and known[0] is client:
            # Every plan asks: no thread waits here for another one that is only passing by.
            return known[1]
        with self._lock:
            turn = self._context_locks.setdefault(partition, threading.Lock())
        # All processes of a partition ask at once when a Conductor starts: the first one reads for all.
        with turn, _advised(partition):
            known = self._contexts.get(partition)
            if known is None or known[0] is not client:
                known = self._contexts[partition] = (client, read_context(client))
        return known[1]

    def check_settings(self, settings: GivenSettings) -> CheckedSettings:
        return check_settings(settings)

    def identify(self, account: Account) -> Identity:
        return self._sessions.identify(account)

    def credentials(self, account: str) -> KnownCredentials:
        return self._sessions.credentials(account)

    def programs(self, work: ObjectWork) -> Programs:
        return CommandPrograms(self._client)

    def close(self) -> None:
        self._sessions.close()

    def lookup(self, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        return look_up(self._client(partition), keys)

    def pointed_at(self, partition: Partition, names: Sequence[str], since: Instant) -> Mapping[str, str]:
        try:
            return pointed_at(self._client(partition), names, since)
        except ProviderError:
            return {}

    def sweep(
        self, partition: Partition, source: str, tracked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> Mapping[TypeName, Sweep]:
        kinds = kinds_of(source)
        if not kinds:
            raise BugError(f"the aws provider has no source {source}")
        client = self._client(partition).reading()
        started_at = self._clock.now()
        found: dict[TypeName, dict[PhysicalId, ObservedItem]] = {kind.facts.name: {} for kind in kinds}
        with _advised(partition):
            seen, was_whole = self._reader.read(client, kinds[0].source, tracked, is_whole=is_whole, is_near=is_near)
        for name, item in seen:
            found[name][item.physical_id] = item
        shown = to_show(tracked)
        doubts = unsure(client, CATALOGUE, shown, found)
        if any(one not in found[name] for name, ids in shown.items() for one in ids if name in found):
            # A thing that is absent may only stand in another account than the one that was just swept.
            client.session.confirm_since(started_at)
        return {
            name: Sweep(
                partition=partition,
                type=name,
                started_at=started_at,
                items=items,
                unsure=doubts[name],
                denied=frozenset(one for one in doubts[name] if one in client.denied),
                is_whole=was_whole,
            )
            for name, items in found.items()
        }

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[ObservedItem | None]:
        asked_at = self._clock.now()
        found = find(lambda: self._client(partition).masked(masker_of(requests)), requests)
        if any(item is None for item in found):
            with hopeful():
                self._client(partition).session.confirm_since(asked_at)
        return found

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._bulk(partition, requests, self._create)

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._bulk(partition, requests, self._modify)

    def delete(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._bulk(partition, requests, self._delete)

    def claim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._bulk(partition, requests, self._claim)

    def disclaim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._bulk(partition, requests, self._disclaim)

    def publish(self, partition: Partition, topic: str, message: str, attributes: Mapping[str, str]) -> None:
        """Implements `ports.notices.TopicPublisher` with SNS. A FIFO topic gets the events in order, each once."""
        self.context(partition)
        told = {name: {"DataType": "String", "StringValue": value} for name, value in attributes.items()}
        order = {"MessageGroupId": "tenuto", "MessageDeduplicationId": attributes["event_id"]}
        self._client(partition).change(
            "sns",
            "Publish",
            (),
            TopicArn=topic,
            Message=message,
            MessageAttributes=told,
            **(order if topic.endswith(".fifo") else {}),
        )

    def _claim(self, client: AccountClient, kind: AwsType, requests: Sequence[Request]) -> list[Outcome]:
        return each(client, kind, requests, claim, self._patience)

    def _disclaim(self, client: AccountClient, kind: AwsType, requests: Sequence[Request]) -> list[Outcome]:
        self._forget(client, requests)
        return each(client, kind, requests, _once_gone_is_done(disclaim), self._patience)

    def _create(self, client: AccountClient, kind: AwsType, requests: Sequence[Request]) -> list[Outcome]:
        outcomes = each(client, kind, requests, _supported(self._noted(kind.create)), self._patience)
        return confirmed(client, requests, outcomes) if kind.is_answered_by_id else outcomes

    def _noted(self, create: Callable[[Work], Outcome]) -> Callable[[Work], Outcome]:
        """Return the same creation, which tells sweeps that are under way of the thing that it made."""

        def noted(work: Work) -> Outcome:
            outcome = create(work)
            if isinstance(outcome, Done | Pending) and outcome.physical_id is not None:
                client, made = work.client, outcome.physical_id
                self._reader.note_made(client.partition, work.request.type, made, client.clock.now())
            return outcome

        return noted

    def _forget(self, client: AccountClient, requests: Sequence[Request]) -> None:
        for request in requests:
            if request.physical_id is not None:
                self._reader.forget(client.partition, request.type, request.physical_id)

    def _modify(self, client: AccountClient, kind: AwsType, requests: Sequence[Request]) -> list[Outcome]:
        failures = repair_tags(client, kind, requests, self._patience) if kind.tagged_as else {}
        rest = [request for request in requests if request.object_id not in failures]
        answers = each(client, kind, rest, _supported(kind.modify or _nothing_to_change), self._patience)
        outcomes = failures | {request.object_id: answer for request, answer in zip(rest, answers, strict=True)}
        return [outcomes[request.object_id] for request in requests]

    def _delete(self, client: AccountClient, kind: AwsType, requests: Sequence[Request]) -> list[Outcome]:
        absent = Done()
        present = [request for request in requests if request.physical_id is not None]
        if kind.delete_all is not None:
            answers = kind.delete_all(client, present) if present else []
        elif kind.delete is not None:
            answers = each(client, kind, present, _once_gone_is_done(naming_holders(kind.delete)), self._patience)
        else:
            raise BugError(f"{kind.facts.name} cannot be deleted: its block names no way")
        self._forget(client, present)
        outcomes = {request.object_id: answer for request, answer in zip(present, answers, strict=True)}
        return [outcomes.get(request.object_id, absent) for request in requests]

    def _bulk(
        self,
        partition: Partition,
        requests: Sequence[Request],
        act: Callable[[AccountClient, AwsType, Sequence[Request]], list[Outcome]],
    ) -> list[Outcome]:
        """Each type's part of the requests at once; outcomes in the order of the requests."""
        try:
            client = self._client(partition).masked(masker_of(requests))
        except ProviderError as error:
            # Nothing was called, and there may be a way into the account in a minute.
            kept_out = outcome_of(error)
            return [replace(kept_out, is_undone=True) if isinstance(kept_out, Pending) else kept_out] * len(requests)
        outcomes: dict[int, Outcome] = {}
        for name, members in by_type(requests).items():
            kind = self._kinds.get(name)
            if kind is None:
                refused = Refused(message=f"Tenuto does not manage {name} on AWS.", code="UnknownType")
                outcomes |= dict.fromkeys((index for index, _ in members), refused)
                continue
            try:
                answers = act(client, kind, [request for _, request in members])
            except ProviderError as error:
                answers = [outcome_of(error)] * len(members)
            outcomes |= {index: answer for (index, _), answer in zip(members, answers, strict=True)}
        return [outcomes[index] for index in range(len(requests))]

    def _client(self, partition: Partition) -> AccountClient:
        """The one client of a partition, as long as the way into its account is the same."""
        session = self._sessions.of(partition.account, partition.region)
        with self._lock:
            client = self._clients.get(partition)
            if client is None or client.session is not session:
                client = AccountClient(
                    session=session,
                    partition=partition,
                    ops=self._ops,
                    clock=self._clock,
                    ledger=self._ledger,
                    workers=self._workers,
                    chance=self._chance,
                )
                self._clients[partition] = client
            return client


@contextmanager
def _advised(partition: Partition) -> Iterator[None]:
    """Add advice to the error of a sweep that is refused; of an act that is refused, its outcome carries the hint."""
    try:
        yield
    except PermanentError as error:
        if not faults.is_denied(error):
            raise
        advice = f"Check the credentials and permissions of the account {partition.account}."
        raise PermanentError(f"{error} {advice}", code=error.code, request_id=error.request_id) from error


def _supported(act: Callable[[Work], Outcome]) -> Callable[[Work], Outcome]:
    """Refuse properties that Tenuto does not manage, before anything is made."""

    def checked(work: Work) -> Outcome:
        refused = work.type.facts.refused
        places = refused_in(work.request.properties, refused)
        if places:
            return Refused(
                message=f"Tenuto does not manage {', '.join(map(dotted, places))} of {work.request.type}.",
                code="NotSupported",
                hint=refused[named(places[0])],
            )
        return act(work)

    return checked


def _nothing_to_change(work: Work) -> Outcome:
    return Done(physical_id=work.request.physical_id)


def _once_gone_is_done(delete: Callable[[Work], Outcome]) -> Callable[[Work], Outcome]:
    """A deletion that is told that there is no such thing has reached its end."""

    def act(work: Work) -> Outcome:
        try:
            return delete(work)
        except ProviderError as error:
            if faults.is_gone(error):
                return Done(physical_id=work.request.physical_id, was_absent=True)
            raise

    return act
