"""The things of a host that end with its lease: machines that are made elsewhere, and addresses that move elsewhere."""

from contextlib import ExitStack

from tenuto.providers.local.executor.leased import LeasedMachines
from tenuto.providers.local.executor.networking.outside import Outside


class LeasedThings:
    """The things that the guard of a host ends."""

    def __init__(self, machines: LeasedMachines, outside: Outside) -> None:
        self._machines = machines
        self._outside = outside

    def end(self) -> None:
        """End them all, the addresses also when the machines fail. Twice is once."""
        with ExitStack() as last_first:
            last_first.callback(self._outside.withdraw)
            last_first.callback(self._machines.end)
