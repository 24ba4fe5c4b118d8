"""The seals of webhooks, made anew with the key that seals now.

A process seals its values anew whenever an `update` gives them. A webhook is given once, so without this an old key
could never be taken out of the key file.
"""

from collections.abc import Iterable
from dataclasses import replace

import structlog

from tenuto.errors import PermanentError
from tenuto.model.notification import Sink, SinkKind
from tenuto.ports.secrets import Secrets, place_of_sink
from tenuto.ports.store import Store
from tenuto.ports.store_administration import SaveSink

_log = structlog.get_logger("tenuto.notifications")


def reseal_webhooks(store: Store, secrets: Secrets) -> None:
    """Seal the address and the key of each webhook with the newest key, before anything is delivered.

    A webhook whose key is missing stays as it is, and is logged. Raises StoreError.
    """
    changes = tuple(SaveSink(sink=sink) for sink in _resealed(store.sinks(), secrets))
    if changes:
        store.commit(changes)
        _log.info("notification.resealed", sinks=[change.sink.name for change in changes])


def _resealed(sinks: Iterable[Sink], secrets: Secrets) -> Iterable[Sink]:
    for sink in sinks:
        if sink.kind is not SinkKind.WEBHOOK or (secrets.is_current(sink.address) and secrets.is_current(sink.key)):
            continue
        places = place_of_sink(sink.name, "address"), place_of_sink(sink.name, "key")
        try:
            address, key = (
                secrets.seal(secrets.unseal(sealed, place), place)
                for sealed, place in zip((sink.address, sink.key), places, strict=True)
            )
        except PermanentError as error:
            _log.error("notification.sealed", sink=sink.name, reason=str(error))
            continue
        yield replace(sink, address=address, key=key)
