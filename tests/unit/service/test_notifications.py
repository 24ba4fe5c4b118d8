"""Sinks are added, listed, tried and removed; what would be unsafe is refused with what to do instead."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from tenuto.errors import NotFoundError, TransientError, UserError
from tenuto.model.account import Account
from tenuto.model.ids import Instant
from tenuto.model.notification import Notification, Sink, SinkKind
from tenuto.ports.notices import Transports
from tenuto.ports.secrets import place_of_sink
from tenuto.ports.store_administration import SaveAccount, SaveDelivery
from tenuto.service.operations.notifications import MOST_SINKS, Notifications, SinkWish
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto.transports.chat import headline
from tenuto_testing.clock import VirtualClock
from tenuto_testing.store_samples import a_delivery

HOOK = "https://hooks.example/services/T0KEN"
PROD = "111122223333"
TOPIC = "arn:aws:sns:eu-west-1:111122223333:changes"


@dataclass
class Transport:
    notifications: list[tuple[Sink, Notification]] = field(default_factory=list)
    failure: TransientError | None = None
    fault: str = ""

    def can_reach(self, sink: Sink) -> bool:
        return True

    def trouble(self, sink: Sink) -> str:
        return self.fault

    def deliver(self, sink: Sink, notification: Notification) -> None:
        if self.failure:
            raise self.failure
        self.notifications.append((sink, notification))


class Desk:
    def __init__(self, more: Transports | None = None) -> None:
        self.store = MemoryStore()
        self.store.commit([SaveAccount(account=Account(name="prod", account_id=PROD), expected_generation=0)])
        self.secrets = KeyedSecrets(new_keys())
        self.transport = Transport()
        self.notifications = Notifications(
            store=self.store,
            clock=VirtualClock(),
            secrets=self.secrets,
            transports={SinkKind.WEBHOOK: self.transport, SinkKind.SNS: self.transport, **(more or {})},
        )


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_webhook_is_kept_sealed_and_shows_its_secret_once(desk: Desk) -> None:
    added = desk.notifications.add(SinkWish(name="chat", url=HOOK, processes=("web-*",), accounts=("prod",)))
    assert added["place"] == "https://hooks.example"
    assert len(added["secret"]) >= 32
    [sink] = desk.store.sinks()
    assert desk.secrets.unseal(sink.address, place_of_sink(sink.name, "address")) == HOOK
    assert desk.secrets.unseal(sink.key, place_of_sink(sink.name, "key")) == added["secret"]
    shown = str(desk.notifications.list())
    assert "T0KEN" not in shown
    assert added["secret"] not in shown
    assert "T0KEN" not in str(sink)


def test_a_secret_that_was_given_is_used_and_not_shown(desk: Desk) -> None:
    added = desk.notifications.add(SinkWish(name="chat", url=HOOK, secret="sixteen-letters!"))
    assert "secret" not in added
    assert desk.secrets.unseal(desk.store.sinks()[0].key, place_of_sink("chat", "key")) == "sixteen-letters!"


def test_a_topic_is_reached_in_its_own_region_by_the_named_account(desk: Desk) -> None:
    desk.notifications.add(SinkWish(name="changes", topic=TOPIC, account="prod"))
    [sink] = desk.store.sinks()
    assert (str(sink.partition), sink.place) == ("prod/eu-west-1", TOPIC)


def test_an_account_by_its_id_is_kept_by_its_name(desk: Desk) -> None:
    assert desk.notifications.add(SinkWish(name="chat", url=HOOK, accounts=(PROD,)))["accounts"] == ["prod"]
    assert desk.notifications.add(SinkWish(name="changes", topic=TOPIC, account=PROD))["account"] == "prod"


@pytest.mark.parametrize("wish", [{"url": HOOK, "accounts": ("prdo",)}, {"topic": TOPIC, "account": "prdo"}])
def test_an_account_that_is_not_there_is_refused(desk: Desk, wish: dict[str, Any]) -> None:
    with pytest.raises(NotFoundError, match=r"no account 'prdo'\. Did you mean prod\?"):
        desk.notifications.add(SinkWish(name="chat", **wish))
    assert desk.store.sinks() == ()


def test_by_default_it_is_told_of_jobs_from_now_on(desk: Desk) -> None:
    desk.notifications.add(SinkWish(name="first", url=HOOK))
    added = desk.notifications.add(SinkWish(name="second", url=HOOK))
    assert added["types"] == ["job.finished", "resource.held"]
    assert [sink.cursor for sink in desk.store.sinks()] == [0, 1]


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"name": "no spaces"}, "is no name"),
        ({"name": ""}, "is no name"),
        ({}, "one of the two"),
        ({"url": HOOK, "topic": TOPIC}, "one of the two"),
        ({"url": "http://hooks.example/x"}, "Plain HTTP is used on this machine only"),
        ({"url": "ftp://hooks.example/x"}, "must be like https"),
        ({"url": "https://"}, "must be like https"),
        ({"url": "https://host:port/"}, "must be like https"),
        ({"url": "https://user:pw@hooks.example/"}, "must not hold a user name"),
        ({"url": f"https://hooks.example/{'x' * 2000}"}, "at most 2000"),
        ({"url": "https://hooks.example/a\nb"}, "printable"),
        ({"url": HOOK, "secret": "short"}, "between 16 and 200"),
        ({"url": HOOK, "types": ("job.done",)}, "There is no type of events job.done. There are process.state"),
        ({"url": HOOK, "tries": 0}, "between 1 and 50"),
        ({"url": HOOK, "processes": ("",)}, "between 1 and 200"),
        ({"topic": "changes"}, "is no topic"),
        ({"topic": "arn:aws:sqs:eu-west-1:111122223333:queue"}, "is no topic"),
        ({"topic": TOPIC, "secret": "sixteen-letters!"}, "takes no secret"),
    ],
)
def test_what_cannot_or_should_not_be_is_refused(desk: Desk, wish: dict[str, object], words: str) -> None:
    with pytest.raises(UserError, match=words):
        desk.notifications.add(SinkWish(**({"name": "chat"} | wish)))
    assert desk.store.sinks() == ()


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080/x", "http://localhost/x", "http://[::1]:80/x"])
def test_plain_http_is_taken_on_this_machine(desk: Desk, url: str) -> None:
    desk.notifications.add(SinkWish(name="local", url=url))


def test_a_name_is_taken_once_and_there_is_an_end_to_sinks(desk: Desk) -> None:
    desk.notifications.add(SinkWish(name="n0", url=HOOK))
    with pytest.raises(UserError, match="There is a notification n0 already"):
        desk.notifications.add(SinkWish(name="n0", url=HOOK))
    for number in range(1, MOST_SINKS):
        desk.notifications.add(SinkWish(name=f"n{number}", url=HOOK))
    with pytest.raises(UserError, match="50 notifications already"):
        desk.notifications.add(SinkWish(name="one-more", url=HOOK))


def test_what_is_not_there_is_not_found(desk: Desk) -> None:
    for ask in (desk.notifications.remove, desk.notifications.test, desk.notifications.dead):
        with pytest.raises(NotFoundError, match="no notification 'chat'"):
            ask("chat")


def test_a_test_is_sent_at_once_and_its_failure_is_told(desk: Desk) -> None:
    desk.notifications.add(SinkWish(name="chat", url=HOOK))
    told = desk.notifications.test("chat")
    [(sink, notification)] = desk.transport.notifications
    assert (sink.name, notification.event_id, told["delivered"]) == ("chat", told["id"], True)
    assert headline(notification.document) == "• Conductor: this is a test of the notification chat; nothing happened"
    desk.transport.failure = TransientError("no server listens there")
    assert desk.notifications.test("chat")["error"] == "no server listens there"


def test_dead_events_are_listed_and_delivered_again(desk: Desk) -> None:
    desk.notifications.add(SinkWish(name="chat", url=HOOK))
    for number in (1, 2, 3):
        died = a_delivery(number, "chat", died_at=Instant(500.0), tries=15, last_error="no answer in time")
        desk.store.commit([SaveDelivery(delivery=died)])
    assert [one["id"] for one in desk.notifications.dead("chat")["dead"]] == ["1-web", "2-web", "3-web"]
    with pytest.raises(NotFoundError, match="no dead event 9-web"):
        desk.notifications.redeliver("chat", ["2-web", "9-web"])
    assert desk.notifications.redeliver("chat", ["2-web"])["redelivered"] == ["2-web"]
    [waiting] = desk.store.deliveries("chat", is_dead=False, limit=10)
    assert (waiting.tries, waiting.died_at, waiting.last_error) == (0, None, "no answer in time")
    assert desk.notifications.redeliver("chat")["redelivered"] == ["1-web", "3-web"]
    assert desk.notifications.redeliver("chat")["redelivered"] == []


def test_the_list_tells_the_last_error_of_the_oldest_event_that_waits(desk: Desk) -> None:
    desk.notifications.add(SinkWish(name="chat", url=HOOK))

    def trouble() -> str:
        [one] = desk.notifications.list()["notifications"]
        return str(one["trouble"])

    waiting = [a_delivery(3, "chat"), a_delivery(2, "chat", tries=4, last_error="HTTP 503", next_at=Instant(900.0))]
    desk.store.commit([SaveDelivery(delivery=one) for one in waiting])
    assert trouble() == "HTTP 503"
    desk.transport.fault = "it is never called"
    assert trouble() == "it is never called", "the reason comes before the symptom"


def test_removal_throws_away_what_has_not_arrived(desk: Desk) -> None:
    desk.notifications.add(SinkWish(name="chat", url=HOOK))
    desk.store.commit([SaveDelivery(delivery=a_delivery(1, "chat"))])
    assert desk.notifications.remove("chat")["waiting"] == 1
    assert (desk.store.sinks(), desk.store.backlogs()) == ((), {})


def test_what_keeps_a_program_from_being_started_is_told_at_the_start_and_in_the_list() -> None:
    transport = Transport(fault="there is no file /nowhere/page")
    desk = Desk({SinkKind.COMMAND: transport})
    assert desk.notifications.configure({"pager": ()}) == {"pager": "there is no file /nowhere/page"}
    assert desk.notifications.list()["notifications"][0]["trouble"] == "there is no file /nowhere/page"
    transport.fault = ""
    assert desk.notifications.configure({"pager": ()}) == {}


def test_programs_are_sinks_only_when_the_conductor_was_started_with_them(desk: Desk) -> None:
    desk.notifications.configure({"pager": ()})
    [sink] = desk.store.sinks()
    assert (sink.kind, sink.types) == (SinkKind.COMMAND, ("job.finished", "resource.held"))
    desk.notifications.configure({"pager": ("process.state",)})
    assert desk.store.sinks()[0].types == ("process.state",)
    desk.notifications.configure({})
    [listed] = desk.notifications.list()["notifications"]
    assert (listed["name"], listed["reachable"]) == ("pager", False)
    with pytest.raises(UserError, match="not started with"):
        desk.notifications.test("pager")


def test_a_program_does_not_take_the_name_of_a_webhook(desk: Desk) -> None:
    desk.notifications.add(SinkWish(name="chat", url=HOOK))
    with pytest.raises(UserError, match="There is a notification chat already, a webhook"):
        desk.notifications.configure({"chat": ()})
    with pytest.raises(UserError, match="no type of events nonsense"):
        desk.notifications.configure({"pager": ("nonsense",)})
