"""A Conductor for libfaketime, which sets the system clock that a program sees and leaves the monotonic one alone.

In version 0.9.10 it also takes hold of the call that Python sleeps by, and lets it fail. So this program sleeps by
another one, which waits for the same time.
"""

import os
import threading
import time

from tenuto.bootstrap.serve import serve
from tenuto.settings import Settings


def _sleep(seconds: float) -> None:
    threading.Event().wait(seconds)


if __name__ == "__main__":
    time.sleep = _sleep
    serve(Settings.from_environment(os.environ))
