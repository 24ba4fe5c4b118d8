"""Exceptions that are meant to end a program or a task, made errors where code of others is called.

`sys.exit` in a plugin, or `asyncio.CancelledError` from one, passes every `except Exception` and ends a thread without
a word. So it becomes an error that names the code that raised it. Ctrl-C goes on, since a person wants the end: Python
delivers it to the main thread, so a KeyboardInterrupt on another thread was raised by that code, too. A class that
derives from it is the end of all threads, by a harness that runs the program.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ContainedError(RuntimeError):
    """An exception that code of others may not raise, for people."""


@contextmanager
def contained(name: str) -> Iterator[None]:
    """Let errors pass, and raise ContainedError for anything else that is raised within; `name` is that of the code
    there."""
    try:
        yield
    except Exception:
        raise
    except SystemExit as error:
        raise ContainedError(f"{name} tried to end the Conductor (SystemExit)") from error
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and (_is_in_main_thread() or type(error) is not KeyboardInterrupt):
            raise
        raise ContainedError(f"{name} raised {type(error).__name__}, which is no error that it may raise") from error


def _is_in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
