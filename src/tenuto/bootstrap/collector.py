"""The collector of cycles, set to the kind of memory that a Conductor has.

Nearly all of it is frozen values that refer to each other in one direction only: counting references frees them, and
the collector looks through a million of them again and again for cycles that are not there. With 5,000 resources that
was half of an unchanged job. It is not switched off: exceptions, and the objects that the SDK makes, do have cycles.
"""

import gc

_NEW = 100_000
"""The surplus of values made over values freed at which the newest are scanned; Python's own 700 is for
small programs."""
_YOUNG = 20
_ALL = 20


def collect_seldom() -> None:
    """Let the garbage collector run seldom, in the whole program and from now on."""
    gc.set_threshold(_NEW, _YOUNG, _ALL)
