"""The client of one account and region: every call passes here, and nowhere else (DECISIONS 35).

Theory of operation. botocore signs, sends and parses; its own retries are off, because only we know which calls are
safe to repeat. A read is tried again a few times on the spot, since a sweep of many pages should not be thrown away for
one lost packet. A change is tried once: the phase engine sleeps and asks again, and by then a sweep tells whether the
lost call was done. Each change is reported as an `Op` with its request id, whether it succeeded or not; the values that
were sent are never in it, also when AWS repeats them (`masked`).

Clients are made once per service and kept: making one costs 20 ms and a megabyte.
"""

import copy
import random
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.model import Shape

from tenuto import __version__
from tenuto.core.access.masking import NOTHING, Masker
from tenuto.errors import PermanentError, ProviderError, TransientError
from tenuto.kit.regions import aws_partitions
from tenuto.model.ids import JsonMap, ObjectId, Partition
from tenuto.model.outcome import Op
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink
from tenuto.providers.aws.client.answers.answers import Answer
from tenuto.providers.aws.client.answers.details import Details
from tenuto.providers.aws.client.answers.faults import (
    STUMBLES,
    is_about_one,
    is_denied,
    is_gone,
    is_nameless_host,
    is_spent,
    is_throttled,
    not_in_region,
    not_of_aws,
    of_another,
    translate,
)
from tenuto.providers.aws.client.answers.narrowing import narrowing_of, unnarrowed
from tenuto.providers.aws.client.answers.pages import Paging, inside
from tenuto.providers.aws.client.answers.pointers import Pointers
from tenuto.providers.aws.client.answers.response_checks import asked_for, is_marked_by_another, mistaken, refused_in
from tenuto.providers.aws.client.entrance.account_session import AccountSession
from tenuto.providers.aws.client.entrance.sessions import SESSION_NAME
from tenuto.providers.aws.client.shapes import fit
from tenuto.providers.aws.rates.buckets import tokens_of

if TYPE_CHECKING:
    # It brings the log, which takes a tenth of the time of a program that compiles a file.
    from tenuto.providers.aws.rates.ledger import RateLedger

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0
"""The time for a whole answer (`timed`). RunInstances and S3 are the slowest and stay under ten seconds; a proxy that
holds a call longer has lost it."""
READ_TRIES = 4
"""Waits of about 0.3, 0.6 and 1.2 s: enough for a blip, short enough for a job every 30 s."""
THROTTLED_TRIES = 10
"""The number of tries for a read that is throttled, since the ledger has slowed down by then: a sweep of a thousand
calls would never come to its end if four unlucky tries of one of them were the end of it. Twenty seconds at most."""
_LONGEST_PAUSE_S = 3.0
LONGEST_WAIT_S = 3.0
"""A change that the rate ledger would hold up longer is given back to the phase engine instead."""
LONGEST_READ_WAIT_S = 15.0
"""A page in the middle of a sweep is worth waiting for; a sweep that takes half a period is not."""
WORKERS = 8
"""Calls in flight per bulk call. AWS answers in 50 to 200 ms, so this is 40 to 160 calls a second: above the rate
ledger.
"""

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")


class AccountClient:
    """One account and region. Safe to use from several threads."""

    def __init__(
        self,
        *,
        session: AccountSession,
        partition: Partition,
        ops: OpSink,
        clock: Clock,
        ledger: "RateLedger",
        workers: int = WORKERS,
        chance: random.Random | None = None,
    ) -> None:
        self.partition = partition
        self.session = session
        self.clock = clock
        self._workers = workers
        self._chance = chance or random.Random()
        self._ops = ops
        self._ledger = ledger
        self.details = Details(clock)
        self.pointers = Pointers(clock)
        self._lock = threading.Lock()
        self._clients: dict[str, Any] = {}
        self._codes: dict[str, frozenset[str]] = {}
        self._masker = NOTHING
        self.unread: dict[str, str] | None = None
        """The answers of AWS about single things that could not be read, by id. None outside of a sweep."""
        self.denied: set[str] = set()
        """The ids of those that may not be read."""

    def reading(self) -> "AccountClient":
        """Return this client for one sweep: a thing that may not be read is noted, and hides no other."""
        client = copy.copy(self)
        client.unread, client.denied = {}, set()
        return client

    def in_role(self, role_arn: str, region: str, asked_in: str) -> "AccountClient":
        """Return a client for one act in a region of an account that a role leads to. STS is asked in another one.

        Raises TransientError or PermanentError where the role is not given.
        """
        asking = self._elsewhere(self.session, asked_in)
        given = asking.ask("sts", "AssumeRole", RoleArn=role_arn, RoleSessionName=SESSION_NAME)["Credentials"]
        return self._elsewhere(self.session.in_role(given), region)

    def _elsewhere(self, session: AccountSession, region: str) -> "AccountClient":
        client = copy.copy(self)
        client.session, client._clients = session, {}
        client.partition = replace(self.partition, region=region)
        return client

    def masked_text(self, text: str) -> str:
        """The text without the secrets of the calls of this client."""
        return self._masker.mask(text)

    def masked(self, masker: Masker) -> "AccountClient":
        """Return this client for one bulk call: no error and no op of it tells a secret of the call.

        It shares everything with the client itself: clients, rates, details.
        """
        client = copy.copy(self)
        client._masker = masker
        return client

    def read(self, service: str, operation: str, /, **parameters: Any) -> JsonMap:
        """Call something that changes nothing. Raises TransientError after a few tries, PermanentError at once."""
        return self._read(service, operation, parameters, LONGEST_READ_WAIT_S, THROTTLED_TRIES)

    def ask(self, service: str, operation: str, /, **parameters: Any) -> JsonMap:
        """Call as `read` does, in the middle of an act: one call too many is given back like a change.

        The phase engine comes again, and names the reason of the wait meanwhile.
        """
        return self._read(service, operation, parameters, LONGEST_WAIT_S, 1)

    def _read(
        self, service: str, operation: str, parameters: Mapping[str, Any], longest_s: float, throttled_tries: int
    ) -> JsonMap:
        for attempt in count():
            try:
                return self._call(service, operation, parameters, longest_s)
            except TransientError as error:
                if attempt + 1 >= (throttled_tries if is_throttled(error.code) else READ_TRIES):
                    raise
                self.clock.sleep(min(_LONGEST_PAUSE_S, 0.3 * 2**attempt) * self._chance.uniform(0.7, 1.3))
        raise AssertionError("the last try returns or raises")

    def pages(self, paging: Paging, /, **parameters: Any) -> Iterator[JsonMap]:
        """Every member of a list that AWS gives in pages, and of one that was asked for by filters nothing else.

        Where the list holds anything else, everything is read: the endpoint does not know the filters, or the list
        was of another question.
        """
        narrowing = narrowing_of(parameters) if paging.service == "ec2" else None
        if narrowing is None:
            yield from self._listed(paging, parameters)
            return
        found, is_strange = narrowing.sifted(list(self._listed(paging, parameters)))
        if is_strange:
            found, _ = narrowing.sifted(list(self._listed(paging, unnarrowed(parameters))))
        yield from found

    def _listed(self, paging: Paging, parameters: Mapping[str, Any]) -> Iterator[JsonMap]:
        wanted: dict[str, Any] = {**parameters, **paging.size()}
        tokens: set[str] = set()
        while True:
            answer = self.read(paging.service, paging.operation, **wanted)
            if paging.members.partition(".")[0] not in answer and not paging.leaves_out_empty:
                # The SDK makes an empty answer of any document that is no list; AWS sends its empty lists too. Were it
                # believed, everything that stands would count as gone.
                raise not_of_aws(f"{paging.service} {paging.operation}")
            yield from inside(answer, paging.members) or ()
            token = inside(answer, paging.token_out)
            if not token:
                return
            if token in tokens:
                # A page that comes again and again would be read for ever.
                raise not_of_aws(f"{paging.service} {paging.operation}")
            tokens.add(token)
            wanted[paging.token_in] = token

    def change(self, service: str, operation: str, objects: Sequence[ObjectId], /, **parameters: Any) -> JsonMap:
        """Call something that changes the account, once, and report it. Raises TransientError or PermanentError."""
        at = self.clock.now()
        answer: JsonMap = {}
        failure: ProviderError | None = None
        try:
            answer = self._call(service, operation, parameters, LONGEST_WAIT_S, lambda: self._ops.permit(objects))
            if "TagSpecifications" in parameters and is_marked_by_another(answer, objects):
                raise not_of_aws(f"{service} {operation}")
        except ProviderError as error:
            failure = error
            raise
        finally:
            metadata = answer.get("ResponseMetadata", {})
            self._ops.record(
                Op(
                    at=at,
                    partition=self.partition,
                    service=service,
                    operation=operation,
                    object_ids=tuple(objects),
                    request_id=failure.request_id if failure else str(metadata.get("RequestId", "")),
                    duration_s=self.clock.now() - at,
                    code=failure.code if failure else "",
                    message=str(failure) if failure else "",
                )
            )
        return answer

    def presigned(self, service: str, operation: str, expires_s: int, /, **parameters: Any) -> str:
        """An address that any holder may use once the call is to be made, without credentials. Nothing is sent."""
        url: str = self._client(service).generate_presigned_url(
            xform_name(operation), Params=parameters, ExpiresIn=expires_s
        )
        return url

    def input_of(self, service: str, operation: str) -> Shape:
        """The shape of the parameters of a call, as the SDK's own model has it."""
        shape: Shape = self._client(service).meta.service_model.operation_model(operation).input_shape
        return shape

    def output_of(self, service: str, operation: str) -> Shape:
        """The shape of the answer of a call."""
        shape: Shape = self._client(service).meta.service_model.operation_model(operation).output_shape
        return shape

    def is_amazon(self, service: str) -> bool:
        """Whether the service is AWS itself, and not an emulator or another company's."""
        return _is_amazon(self._client(service).meta.endpoint_url)

    def each(self, function: Callable[[_Item], _Answer], items: Sequence[_Item]) -> list[_Answer]:
        """The function's answer for each item, in order, a few at a time. The first error is raised when all are
        done.
        """
        if len(items) < 2 or self._workers == 1:
            return [function(item) for item in items]
        with ThreadPoolExecutor(max_workers=min(self._workers, len(items)), thread_name_prefix="aws") as workers:
            return list(workers.map(function, items))

    def each_there(self, read: Callable[[str], _Answer], ids: Iterable[str]) -> dict[str, _Answer]:
        """The answers of `read` by id, in order; without things that do not exist, and in a sweep without
        those that may not be read.
        """
        wanted = list(ids)
        found = self.each(lambda one: self.about(one, lambda: read(one)), wanted)
        return {one: answer for one, answer in zip(wanted, found, strict=True) if answer is not None}

    def about(self, thing: str, read: Callable[[], _Answer]) -> _Answer | None:
        """The answer of `read` for one thing; None when it does not exist, and in a sweep when it may not be read."""
        try:
            return read()
        except ProviderError as error:
            if is_gone(error):
                return None
            if self.unread is None or not is_about_one(error):
                raise
            self.unread[thing] = str(error)
            if is_denied(error):
                self.denied.add(thing)
            return None

    def _call(
        self,
        service: str,
        operation: str,
        parameters: Mapping[str, Any],
        longest_s: float,
        permit: Callable[[], None] | None = None,
    ) -> JsonMap:
        client = self._client(service)
        buckets = [
            (api, self._ledger.rate(published, is_amazon=_is_amazon(client.meta.endpoint_url)), tokens)
            for api, published, tokens in tokens_of(self.partition, service, operation, parameters)
        ]
        for api, rate, tokens in buckets:
            wait = self._ledger.take(api, rate, self.clock.now(), longest_s, tokens)
            if wait > longest_s:
                raise TransientError(
                    f"{service} {operation} waits: Tenuto's share of what AWS allows this account is used up for now",
                    code="Throttling",
                )
            if wait > 0:
                self.clock.sleep(wait)
        if permit is not None:
            # First the account of the credentials is confirmed: that may take seconds, and the permit is good only at
            # its moment.
            self.session.confirm_to_change()
            permit()
        try:
            shape = client.meta.service_model.operation_model(operation).input_shape
            fitting = fit(shape, parameters) if shape is not None else {}
            answer: JsonMap = Answer(getattr(client, xform_name(operation))(**fitting))
            if refused := refused_in(answer):
                raise ClientError({**answer, "Error": refused}, operation)
        except STUMBLES as error:
            failure = self._failure(error, service, operation, client)
            self._ops.called(service, operation, "throttled" if is_throttled(failure.code) else "error")
            if is_throttled(failure.code):
                for api, rate, _ in buckets:
                    self._ledger.slow(api, rate, self.clock.now())
            if is_spent(failure):
                self.session.spend()
            raise failure from error
        self._ops.called(service, operation, "ok")
        mistake = mistaken(operation, parameters, answer)
        if mistake is not None:
            asked, came = self._masker.mask(mistake.asked), self._masker.mask(mistake.came)
            raise of_another(f"{service} {operation}", asked, came)
        return asked_for(operation, parameters, answer)

    def _failure(self, error: Exception, service: str, operation: str, client: Any) -> ProviderError:
        """The error in our own words."""
        call, region = f"{service} {operation}", self.partition.region
        if is_nameless_host(error) and _is_amazon(client.meta.endpoint_url):
            known = self.session.regions_of(service, region)
            if known and region not in known:
                return not_in_region(call, region)
        return translate(error, call, self._masker, self._codes_of(service, client))

    def _codes_of(self, service: str, client: Any) -> frozenset[str]:
        """The codes of errors that the SDK's model of a service lists; EC2's lists none."""
        with self._lock:
            if service not in self._codes:
                self._codes[service] = frozenset(one.error_code for one in client.meta.service_model.error_shapes)
            return self._codes[service]

    def _client(self, service: str) -> Any:
        with self._lock:
            client = self._clients.get(service)
            if client is None:
                client = self._clients[service] = self._new_client(service)
            return client

    def _new_client(self, service: str) -> Any:
        region = self.partition.region
        config = Config(
            connect_timeout=CONNECT_TIMEOUT_S,
            read_timeout=READ_TIMEOUT_S,
            retries={"total_max_attempts": 1, "mode": "standard"},
            max_pool_connections=4 * self._workers,
            # Given whole: botocore would put its own together anew for every call, at a tenth of the cost of a call.
            user_agent=f"tenuto/{__version__}",
        )
        try:
            client = self.session.create_client(service, region_name=region, config=config)
            if service == "s3" and not _is_amazon(client.meta.endpoint_url):
                # Other endpoints have no DNS name per bucket.
                config = config.merge(Config(s3={"addressing_style": "path"}))
                client = self.session.create_client(service, region_name=region, config=config)
        except (BotoCoreError, ValueError) as error:
            raise PermanentError(
                f"there is no {service} client for region {region}: {error}", code="NoClient"
            ) from error
        return client


def _is_amazon(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host.endswith(tuple(f".{domain}" for one in aws_partitions() for domain in one.addresses))
