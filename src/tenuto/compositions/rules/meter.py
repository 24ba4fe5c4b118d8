"""The meter of a question: the bound of its cost.

CEL always ends, but macros within macros over long lists can take hours, and a Conductor has other things to do. So
every node that is evaluated and every pair of values that is compared is a step, and steps are counted: the same rule
on the same composition is cut off at the same place on every machine, fast or slow. A clock would decide by the load,
and a composition that is accepted at noon would be refused at midnight.

The count bounds time and memory only if no step does much. Three rules hold that, and each function keeps them:

* a new value is paid for before it is made, by its own size: a list of a thousand items is a thousand references,
  however large their targets are;
* a value that is read is paid for by its size;
* nothing unfolds a value. A list that holds one list twice, which holds one list twice, … has few parts and an
  exponential number of paths. Only comparisons and `is_open` follow the paths, and they pay for each.
"""

STEPS_OF_A_QUESTION = 200_000
"""One rule on one resource, or on one whole composition: a fifth of a second, or some seconds when all of it is
searching with large patterns, and less than 64 MB. Ordinary rules take ten to a hundred, and for each resource that
they go through as many again."""
_MADE_IN_A_STEP = 16
"""Characters or items: up to 128 bytes. The small values of a step of their own have as many."""
_READ_IN_A_STEP = 1000
"""Characters. Python compares and searches that many in about the time of a step."""
_SEARCHED_IN_A_STEP = 1000
"""Characters, each multiplied by the instructions of the compiled pattern: RE2 needs no more when its fast automaton
does not fit the memory that it may have; ten microseconds then, and other threads run meanwhile."""


class ExhaustedError(Exception):
    """The meter ran out. Not an error of CEL, so that no `||` absorbs it."""


class Meter:
    """Counts down the steps of one question."""

    __slots__ = ("left",)

    def __init__(self, steps: int = STEPS_OF_A_QUESTION) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Raises ExhaustedError when there are not as many left."""
        self.left -= steps
        if self.left < 0:
            raise ExhaustedError

    def make(self, size: int) -> None:
        """Pays for a text or a list that will be made. Raises ExhaustedError as `spend`."""
        self.spend(size // _MADE_IN_A_STEP)

    def read(self, size: int) -> None:
        """Pays for a text that will be read from one end to the other. Raises ExhaustedError as `spend`."""
        self.spend(size // _READ_IN_A_STEP)

    def search(self, size: int, instructions: int) -> None:
        """Pays for a search with a compiled pattern. Raises ExhaustedError as `spend`."""
        self.spend(1 + size * instructions // _SEARCHED_IN_A_STEP)
