"""Webhooks outlive a rotation of the key: their seals are made anew while both keys are there."""

from structlog.testing import capture_logs

from tenuto.model.ids import Instant
from tenuto.model.notification import Sink, SinkKind
from tenuto.ports.secrets import place_of_sink
from tenuto.ports.store_administration import CreateSink
from tenuto.service.operations.sink_seals import reseal_webhooks
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.sqlite.memory import MemoryStore

HOOK = "https://hooks.example/services/T0KEN"
OLD, NEW = new_keys(), new_keys()


def stored(keys: tuple[bytes, ...]) -> MemoryStore:
    """A webhook that was sealed with these keys, and a topic, which has no seal."""
    secrets, store = KeyedSecrets(keys), MemoryStore()
    hook = Sink(
        name="chat",
        kind=SinkKind.WEBHOOK,
        place="https://hooks.example",
        types=(),
        address=secrets.seal(HOOK, place_of_sink("chat", "address")),
        key=secrets.seal("signs", place_of_sink("chat", "key")),
        created_at=Instant(100.0),
        cursor=7,
    )
    topic = Sink(
        name="topic", kind=SinkKind.SNS, place="arn", types=(), address="arn", created_at=hook.created_at, cursor=7
    )
    store.commit([CreateSink(sink=hook), CreateSink(sink=topic)])
    return store


def test_a_webhook_opens_with_the_new_key_alone_after_a_start_with_both() -> None:
    store = stored(OLD)
    topic = store.sinks()[1]
    reseal_webhooks(store, KeyedSecrets((*NEW, *OLD)))
    hook, same = store.sinks()
    rotated = KeyedSecrets(NEW)
    assert rotated.unseal(hook.address, place_of_sink("chat", "address")) == HOOK
    assert rotated.unseal(hook.key, place_of_sink("chat", "key")) == "signs"
    assert (hook.cursor, same) == (7, topic)


def test_a_webhook_of_the_newest_key_is_not_written() -> None:
    store = stored(OLD)
    before = store.sinks()
    reseal_webhooks(store, KeyedSecrets((*OLD, *NEW)))
    assert store.sinks() == before


def test_a_webhook_whose_key_is_missing_stays_and_is_told() -> None:
    store = stored(OLD)
    before = store.sinks()
    with capture_logs() as logs:
        reseal_webhooks(store, KeyedSecrets(NEW))
    assert store.sinks() == before
    [told] = [one for one in logs if one["event"] == "notification.sealed"]
    assert "tenuto notification remove chat" in told["reason"]
