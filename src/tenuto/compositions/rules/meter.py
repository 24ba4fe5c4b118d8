"""The meter of a question: what it may cost.

CEL always ends, but macros within macros over long lists can take hours, and a Conductor has other things to do. So
every node that is visited and every pair of values that is compared is a step, and steps are counted: the same rule on
the same composition is cut off at the same place on every machine, fast or slow. A clock would decide by the load.
"""

STEPS_OF_A_QUESTION = 200_000
"""One rule on one resource, or on one whole composition: a few seconds at worst. Ordinary rules take ten to a hundred,
and for each resource that they go through as many again."""


class ExhaustedError(Exception):
    """The meter ran out. Not an error of CEL, so that no `||` absorbs it."""


class Meter:
    """Counts down the steps of one question."""

    def __init__(self, steps: int = STEPS_OF_A_QUESTION) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Raises ExhaustedError when there are not as many left."""
        self.left -= steps
        if self.left < 0:
            raise ExhaustedError
