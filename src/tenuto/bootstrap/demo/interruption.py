"""The end of a demonstration by a signal: the first one interrupts it, and none interrupts its removal."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Raise KeyboardInterrupt at the first Ctrl-C, SIGTERM or end of the terminal; later ones are not heard.

    A signal that is ignored already stays so: `nohup` does that, and a shell for its programs in the background.
    """
    heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]

    def interrupt(number: int, frame: FrameType | None) -> None:
        for one in heard:
            signal.signal(one, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
