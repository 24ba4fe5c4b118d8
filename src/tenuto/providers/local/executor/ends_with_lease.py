"""The things of a host that end with its lease: machines that are made elsewhere, and addresses that move elsewhere."""

from tenuto.providers.local.executor.leased import LeasedMachines
from tenuto.providers.local.executor.networking.outside import Outside


class LeasedThings:
    """The things that the guard of a host ends."""

    def __init__(self, machines: LeasedMachines, outside: Outside) -> None:
        self._machines = machines
        self._outside = outside

    def end(self) -> None:
        """End them all. Twice is once."""
        self._machines.end()
        self._outside.withdraw()
