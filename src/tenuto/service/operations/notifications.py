"""Sinks of notifications: added, shown, tried and removed, with the deliveries that failed.

A sink that runs a program cannot be added: the API gives no way to run code as the Conductor. A user who starts the
Conductor names such programs, and they appear here to be listed, tried and redelivered to.
"""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from tenuto.core.access.accounts import check_listed
from tenuto.core.reports.notices import DEFAULT_TYPES, notice
from tenuto.errors import ConflictError, NotFoundError, ProviderError, UserError
from tenuto.kit.address import is_loopback
from tenuto.kit.nearest import meant
from tenuto.kit.regions import LISTED, Regions
from tenuto.model.access import ROOT
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, JsonMap, Partition
from tenuto.model.notification import DEFAULT_TRIES, Backlog, Delivery, Notification, Sink, SinkForm, SinkKind
from tenuto.ports.clock import Clock
from tenuto.ports.notices import Transports
from tenuto.ports.secrets import Secrets, place_of_sink
from tenuto.ports.store import Store
from tenuto.ports.store_administration import CreateSink, RemoveSink, SaveDelivery, SaveSink
from tenuto.ports.store_changes import Append
from tenuto.service.accounts.accounts import known_account
from tenuto.service.common.finding import check_event_types
from tenuto.service.common.values import time_text

MOST_SINKS = 50
"""Each has a thread of its own and reads the events once a second."""
MOST_TRIES = 50
LONGEST_URL = 2000
MOST_SHOWN = 1000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TOPIC = re.compile(r"arn:[a-z-]+:sns:(?P<region>[a-z0-9-]+):\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?")
_KEY_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkWish:
    """A sink as a user asks for it: `url` for a webhook, or `topic` (an ARN) with the `account` to reach it by."""

    name: str
    url: str | None = None
    topic: str | None = None
    account: str | None = None
    secret: str | None = None
    form: str = SinkForm.JSON.value
    types: Sequence[str] = ()
    processes: Sequence[str] = ()
    accounts: Sequence[str] = ()
    tries: int = DEFAULT_TRIES


class Notifications:
    """Every method may raise UserError, NotFoundError and StoreError, and then has changed nothing."""

    def __init__(
        self, *, store: Store, clock: Clock, secrets: Secrets, transports: Transports, regions: Regions = LISTED
    ) -> None:
        self._store = store
        self._clock = clock
        self._secrets = secrets
        self._transports = transports
        self._regions = regions

    def add(self, wish: SinkWish, *, actor: str = ROOT) -> JsonMap:
        """Add a sink that is told of the events from now on. The secret of a webhook is shown in this answer only."""
        if not _NAME.fullmatch(wish.name):
            raise UserError(
                f"{wish.name!r} is no name for a notification: up to 64 letters, digits, '.', '_' and '-', of which "
                "the first is a letter or a digit."
            )
        if (wish.url is None) == (wish.topic is None):
            raise UserError(
                "A notification needs the URL of a webhook or the ARN of a topic, one of the two. Programs are named "
                "where the Conductor is started, with --notify-command."
            )
        if len(self._store.sinks()) >= MOST_SINKS:
            raise UserError(f"There are {MOST_SINKS} notifications already; remove one first.")
        _check_filters(wish)
        wish = replace(wish, accounts=[known_account(self._store, one).name for one in wish.accounts])
        key = ""
        if wish.url is not None:
            key = wish.secret or secrets.token_urlsafe(_KEY_BYTES)
            sink = self._webhook(wish, wish.url, key)
        else:
            sink = self._topic(wish, wish.topic or "")
        try:
            self._store.commit((CreateSink(sink=sink), self._told(sink.name, f"notification {sink.name} added", actor)))
        except ConflictError as taken:
            raise UserError(
                f"There is a notification {sink.name} already. Remove it first, or take another name."
            ) from taken
        document = dict(self._document(sink, Backlog()))
        return document | ({"secret": key} if key and wish.secret is None else {})

    def configure(self, programs: Mapping[str, Sequence[str]]) -> Mapping[str, str]:
        """Let the programs that the Conductor was started with be sinks: types of events by name. Returns why those
        that cannot be started cannot: they may be installed later, so that is no error.

        A sink that is not named any more stays, with the events that wait for it, until it is named again or removed.
        """
        known = {sink.name: sink for sink in self._store.sinks()}
        for name, types in programs.items():
            wish = SinkWish(name=name, types=types)
            _check_filters(wish)
            made = self._sink(wish, SinkKind.COMMAND, place="a program of this Conductor")
            there = known.get(name)
            if there is None:
                self._store.commit((CreateSink(sink=made),))
            elif there.kind is not SinkKind.COMMAND:
                raise UserError(
                    f"There is a notification {name} already, a {there.kind.value}: give the program of "
                    f"--notify-command another name, or remove it with 'tenuto notification remove {name}'."
                )
            elif there.types != made.types:
                self._store.commit((SaveSink(sink=replace(there, types=made.types)),))
        sinks = [sink for sink in self._store.sinks() if sink.name in programs]
        troubles = {
            sink.name: self._transports[sink.kind].trouble(sink) for sink in sinks if sink.kind in self._transports
        }
        return {name: trouble for name, trouble in troubles.items() if trouble}

    def remove(self, name: str, *, actor: str = ROOT) -> JsonMap:
        """Remove a sink. Its waiting and its dead events are thrown away."""
        sink = self._find(name)
        backlog = self._store.backlogs().get(name, Backlog())
        self._store.commit((RemoveSink(name=name), self._told(name, f"notification {name} removed", actor)))
        return self._document(sink, backlog)

    def list(self) -> JsonMap:
        """List all sinks, with how many deliveries wait and how many died."""
        backlogs = self._store.backlogs()
        return {
            "notifications": [self._document(sink, backlogs.get(sink.name, Backlog())) for sink in self._store.sinks()]
        }

    def test(self, name: str) -> JsonMap:
        """Send a made-up event now, ahead of all waiting events, and tell the result."""
        sink = self._find(name)
        transport = self._transports.get(sink.kind)
        if transport is None or not transport.can_reach(sink):
            raise UserError(f"The notification {name} {_UNREACHABLE[sink.kind]}")
        event = Event(
            at=self._clock.now(),
            type=EventType.CONDUCTOR,
            subject=name,
            actor=ROOT,
            reason=f"this is a test of the notification {name}; nothing happened",
        )
        test_id = f"test-{secrets.token_hex(8)}"
        document = dict(notice(event, None)) | {"id": test_id}
        try:
            transport.deliver(sink, Notification(event_id=test_id, type=event.type.value, document=document))
        except ProviderError as failed:
            return {"name": name, "id": test_id, "delivered": False, "error": str(failed)}
        return {"name": name, "id": test_id, "delivered": True, "error": None}

    def dead(self, name: str) -> JsonMap:
        """The deliveries that were given up, oldest first."""
        self._find(name)
        found = self._store.deliveries(name, is_dead=True, limit=MOST_SHOWN)
        return {"name": name, "dead": [_delivery_document(one) for one in found]}

    def redeliver(self, name: str, ids: Sequence[str] = (), *, actor: str = ROOT) -> JsonMap:
        """Try the dead events again: the named ones, or all. Their tries are counted from the beginning."""
        self._find(name)
        found = self._store.deliveries(name, is_dead=True, limit=MOST_SHOWN)
        missing = sorted(set(ids) - {one.event_id for one in found})
        if missing:
            raise NotFoundError(
                f"The notification {name} has no dead event {', '.join(missing)}. 'tenuto notification dead {name}' "
                "lists them."
            )
        chosen = [one for one in found if not ids or one.event_id in ids]
        now = self._clock.now()
        changes = [SaveDelivery(delivery=_revived(one, now)) for one in chosen]
        if changes:
            self._store.commit(
                (*changes, self._told(name, f"{len(changes)} dead events of notification {name} redelivered", actor))
            )
        return {"name": name, "redelivered": [one.event_id for one in chosen]}

    def _webhook(self, wish: SinkWish, url: str, key: str) -> Sink:
        return self._sink(
            wish,
            SinkKind.WEBHOOK,
            form=_form(wish.form),
            place=_place(url),
            address=self._secrets.seal(url, place_of_sink(wish.name, "address")),
            key=self._secrets.seal(key, place_of_sink(wish.name, "key")),
        )

    def _topic(self, wish: SinkWish, topic: str) -> Sink:
        match = _TOPIC.fullmatch(topic)
        if match is None:
            raise UserError(
                f"{topic!r} is no topic: expected an ARN such as arn:aws:sns:eu-west-1:111122223333:changes."
            )
        check_listed(match["region"], self._regions)
        if _form(wish.form) is not SinkForm.JSON:
            raise UserError("A topic is told the document itself: leave the format out, or name a webhook.")
        if wish.secret is not None:
            raise UserError("A topic takes no secret: who may publish there is decided by its account.")
        account = known_account(self._store, wish.account or DEFAULT_ACCOUNT).name
        partition = Partition(account=account, region=match["region"])
        return self._sink(wish, SinkKind.SNS, place=topic, address=topic, partition=partition)

    def _sink(
        self,
        wish: SinkWish,
        kind: SinkKind,
        *,
        place: str,
        address: str = "",
        key: str = "",
        form: SinkForm = SinkForm.JSON,
        partition: Partition | None = None,
    ) -> Sink:
        return Sink(
            name=wish.name,
            kind=kind,
            place=place,
            types=tuple(dict.fromkeys(wish.types)) or DEFAULT_TYPES,
            processes=tuple(dict.fromkeys(wish.processes)),
            accounts=tuple(dict.fromkeys(wish.accounts)),
            tries=wish.tries,
            address=address,
            key=key,
            form=form,
            partition=partition,
            created_at=self._clock.now(),
            cursor=self._store.last_event(),
        )

    def _find(self, name: str) -> Sink:
        found = next((one for one in self._store.sinks() if one.name == name), None)
        if found is None:
            guess = meant(name, (one.name for one in self._store.sinks()))
            raise NotFoundError(f"There is no notification {name!r}.{guess} 'tenuto notification list' lists them.")
        return found

    def _told(self, name: str, reason: str, actor: str) -> Append:
        event = Event(at=self._clock.now(), type=EventType.CONDUCTOR, subject=name, actor=actor, reason=reason)
        return Append(events=(event,))

    def _document(self, sink: Sink, backlog: Backlog) -> JsonMap:
        transport = self._transports.get(sink.kind)
        return {
            "name": sink.name,
            "kind": sink.kind.value,
            "place": sink.place,
            "format": sink.form.value,
            "account": sink.partition.account if sink.partition else None,
            "types": list(sink.types),
            "processes": list(sink.processes),
            "accounts": list(sink.accounts),
            "tries": sink.tries,
            "created": time_text(sink.created_at),
            "reachable": transport is not None and transport.can_reach(sink),
            "trouble": (transport.trouble(sink) if transport is not None else "") or backlog.last_error,
            "waiting": backlog.waiting,
            "dead": backlog.dead,
        }


def _form(text: str) -> SinkForm:
    """The form of this name. Raises UserError."""
    if text not in set(SinkForm):
        raise UserError(f"There is no format {text!r}.{meant(text, SinkForm)} There are {', '.join(SinkForm)}.")
    return SinkForm(text)


_UNREACHABLE = {
    SinkKind.WEBHOOK: "cannot be reached by this Conductor.",
    SinkKind.COMMAND: "names a program that this Conductor was not started with: name it with --notify-command.",
    SinkKind.SNS: "needs AWS, which this Conductor does not have.",
}


def _revived(delivery: Delivery, now: Instant) -> Delivery:
    return replace(delivery, tries=0, next_at=now, died_at=None)


def _check_filters(wish: SinkWish) -> None:
    check_event_types(wish.types)
    if not 1 <= wish.tries <= MOST_TRIES:
        raise UserError(f"The number of tries must be between 1 and {MOST_TRIES}, not {wish.tries}.")
    if any(not one or len(one) > 200 for one in (*wish.processes, *wish.accounts)):
        raise UserError("The name of a process or an account must have between 1 and 200 characters.")
    if wish.secret is not None and not 16 <= len(wish.secret) <= 200:
        raise UserError("The secret of a webhook must have between 16 and 200 characters; leave it out to get one.")


def _place(url: str) -> str:
    """The scheme and host of a URL, for people: its path may be a secret. Raises UserError for an unfit one."""
    if len(url) > LONGEST_URL or not url.isprintable() or any(one.isspace() for one in url):
        raise UserError(f"The URL of a webhook must be printable, without spaces, and at most {LONGEST_URL} long.")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if not host or parts.scheme not in ("http", "https"):
        raise UserError("The URL of a webhook must be like https://host.example/path.")
    if parts.username is not None or parts.password is not None:
        raise UserError("The URL of a webhook must not hold a user name or a password: check the signature instead.")
    if parts.scheme == "http" and not is_loopback(host):
        raise UserError(
            f"Plain HTTP is used on this machine only: others could read and change the events on their way to {host}. "
            "Give an https URL."
        )
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port else "")


def _delivery_document(delivery: Delivery) -> JsonMap:
    return {
        "id": delivery.event_id,
        "type": delivery.document.get("type"),
        "at": delivery.document.get("at"),
        "process": (delivery.document.get("process") or {}).get("alias"),
        "tries": delivery.tries,
        "died": time_text(delivery.died_at),
        "error": delivery.last_error,
        "document": dict(delivery.document),
    }
