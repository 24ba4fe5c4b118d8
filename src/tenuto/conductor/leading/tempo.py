"""The delays that may change while the Conductor runs.

One mutable value in a house of frozen ones: a waiting thread reads it each time, so a change counts from the next wait
on. A read or write of one number needs no lock.
"""

from dataclasses import dataclass

from tenuto.model.phase_map import DEFAULT_DELAY_S


@dataclass(slots=True, kw_only=True)
class Tempo:
    """The periods and patiences of a Conductor, in seconds."""

    period_s: float
    """Between two jobs of a process."""
    observation_s: float = 0.0
    """Between two sweeps for routine jobs, where that is longer: the jobs in between share the last one."""
    patience_s: float
    """Seconds for which a provider may refuse to delete a thing that another holds, before the process is suspended."""
    phase_delay_s: float = DEFAULT_DELAY_S
    """Seconds that an object sleeps when neither its phase nor the run names a time."""
