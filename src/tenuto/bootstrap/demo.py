"""`demo`: a whole Tenuto with an emulated AWS, and a story that shows what it is for.

Nothing here is special: the Conductor, the store and the AWS provider are those of production, given a temporary
directory and an endpoint on loopback. Whatever ends the story, Ctrl-C included, ends all of it; nothing stays behind.
"""

import logging
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from tenuto.bootstrap.clock import SystemClock
from tenuto.bootstrap.emulator import Emulator
from tenuto.bootstrap.story import REGION, Say, Story
from tenuto.bootstrap.system import System, build
from tenuto.kit.ids import RandomIds
from tenuto.providers.aws.demo import EmulatedSession, Outsider
from tenuto.providers.aws.provider import AwsProvider
from tenuto.storage.open import open_store
from tenuto.storage.secrets import KeyedSecrets, new_keys


def demonstrate(*, period_s: float, say: Say) -> None:
    """Tell the story. Raises UserError when the emulator is not installed, TenutoError when the story goes wrong."""
    # The story is told by its own words; what goes wrong in it is raised.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    say(f"An emulated AWS, a Conductor and a store, all temporary. A job every {period_s:g} s (30 s is normal).")
    with Emulator() as emulator, tempfile.TemporaryDirectory(prefix="tenuto-demo-") as folder:
        session = EmulatedSession(emulator.url)
        with _running(session, Path(folder), period_s) as system:
            Story(system, Outsider(session, REGION), say).tell()


@contextmanager
def _running(session: EmulatedSession, folder: Path, period_s: float) -> Iterator[System]:
    """A Conductor at work, until the end of the context."""
    store = open_store(str(folder / "tenuto.db"))
    system = build(
        store=store,
        providers=lambda ops, clock: [AwsProvider(session=session, ops=ops, clock=clock)],
        clock=SystemClock(),
        ids=RandomIds(),
        secrets=KeyedSecrets(new_keys()),
        period_s=period_s,
    )
    stop = threading.Event()
    conductor = threading.Thread(target=system.conductor.run, args=(stop,), name="conductor")
    conductor.start()
    try:
        yield system
    finally:
        stop.set()
        system.conductor.notify()
        conductor.join()
        store.close()
