"""Exceptions that are meant to end a program or a task, made errors where code of others is called.

`sys.exit` in a plugin, or `asyncio.CancelledError` from one, passes every `except Exception` and ends a thread without
a word. So it becomes a RuntimeError that names the code that raised it. Ctrl-C goes on: a person wants the end.
"""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def contained(name: str) -> Iterator[None]:
    """Let errors pass, and raise RuntimeError for anything else that is raised within; `name` is that of the code
    there."""
    try:
        yield
    except (Exception, KeyboardInterrupt):
        raise
    except SystemExit as error:
        raise RuntimeError(f"{name} tried to end the Conductor ({error!r})") from error
    except BaseException as error:
        raise RuntimeError(f"{name} raised {type(error).__name__}, which is no error that it may raise") from error
